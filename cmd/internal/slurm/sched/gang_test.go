package sched

import (
	"context"
	"slices"
	"testing"
)

// tiers returns a site of one node of two sockets of 4 cores, with GPUs and memory, and of partitions of tiers 1, 1 and
// 10, whose jobs are suspended for those of higher ones.
func tiers() *Setup {
	s := pair()
	s.Nodes = []Node{{Name: "n0", CPUs: 8, Memory: 1000, GRES: []int32{2}, Sockets: 2}}
	s.GRES = []string{"gpu"}
	s.Partitions = nil
	for _, x := range []Partition{{Name: "low", Tier: 1}, {Name: "other", Tier: 1}, {Name: "high", Tier: 10}} {
		x.Nodes = nodesOf([]Share{{Node: 0}}, 1)
		s.Partitions = append(s.Partitions, x)
	}
	for i := range s.Accounts {
		s.Accounts[i].Limits = Unlimited(1)
	}
	s.QOS[0].Limits = Unlimited(1)
	s.PreemptType, s.Preemption.Mode = "preempt/partition_prio", ModeSuspend
	return s
}

// TestGang starts and ends jobs on one node, and says which of them are suspended after each step.
func TestGang(t *testing.T) {
	const low, other, high = 0, 1, 2
	for _, test := range []struct {
		name  string
		steps []string // what happens: the first letter of a partition and CPUs, or - and the number of a start
		want  [][]int  // the jobs that are suspended then, nil for a job that does not fit
	}{
		{"cores that nobody has are taken first", []string{"l4", "h4"}, [][]int{{}, {}}},
		{"then those of lower tiers", []string{"l4", "h4", "h4"}, [][]int{{}, {}, {0}}},
		{"a job that has one of several cores is suspended whole", []string{"l8", "h1"}, [][]int{{}, {0}}},
		{"and goes on when no higher one has any of them", []string{"l8", "h1", "h1", "-1", "-2"}, [][]int{{}, {0}, {0}, {0}, {}}},
		{"higher jobs have cores of their own", []string{"h4", "h4", "h1"}, [][]int{{}, {}, nil}},
		{"lower ones get none of theirs", []string{"h4", "l5"}, [][]int{{}, nil}},
		{"a suspended job keeps its cores from those of its partition", []string{"l8", "h1", "l1"}, [][]int{{}, {0}, nil}},
		{"but not from those of another one of its tier, which share them", []string{"l8", "o8", "o1"}, [][]int{{}, {}, nil}},
		{"two of them are suspended together", []string{"l8", "o8", "h8", "-2"}, [][]int{{}, {}, {0, 1}, {}}},
		{"sockets take turns: one core of the first job is among four", []string{"l1", "l7", "h4"}, [][]int{{}, {}, {0, 1}}},
		{"and of the second one alone", []string{"h2", "l2", "l4", "h4", "h2", "-3"}, [][]int{{}, {}, {}, {1, 2}, {1, 2}, {2}}},
	} {
		s := tiers()
		g, m := newGang(s), NewMachine(s.Cluster)
		among := nodesOf([]Share{{Node: 0}}, 1)
		var all, runs []*Job
		for i, step := range test.steps {
			partition := map[byte]int{'l': low, 'o': other, 'h': high}
			if n := int(step[1] - '0'); step[0] == '-' {
				g.remove(all[n])
				runs = slices.DeleteFunc(runs, func(j *Job) bool { return j == all[n] })
			} else {
				j := asks(len(all), 0, partition[step[0]], int32(n), 60)
				j.Request.GRES = []int32{0}
				j.Shares = slices.Clone(g.place(&placer{}, m, j.Request, among, j.Partition))
				if (j.Shares == nil) != (test.want[i] == nil) {
					t.Errorf("%s: job %s gets %v", test.name, step, j.Shares)
				}
				if j.Shares == nil {
					continue
				}
				g.add(j)
				all, runs = append(all, j), append(runs, j)
			}
			got := []int{}
			g.shadow(runs, func(j *Job, isSuspended bool) {
				if isSuspended {
					got = append(got, j.ID)
				}
			})
			if slices.Sort(got); !slices.Equal(got, test.want[i]) {
				t.Errorf("%s: after %s jobs %v are suspended, want %v", test.name, step, got, test.want[i])
			}
		}
	}
}

