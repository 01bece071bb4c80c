package sched

import (
	"context"
	"testing"

	"fairshare/cmd/internal/slurm"
	"fairshare/fstree"
)

// pair returns a site of two nodes of 4 CPUs, each with a partition of its own, whose full passes come every
// 100 seconds, and which computes priorities once a day.
func pair() *Setup {
	c := &Cluster{Nodes: []Node{{Name: "n0", CPUs: 4}, {Name: "n1", CPUs: 4}}}
	for i := range c.Nodes {
		c.Partitions = append(c.Partitions, Partition{Nodes: nodesOf([]Share{{Node: int32(i)}}, 2)})
	}
	conf := &slurm.Conf{CalcPeriod: 86_400, DampFactor: 1, NoNormal: map[string]bool{}, Partitions: map[string]*slurm.Partition{}}
	return &Setup{
		Cluster: c, Conf: conf, Accounts: []Account{{Parent: -1, User: -1, Limits: Unlimited(0)}, {Parent: 0, User: 0, Limits: Unlimited(0)}}, QOS: []QOS{{Limits: Unlimited(0), UsageFactor: 1}},
		Tree: []fstree.Association{{Parent: -1, Name: "root"}, {Parent: 0, Name: "u", User: true, Shares: 1}}, Interval: 100, Depth: 100,
	}
}

// asks returns a job of one node that comes at a time and runs as long as it may.
func asks(id int, at int64, partition int, cpus int32, run int64) *Job {
	return &Job{ID: id, Request: &Request{MinNodes: 1, MaxNodes: 1, CPUs: cpus, Tasks: cpus, CPUsPerTask: 1}, Association: 1, Partition: partition, Limit: run, Run: run, Submit: at, Eligible: at}
}

// When the last of some jobs starts, at the edge of what passes and cycles look at. Times count from the
// first job, which has 3 CPUs of the first node for long.
func TestEdgesOfPasses(t *testing.T) {
	const begin = 1_000_000
	for _, test := range []struct {
		name string
		set  func(s *Setup)
		jobs []*Job
		want int64 // when the last one starts
	}{
		{"behind one that waits in its partition", nil, []*Job{asks(2, 10, 0, 4, 60), asks(3, 20, 0, 1, 60)}, 5063},
		{"in another partition", nil, []*Job{asks(2, 10, 0, 4, 60), asks(3, 20, 1, 1, 60)}, 21},
		{"the last that a pass of default depth looks at", func(s *Setup) { s.Depth = 1 }, []*Job{asks(2, 10, 0, 4, 60), asks(3, 20, 1, 1, 60)}, 21},
		{"the first that it does not look at", func(s *Setup) { s.Depth = 0 }, []*Job{asks(2, 10, 0, 4, 60), asks(3, 20, 1, 1, 60)}, 100},
		{"the last that a cycle looks at", func(s *Setup) { s.Backfill = &Backfilling{Interval: 30, Resolution: 60, Window: 86_400, MaxTest: 2} }, []*Job{asks(2, 10, 0, 4, 60), asks(3, 20, 0, 1, 60)}, 31},
		{"the first that it does not look at", func(s *Setup) { s.Backfill = &Backfilling{Interval: 30, Resolution: 60, Window: 86_400, MaxTest: 1} }, []*Job{asks(2, 10, 0, 4, 60), asks(3, 20, 0, 1, 60)}, 5061},
		{"in the second of a pass, before 23.11", nil, []*Job{asks(2, 10, 1, 1, 60), asks(3, 11, 1, 1, 60)}, 11},
		{"since then", func(s *Setup) { s.Version = [2]int{23, 11} }, []*Job{asks(2, 10, 1, 1, 60), asks(3, 11, 1, 1, 60)}, 12},
		{"in a cycle since then", func(s *Setup) {
			s.Version, s.Backfill = [2]int{23, 11}, &Backfilling{Interval: 30, Resolution: 60, Window: 86_400}
		}, []*Job{asks(2, 10, 0, 4, 60), asks(3, 20, 0, 1, 60)}, 30},
		{"behind one that is cancelled", nil, []*Job{{ID: 2, Request: asks(0, 0, 0, 4, 0).Request, Association: 1, Limit: 60, Run: 60, Submit: 10, CancelAt: begin + 550}, asks(3, 20, 0, 1, 60)}, 600},
	} {
		s := pair()
		if test.set != nil {
			test.set(s)
		}
		jobs := append([]*Job{asks(1, 0, 0, 3, 5000)}, test.jobs...)
		if got := lastOf(t, s, jobs, begin).Start - begin; got != test.want {
			t.Errorf("%s: it starts at %d, want %d", test.name, got, test.want)
		}
	}
}

// lastOf runs jobs, whose submissions count from a time, and returns the last of them as it was run.
func lastOf(t *testing.T, s *Setup, jobs []*Job, begin int64) *Job {
	t.Helper()
	for _, j := range jobs {
		j.Submit, j.Eligible = j.Submit+begin, j.Submit+begin
	}
	result, err := Run(context.Background(), s, jobs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return result.Jobs[len(jobs)-1]
}

// A job that lacks nothing but nodes that a reservation keeps holds up those behind it, and one that could never run on
// the nodes that there are holds up nobody.
func TestKeptHoldsUp(t *testing.T) {
	s := pair()
	m := NewMachine(s.Cluster)
	p := newPass(m, NewMachine(s.Cluster), NewLedger(s), nodesOf([]Share{{Node: 0}, {Node: 1}}, 2), NewSet(2))
	p.now, p.reservations = 1000, []Reservation{{Nodes: nodesOf([]Share{{Node: 0}}, 2), Start: 1060, End: 2000}}
	for i, test := range []struct {
		j    *Job
		want verdict
	}{{asks(1, 0, 0, 1, 60), started}, {asks(2, 0, 0, 5, 60), absent}, {asks(3, 0, 0, 1, 61), lacks}, {asks(4, 0, 0, 1, 60), skipped}, {asks(5, 0, 1, 4, 61), started}} {
		got, shares := p.try(test.j)
		if got != test.want {
			t.Errorf("job %d: %d, want %d", i+1, got, test.want)
		}
		m.take(test.j.Request, shares)
	}
}

// What a job's stored priority has beside what is computed it keeps, unless it is a point, which rounding is.
func TestResume(t *testing.T) {
	for extra, want := range map[int64]float64{0: 0, 1: 0, -1: 0, 2: 2, 50: 50, -50: -50} {
		s := pair()
		s.Conf.Weights = slurm.Weights{Fairshare: 1000}
		j := asks(1, 0, 0, 1, 60)
		e := newEngine(context.Background(), s, workloadOf([]*Job{j}))
		j.Priority = uint32(int64(e.priorities.of(j, 0)) + extra)
		if e.resume(j); j.extra != want {
			t.Errorf("%d more: %v, want %v", extra, j.extra, want)
		}
	}
}

// Sizes of memory, in MB.
func TestMegabytes(t *testing.T) {
	for text, want := range map[string]int64{"2000": 2000, "3M": 3, "4G": 4096, "1.5g": 1536, "1T": 1 << 20, "2048K": 2, "512K": 0, "": 0, "-1": 0, "x": 0, "1e13": 0} {
		if got := megabytes(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
