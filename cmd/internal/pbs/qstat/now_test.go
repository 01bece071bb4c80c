package qstat

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

func source(text string) file.Source {
	return file.Source{Name: "list", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// Which jobs of a list have not ended, and which of them have their resources: also those that exit, and
// those that are suspended in either way.
func TestReadNow(t *testing.T) {
	var list strings.Builder
	for i, letter := range "QHWTRSUEXF" {
		fmt.Fprintf(&list, "Job Id: %d.s\n    Job_Owner = ann@h\n    job_state = %c\n    queue = q\n    qtime = Sat Nov 21 09:00:00 2026\n    etime = Sat Nov 21 09:00:00 2026\n    stime = Sat Nov 21 09:01:10 2026\n    exec_vnode = (n1:ncpus=1)\n\n", i, letter)
	}
	all, damage, err := ReadNow(trace.NewTrace(trace.Keep{}), source(list.String()), time.UTC)
	if err != nil || damage != (ListDamage{}) {
		t.Fatal(damage, err)
	}
	var got []string
	for _, now := range all {
		has := "waits"
		if now.State == trace.Running && now.Start != trace.Unknown && now.Vnodes() == "(n1:ncpus=1)" {
			has = "has"
		}
		got = append(got, fmt.Sprintf("%c %s", now.Letter, has))
	}
	if want := []string{"Q waits", "H waits", "W waits", "T waits", "R has", "S has", "U has", "E has"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A job of which the list tells no eligible_time has none, as in an order of the list, however long it has waited.
func TestReadNowEligible(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "    eligible_time = 00:10:00\n": 600, "    eligible_time = -\n": 0} {
		list := "Job Id: 1.s\n    Job_Owner = ann@h\n    job_state = Q\n    queue = q\n    etime = Sat Nov 21 09:00:00 2026\n" + text + "\n"
		all, _, err := ReadNow(trace.NewTrace(trace.Keep{}), source(list), time.UTC)
		if err != nil || len(all) != 1 || all[0].Eligible != want {
			t.Errorf("%q: %+v, %v", text, all, err)
		}
	}
}

// A job in a state that PBS does not have, or in none, is counted: it runs if it has vnodes, and else it is
// left out.
func TestReadNowStates(t *testing.T) {
	for _, state := range []string{"    job_state = ?\n", "    job_state = Zz\n", "    job_state = r\n", ""} {
		for _, vnodes := range []string{"", "    exec_vnode = (n1:ncpus=1)\n    stime = Sat Nov 21 09:01:10 2026\n"} {
			list := "Job Id: 1.s\n    Job_Owner = ann@h\n" + state + "    queue = q\n    qtime = Sat Nov 21 09:00:00 2026\n" + vnodes + "\n"
			all, damage, err := ReadNow(trace.NewTrace(trace.Keep{}), source(list), time.UTC)
			if err != nil || damage != (ListDamage{States: 1}) {
				t.Fatalf("%q: %+v, %v", state, damage, err)
			}
			runs := len(all) == 1 && all[0].Letter == 'R' && all[0].State == trace.Running && all[0].Start != trace.Unknown
			if vnodes == "" && len(all) != 0 || vnodes != "" && !runs {
				t.Errorf("%q, %q: %+v", state, vnodes, all)
			}
		}
	}
}

// qstat -xf in its forms.
func TestQstat(t *testing.T) {
	const asText = `Job Id: 1.s
    Job_Name = x
    euser = ann
    egroup = bio
    job_state = F
    queue = q
    ctime = Sat Nov 21 09:00:00 2026
    qtime = Sat Nov 21 09:00:00 2026
    etime = Sat Nov 21 09:00:10 2026
    stime = Sat Nov 21 09:01:10 2026
    obittime = Sat Nov 21 10:01:10 2026
    Exit_status = 0
    Resource_List.ncpus = 4
    Resource_List.walltime = 02:00:00

`
	const asJSON = `{"timestamp":1,"Jobs":{"1.s":{"Job_Name":"x","euser":"ann","egroup":"bio","job_state":"F","queue":"q","ctime":"Sat Nov 21 09:00:00 2026","etime":"Sat Nov 21 09:00:10 2026",
"stime":"Sat Nov 21 09:01:10 2026","obittime":"Sat Nov 21 10:01:10 2026","Exit_status":0,"Resource_List":{"ncpus":4,"walltime":"02:00:00"}}}}`
	for _, list := range []string{asText, asJSON} {
		tr, err := trace.Read([]file.Source{source(list)}, time.UTC, trace.Keep{}, Records())
		if err != nil || len(tr.Jobs) != 1 || len(tr.Problems) > 0 {
			t.Fatalf("%+v (%v)", tr, err)
		}
		j := tr.Jobs[0]
		wait, _ := j.Wait()
		run, _ := j.Run()
		if wait != 60 || run != 3600 || j.NCPUs != 4 || j.Walltime != 7200 || tr.Names.List[j.User] != "ann" || j.Exit != 0 {
			t.Errorf("%+v", j)
		}
	}
}