// What is in use of a node by jobs that nobody knows is free for no job, suspended for it or not.
func TestGangBesideOthers(t *testing.T) {
	const low, high = 0, 2
	for _, test := range []struct {
		name                 string
		others, lower, comes int32 // CPUs
		want                 string
	}{
		{"none is left for a job that needs all", 4, 0, 8, "does not fit"},
		{"nor beside the cores of lower tiers", 4, 4, 5, "does not fit"},
		{"which are to be had", 4, 4, 4, "suspends"},
		{"where others leave none, jobs are suspended", 2, 6, 2, "suspends"},
		{"and where they leave enough, none is", 2, 4, 2, "fits"},
	} {
		s := tiers()
		s.Elsewhere = []Use{{CPUs: test.others}}
		g, m := newGang(s), s.Machine()
		among := nodesOf([]Share{{Node: 0}}, 1)
		job := func(id, partition int, cpus int32) *Job {
			j := asks(id, 0, partition, cpus, 60)
			j.Request.GRES = []int32{0}
			return j
		}
		var runs []*Job
		if test.lower > 0 {
			j := job(1, low, test.lower)
			j.Shares = []Share{{Node: 0, CPUs: test.lower}}
			g.add(j)
			runs = append(runs, j)
		}
		j, got := job(2, high, test.comes), "does not fit"
		if j.Shares = slices.Clone(g.place(&placer{}, m, j.Request, among, high)); j.Shares != nil {
			g.add(j)
			got = "fits"
			g.shadow(append(runs, j), func(_ *Job, isSuspended bool) {
				if isSuspended {
					got = "suspends"
				}
			})
		}
		if got != test.want {
			t.Errorf("%s: it %s, want that it %s", test.name, got, test.want)
		}
	}
}

// CPUs that a suspended job has as well as another one are in use once: what is in use beyond them is of others.
func TestKeepElsewhereOfSuspended(t *testing.T) {
	for _, test := range []struct {
		name            string
		low, high, used int32 // CPUs of a job of a low tier, of one of a high tier that started later, and those that are in use
		want            int32
	}{
		{"each has its own", 4, 4, 8, 0},
		{"the second one has all of the first, and nobody else has any", 8, 4, 8, 0},
		{"it has two of them, and others have two", 6, 4, 8, 2},
		{"it has all of the node", 4, 8, 8, 0},
	} {
		s := tiers()
		var jobs []*Job
		for i, cpus := range []int32{test.low, test.high} {
			j := asks(i+1, 0, 2*i, cpus, 60)
			j.Request.GRES, j.Start, j.Shares = []int32{0}, int64(i+1), []Share{{Node: 0, CPUs: cpus}}
			jobs = append(jobs, j)
		}
		slices.Reverse(jobs) // their order changes nothing
		if elsewhere, _ := s.KeepElsewhere(jobs, []Use{{CPUs: test.used, Memory: -1}}); elsewhere[0].CPUs != test.want {
			t.Errorf("%s: %d CPUs are taken to be of others, want %d", test.name, elsewhere[0].CPUs, test.want)
		}
	}
}

// What a job of a higher tier that comes at 130 and runs for 60 seconds does to one that has all cores since 0 for 1000:
// when it starts, and when the other one is over.
func TestSuspended(t *testing.T) {
	const begin = 1_000_000
	for _, test := range []struct {
		name        string
		set         func(s *Setup, low, high *Job)
		start, over int64
	}{
		{"it is suspended meanwhile", nil, 131, 1060},
		{"it is not by PreemptMode=OFF", func(s *Setup, low, high *Job) { s.Preemption.Partitions = []PreemptMode{ModeOff, ModeOff, ModeOff} }, 1002, 1000},
		{"nor for one of its tier", func(s *Setup, low, high *Job) { high.Partition = 0 }, 1002, 1000},
		{"nor by PreemptType=preempt/none", func(s *Setup, low, high *Job) { s.PreemptType = "preempt/none" }, 1002, 1000},
		{"it keeps its memory", func(s *Setup, low, high *Job) { low.Request.NodeMemory, high.Request.NodeMemory = 600, 600 }, 1002, 1000},
		{"of which there is enough for both", func(s *Setup, low, high *Job) { low.Request.NodeMemory, high.Request.NodeMemory = 400, 600 }, 131, 1060},
		{"it keeps its GPUs", func(s *Setup, low, high *Job) { low.Request.GRES, high.Request.GRES = []int32{1}, []int32{2} }, 1002, 1000},
	} {
		s := tiers()
		low, high := asks(1, begin, 0, 8, 1000), asks(2, begin+130, 2, 4, 60)
		low.Request.GRES, high.Request.GRES = []int32{0}, []int32{0}
		if test.set != nil {
			test.set(s, low, high)
		}
		low.Limit += 500
		if _, err := Run(context.Background(), s, []*Job{low, high}, Options{Swept: begin}); err != nil {
			t.Fatal(err)
		}
		if start, over := high.Start-begin, low.End-begin-low.Start+begin; start != test.start && start != test.start+1 || over != test.over {
			t.Errorf("%s: one starts at %d, and the other one is over after %d, want %d and %d", test.name, start, over, test.start, test.over)
		}
	}
}
