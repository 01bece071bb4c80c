package replay

import (
	"context"
	"fmt"
	"testing"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/workshop"
)

// Dependents follow their parents as those end in the replay.
func TestDependents(t *testing.T) {
	common := "user=u group=g project=p jobname=j queue=workq ctime=1772434810 qtime=1772434810 etime=0 depend=%s Resource_List.select=1:ncpus=1 Resource_List.ncpus=1 Resource_List.walltime=60"
	held := func(id, depend string) asked { // one that was never released
		return asked{id: id, at: 10, more: []string{"10 Q;" + id + ";" + fmt.Sprintf(common, depend), "900 A;" + id + ";Job deleted as result of dependency on job 1"}}
	}
	for _, test := range []struct {
		name, depend string
		exit         int
		want         string
	}{
		{"ends well", "afterok:1", 0, "1 0, 2 100"},
		{"ends badly", "afterok:1", 3, "1 0"},
		{"is not to end well", "afternotok:1", 0, "1 0"},
		{"is not to, and does not", "afternotok:1", 3, "1 0, 2 100"},
		{"ends", "afterany:1", 3, "1 0, 2 100"},
		{"starts", "after:1", 3, "1 0, 2 10"},
		{"one only", "runone:1", 0, "1 0"},
		{"one only, and the other fails", "runone:1", 3, "1 0, 2 100"},
		{"nobody knows, so that the record stands", "afterok:77", 0, "1 0, 2 10"},
	} {
		s := scenario{jobs: []asked{{id: "1", run: 100, exit: test.exit}, held("2", test.depend)}}
		if got := s.starts(t, Options{}); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	// A chain of which the first fails goes at once.
	s := scenario{jobs: []asked{{id: "1", run: 100, exit: 1}, held("2", "afterok:1"), held("3", "afterok:2"), held("4", "afterany:1")}}
	if got := s.starts(t, Options{}); got != "1 0, 4 100" {
		t.Error(got)
	}
	// One that waits in vain for a job that no vnode can hold is over once, and meets one condition.
	s = scenario{jobs: []asked{{id: "1", run: 100, exit: 1, wants: "1:ncpus=99"}, held("2", "afterok:1"), {id: "3", run: 500, wants: "1:ncpus=1"}, held("4", "afternotok:2,afterany:3")}}
	if got := s.starts(t, Options{}); got != "3 0, 4 500" {
		t.Error(got)
	}
}

// Long chains go on to their end, and break at once.
func TestLongChains(t *testing.T) {
	workshop.Long(t)
	const jobs = 10_000
	for _, exit := range []int{0, 1} {
		s := scenario{jobs: []asked{{id: "0", run: 5, exit: exit}}}
		for i := 1; i < jobs; i++ {
			id := fmt.Sprint(i)
			s.jobs = append(s.jobs, asked{id: id, more: []string{fmt.Sprintf("0 Q;%s;user=u group=g project=p jobname=j queue=workq ctime=%d qtime=%d etime=0 depend=afterok:%d Resource_List.select=1:ncpus=1 Resource_List.ncpus=1 Resource_List.walltime=5", id, zero, zero, i-1)}})
		}
		w, plan, nodes := s.load(t)
		r, err := Run(context.Background(), w, plan, nodes, Options{Ask: outcome.Ask{Watch: -1}})
		if err != nil {
			t.Fatal(err)
		}
		if exit == 0 && r.Start[jobs-1] == 0 || exit == 1 && len(r.Denied) != jobs-1 {
			t.Errorf("exit %d: %v, %d denied", exit, r.Start[jobs-1], len(r.Denied))
		}
	}
}
