package sched

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// When the last of some jobs starts while the first node is away. Times count from the first job, which has
// 3 of 4 CPUs of that node for 1000 seconds.
func TestAway(t *testing.T) {
	const begin = 1_000_000
	first := asks(1, 0, 0, 3, 1000)
	for _, test := range []struct {
		name string
		away []Outage
		jobs []*Job
		want int64 // when the last one starts, 0 for never
	}{
		{"a job that fits beside the first", nil, []*Job{asks(2, 10, 0, 1, 60)}, 11},
		{"the node is away when it comes", []Outage{{0, begin + 5, begin + 350, false}}, []*Job{asks(2, 10, 0, 1, 60)}, 351},
		{"it goes in the second of the pass", []Outage{{0, begin + 11, begin + 350, false}}, []*Job{asks(2, 10, 0, 1, 60)}, 351},
		{"it goes after the pass", []Outage{{0, begin + 12, begin + 350, false}}, []*Job{asks(2, 10, 0, 1, 60)}, 11},
		{"two things keep it away", []Outage{{0, begin + 5, begin + 350, false}, {0, begin + 200, begin + 450, false}}, []*Job{asks(2, 10, 0, 1, 60)}, 451},
		{"it never comes back", []Outage{{0, begin + 5, ForGood, false}}, []*Job{asks(2, 10, 0, 1, 60)}, 0},
		{"another node is away", []Outage{{1, begin + 5, begin + 350, false}}, []*Job{asks(2, 10, 0, 1, 60)}, 11},
		{"it was away before the first job came", []Outage{{0, begin - 50, begin - 20, false}}, []*Job{asks(2, 10, 0, 1, 60)}, 11},
		{"the first job goes on, and the next one waits for its CPUs", []Outage{{0, begin + 5, begin + 350, false}}, []*Job{asks(2, 10, 0, 4, 60)}, 1002},
		{"behind one of its partition, whose only node is away", []Outage{{1, begin + 5, begin + 350, false}}, []*Job{asks(2, 10, 1, 4, 60), asks(3, 20, 1, 1, 60)}, 412},
		{"behind one that needs more nodes than are there, so that its partition fails", []Outage{{1, begin + 5, begin + 350, false}}, []*Job{wide(2, 10, 60), asks(3, 20, 2, 1, 60)}, 1063},
		{"behind one that needs two nodes that are up", nil, []*Job{wide(2, 10, 60), asks(3, 20, 2, 1, 60)}, 1063},
	} {
		s := pair()
		both := NewSet(2)
		both.Add(0)
		both.Add(1)
		s.Partitions = append(s.Partitions, Partition{Nodes: both})
		s.Outages = test.away
		var jobs []*Job
		for _, j := range append([]*Job{first}, test.jobs...) {
			own := *j
			own.Submit, own.Eligible = own.Submit+begin, own.Submit+begin
			jobs = append(jobs, &own)
		}
		result, err := Run(context.Background(), s, jobs, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := result.Jobs[len(jobs)-1].Start
		if got > 0 {
			got -= begin
		}
		if got != test.want {
			t.Errorf("%s: it starts at %d, want %d", test.name, got, test.want)
		}
	}
}

// wide returns a job of two whole nodes.
func wide(id int, at, run int64) *Job {
	j := asks(id, at, 2, 8, run)
	j.Request.MinNodes, j.Request.MaxNodes, j.Request.TasksPerNode = 2, 2, 4
	return j
}

// anyAway returns random times in which nodes of a site are away while jobs come.
func anyAway(r *rand.Rand, s *Setup, jobs []*Job) (list []Outage) {
	first := jobs[0].Submit - 1000
	for range r.IntN(12) {
		a := Outage{Node: r.IntN(len(s.Nodes)), From: first + r.Int64N(30_000)}
		if a.To = a.From + r.Int64N(8000); r.IntN(10) == 0 {
			a.To = ForGood
		}
		list = append(list, a)
	}
	return list
}

// Random work on random sites whose nodes come and go: no job starts on a node that is away, all other rules
// hold, jobs go on, and short cuts change nothing.
func TestRulesOfAway(t *testing.T) {
	scenarios, ran, avoided := uint64(workshop.Part(300)), 0, 0
	for seed := range scenarios {
		run := func(plain bool) (*Setup, *Result) {
			r := rand.New(rand.NewPCG(seed, 61))
			s := anySetup(r)
			jobs := anyJobs(r, s, 100)
			s.Outages = anyAway(r, s, jobs)
			result, err := Run(context.Background(), s, jobs, Options{isPlain: plain})
			if err != nil {
				t.Fatal(err)
			}
			return s, result
		}
		s, fast := run(false)
		_, plain := run(true)
		for i, j := range fast.Jobs {
			if k := plain.Jobs[i]; j.Start != k.Start || j.End != k.End || !slices.Equal(j.Shares, k.Shares) {
				t.Fatalf("seed %d: job %d starts at %d on %v, and at %d on %v without short cuts", seed, j.ID, j.Start, j.Shares, k.Start, k.Shares)
			}
			if j.Start == 0 {
				continue
			}
			ran++
			if j.End != j.Start+j.Run {
				t.Fatalf("seed %d: job %d runs for %d s of %d", seed, j.ID, j.End-j.Start, j.Run)
			}
			for _, a := range s.Outages {
				isOn := slices.ContainsFunc(j.Shares, func(x Share) bool { return int(x.Node) == a.Node })
				if isOn && a.From <= j.Start && j.Start < a.To {
					t.Fatalf("seed %d: job %d starts at %d on node %d, which is away from %d to %d", seed, j.ID, j.Start, a.Node, a.From, a.To)
				}
				if !isOn && a.From <= j.Start && j.Start < a.To {
					avoided++
				}
			}
			if why := wrong(s, j); why != "" {
				t.Fatalf("seed %d: job %d %s", seed, j.ID, why)
			}
			if why := wrongAt(s, fast.Jobs, j); why != "" {
				t.Fatalf("seed %d: when job %d starts, %s", seed, j.ID, why)
			}
		}
	}
	if ran < int(scenarios)*20 || avoided < int(scenarios)*10 {
		t.Errorf("only %d jobs ran, and %d starts were while a node was away: the test says little", ran, avoided)
	}
}

// What becomes of a job that runs on a node for 1000 seconds, when another one or its own goes down at 500 for a second, and
// whose requests for it.
func TestFailure(t *testing.T) {
	const begin = 1_000_000
	for _, test := range []struct {
		name  string
		set   func(s *Setup, j *Job)
		node  int
		over  int64 // when it is over
		fails int
	}{
		{"it waits for 121 seconds, and starts anew", nil, 0, 1622, 1},
		{"another node does", nil, 1, 1001, 0},
		{"--no-requeue: it is over", func(s *Setup, j *Job) { j.NoRequeue = true }, 0, 500, 1},
		{"JobRequeue=0: it is over", func(s *Setup, j *Job) { s.NoRequeue = true }, 0, 500, 1},
		{"JobRequeue=0 and --requeue", func(s *Setup, j *Job) { s.NoRequeue, j.Requeue = true, true }, 0, 1622, 1},
		{"it is drained: the job goes on", func(s *Setup, j *Job) { s.Failures = nil }, 0, 1001, 0},
	} {
		s, j := pair(), asks(1, begin, 0, 4, 1000)
		s.Outages, s.Failures = []Outage{{test.node, begin + 500, begin + 501, false}}, []Failure{{test.node, begin + 500, begin + 501}}
		if test.set != nil {
			test.set(s, j)
		}
		result, err := Run(context.Background(), s, []*Job{j}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if over := j.End - begin; over != test.over || result.Evicted != test.fails {
			t.Errorf("%s: it is over at %d, and was killed %d times, want %d and %d", test.name, over, result.Evicted, test.over, test.fails)
		}
	}
}
