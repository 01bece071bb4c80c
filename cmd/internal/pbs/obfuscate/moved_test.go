package obfuscate

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/workshop"
	"fairshare/usagefile"
)

// Times are moved in whatever unit, and marks for one that is not set stay.
func TestMomentsOfAnyUnit(t *testing.T) {
	n := newNames(Shift{Weeks: -104})
	const by = 104 * 7 * 86400
	for text, want := range map[string]string{
		"1772437196": "1709537996", "1772437196123": "1709537996123", "1772437196123456": "1709537996123456", "1772437196123456789": "1709537996123456789",
		"0": "0", "4294967294": "4294967294", "4294967295": "4294967295", "2147483647": "2147483647", "9223372036854775807": "9223372036854775807", "86400": "86400",
	} {
		if got := n.moment(text); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
	if got := n.moment("1772437196"); got != strconv.Itoa(1772437196-by) {
		t.Error(got)
	}
}

// What is nearer to the true time than to the moved one is found in any unit and form.
func TestUnmoved(t *testing.T) {
	taken := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	moved := taken.AddDate(-3, 0, 0)
	for text, isFound := range map[string]bool{
		"etime=1772437196": true, "queue_rank = 1772437196123": true, `"queue_rank":1.77243719612346e+15`: true, "1772437196123456789": true, "03/02/2026 08:00:00;E": true, "Mon Mar  2 07:39:56 2026": true,
		"etime=1677829196": false, "mem=1772437196kb": false, "4294967295": false, "2147483647": false, "03/02/2023 08:00:00;E;12.host-1": false, "ncpus=128": false,
	} {
		if got := unmoved(text, taken, moved); (got != "") != isFound {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// A usage database that never decayed says so in its copy as well.
func TestNeverDecayed(t *testing.T) {
	var usage bytes.Buffer
	if err := usagefile.Write(&usage, 0, func(yield func(string, float64) bool) { yield("a", 7) }); err != nil {
		t.Fatal(err)
	}
	list := "Job Id: 1.s\n    euser = a\n    queue = q\n    job_state = Q\n    queue_rank = 1772437196123\n"
	s, err := read("x.tar", bytes.NewReader(workshop.Archive(t, "s/ctime", "1772489799", "s/sched_priv/resource_group", "a 10 root 5\n", "s/sched_priv/usage", usage.String(), "s/job/qstat_f.out", list)))
	if err != nil {
		t.Fatal(err)
	}
	hidden, err := Snapshot(s, Shift{Weeks: -200, Numbers: 5})
	if err != nil {
		t.Fatal(err)
	}
	text, err := hidden.Files().SchedPriv.Read(usagefile.Name, 1<<20)
	if db := usagefile.Parse(text); err != nil || db.LastDecay != 0 {
		t.Errorf("last decay %d, %v", db.LastDecay, err)
	}
	if all := textOf(t, hidden); strings.Contains(all, "1772437196") {
		t.Error(all)
	}
}
