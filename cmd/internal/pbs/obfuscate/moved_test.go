package obfuscate

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/workshop"
	"fairshare/usagefile"
)

// Times are moved in whatever unit, and marks for one that is not set stay.
func TestMomentsOfAnyUnit(t *testing.T) {
	n := newNames(obfuscate.Shift{Weeks: -104})
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
	hidden, err := Snapshot(s, obfuscate.Shift{Weeks: -200, Numbers: 5})
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
