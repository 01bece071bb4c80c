package sched

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// ofAnyQOS makes a job one that may run under several QOS.
func ofAnyQOS(j *Job, qos ...int) *Job {
	j.AnyQOS, j.QOS = qos, qos[0]
	return j
}

// maybeAnyQOS lets a third of some jobs that are no tasks of arrays run under other QOS as well.
func maybeAnyQOS(r *rand.Rand, s *Setup, jobs []*Job) {
	for _, j := range jobs {
		if j.Array != 0 || r.IntN(3) > 0 {
			continue
		}
		list := r.Perm(len(s.QOS))
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(s.QOS[b].Priority, s.QOS[a].Priority) })
		if len(list) > 1 {
			ofAnyQOS(j, list...)
		}
	}
}

// When and under which QOS the last of some jobs starts, of which those of several QOS have 1 before 0, as high before
// normal. Times count from the first job, which has 3 of the 4 CPUs of a node for 5000 seconds, under QOS 1.
func TestSeveralQOS(t *testing.T) {
	const begin = 1_000_000
	closed := func(s *Setup, qos ...string) { s.Access = []Access{{DeniedQOS: qos}, {}} }
	for _, test := range []struct {
		name  string
		set   func(s *Setup)
		jobs  []*Job
		at    int64
		under int
	}{
		{"where nothing holds it up, it starts under the first", nil, []*Job{ofAnyQOS(asks(2, 10, 0, 1, 60), 1, 0)}, 11, 1},
		{"behind a limit of the first, under the second", func(s *Setup) { s.QOS[1].Limits.AllJobs = 1 }, []*Job{ofAnyQOS(asks(2, 10, 0, 1, 60), 1, 0)}, 11, 0},
		{"under none of which both have a limit", func(s *Setup) { s.QOS[0].Limits.AllJobs, s.QOS[1].Limits.AllJobs = 0, 1 }, []*Job{ofAnyQOS(asks(2, 10, 0, 1, 60), 1, 0)}, 5002, 1},
		{"where the partition does not take the first, under the second", func(s *Setup) { closed(s, "high") }, []*Job{ofAnyQOS(asks(2, 10, 0, 1, 60), 1, 0)}, 11, 0},
		{"in the partition that takes the first, under it", func(s *Setup) { closed(s, "high"); s.Partitions[1].Tier = 2 }, []*Job{ofAnyQOS(&Job{ID: 2, Request: asks(0, 0, 0, 1, 0).Request, Association: 1, Partitions: []int{0, 1}, Limit: 60, Run: 60, Submit: 10}, 1, 0)}, 11, 1},
		{"as it comes, it goes first by the first", func(s *Setup) { s.Conf.Weights.QOS = 1000 }, []*Job{asks(2, 10, 0, 1, 60), ofAnyQOS(asks(3, 10, 0, 1, 60), 1, 0)}, 11, 1},
		{"once priorities were computed, it goes behind others by the last", func(s *Setup) {
			s.Conf.Weights.QOS, s.Conf.CalcPeriod = 1000, 60
			s.QOS[0].Priority = 4
			s.QOS[2].Priority = 5
		}, []*Job{
			ofAnyQOS(asks(3, 10, 0, 4, 60), 1, 0), {ID: 4, Request: asks(0, 0, 0, 4, 0).Request, Association: 1, QOS: 2, Limit: 600, Run: 600, Submit: 5}, ofAnyQOS(asks(5, 11, 0, 4, 60), 1, 0)}, 5664, 1},
	} {
		s := pair()
		s.QOS = append(s.QOS, QOS{Name: "high", Limits: Unlimited(0), UsageFactor: 1, Priority: 10}, QOS{Name: "other", Limits: Unlimited(0), UsageFactor: 1})
		s.QOS[0].Name = "normal"
		if test.set != nil {
			test.set(s)
		}
		first := asks(1, 0, 0, 3, 5000)
		first.QOS, first.IsLetIn = 1, true
		jobs := append([]*Job{first}, test.jobs...)
		last := lastOf(t, s, jobs, begin)
		if got := last.Start - begin; got != test.at || last.QOS != test.under {
			t.Errorf("%s: it starts at %d under QOS %d, want %d under %d", test.name, got, last.QOS, test.at, test.under)
		}
	}
}
