package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
)

// Which jobs of a list have not ended, and which of them have their resources: also those that exit, and
// those that are suspended in either way.
func TestReadNow(t *testing.T) {
	var list strings.Builder
	for i, letter := range "QHWTRSUEXF" {
		fmt.Fprintf(&list, "Job Id: %d.s\n    Job_Owner = ann@h\n    job_state = %c\n    queue = q\n    qtime = Sat Nov 21 09:00:00 2026\n    etime = Sat Nov 21 09:00:00 2026\n    stime = Sat Nov 21 09:01:10 2026\n    exec_vnode = (n1:ncpus=1)\n\n", i, letter)
	}
	all, damage, err := newTrace(Keep{}).ReadNow(text(list.String()), time.UTC)
	if err != nil || damage != (NowDamage{}) {
		t.Fatal(damage, err)
	}
	var got []string
	for _, now := range all {
		has := "waits"
		if now.State == Running && now.Start != Unknown && now.Vnodes() == "(n1:ncpus=1)" {
			has = "has"
		}
		got = append(got, fmt.Sprintf("%c %s", now.Letter, has))
	}
	if want := []string{"Q waits", "H waits", "W waits", "T waits", "R has", "S has", "U has", "E has"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A job in a state that PBS does not have, or in none, is counted: it runs if it has vnodes, and else it is
// left out.
func TestReadNowStates(t *testing.T) {
	for _, state := range []string{"    job_state = ?\n", "    job_state = Zz\n", "    job_state = r\n", ""} {
		for _, vnodes := range []string{"", "    exec_vnode = (n1:ncpus=1)\n    stime = Sat Nov 21 09:01:10 2026\n"} {
			list := "Job Id: 1.s\n    Job_Owner = ann@h\n" + state + "    queue = q\n    qtime = Sat Nov 21 09:00:00 2026\n" + vnodes + "\n"
			all, damage, err := newTrace(Keep{}).ReadNow(text(list), time.UTC)
			if err != nil || damage != (NowDamage{States: 1}) {
				t.Fatalf("%q: %+v, %v", state, damage, err)
			}
			runs := len(all) == 1 && all[0].Letter == 'R' && all[0].State == Running && all[0].Start != Unknown
			if vnodes == "" && len(all) != 0 || vnodes != "" && !runs {
				t.Errorf("%q, %q: %+v", state, vnodes, all)
			}
		}
	}
}

// What had not ended at a time, and of an array those subjobs alone of which nothing else is on record.
func TestUnended(t *testing.T) {
	const log = `03/02/2026 08:00:00;Q;1.s;user=a queue=q ctime=1772438400 qtime=1772438400 etime=1772438400
03/02/2026 08:00:00;Q;2.s;user=a queue=q ctime=1772438400 qtime=1772438400 etime=1772438400
03/02/2026 08:00:00;Q;3[].s;user=a queue=q ctime=1772438400 qtime=1772438400 etime=1772438400 array_indices=1-4
03/02/2026 08:00:00;Q;4.s;user=a queue=q ctime=1772438400 qtime=1772438400 etime=0
03/02/2026 08:10:00;S;1.s;user=a queue=q ctime=1772438400 start=1772439000
03/02/2026 08:10:00;S;3[1].s;user=a queue=q ctime=1772438400 etime=1772438400 start=1772439000
03/02/2026 08:10:00;S;3[2].s;user=a queue=q ctime=1772438400 etime=1772438400 start=1772439000
03/02/2026 08:20:00;E;3[1].s;user=a queue=q ctime=1772438400 etime=1772438400 start=1772439000 end=1772439600
03/02/2026 08:30:00;D;2.s;requestor=a@h
03/02/2026 08:40:00;L;license;
03/02/2026 09:00:00;E;1.s;user=a queue=q ctime=1772438400 start=1772439000 end=1772442000
`
	read, err := Read([]file.Source{text(log)}, time.UTC, Keep{Requests: true, Until: time.Date(2026, 3, 2, 8, 45, 0, 0, time.UTC).Unix()})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, now := range read.Unended() {
		got = append(got, fmt.Sprintf("%s %c %d", now.ID, now.Letter, now.Eligible))
	}
	slices.Sort(got)
	if want := []string{"1.s R 2700", "3[2].s R 2700", "3[3].s Q 2700", "3[4].s Q 2700"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
