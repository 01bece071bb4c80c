package sched

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/workshop"
)

// keptSetup returns a random site with reservations, and jobs of which some are of arrays.
func keptSetup(seed uint64) (*Setup, []*Job) {
	r := rand.New(rand.NewPCG(seed, 31))
	s := anySetup(r)
	for i := range s.Accounts {
		s.Accounts[i].Limits = s.Accounts[i].Limits.unmetered()
	}
	for i := range s.QOS {
		s.QOS[i].Limits = s.QOS[i].Limits.unmetered()
	}
	jobs := anyJobs(r, s, 100)
	for range r.IntN(4) {
		k := Reservation{Nodes: NewSet(len(s.Nodes)), Start: jobs[0].Submit + r.Int64N(20_000)}
		k.End = k.Start + 1 + r.Int64N(10_000)
		for i := range s.Nodes {
			if r.IntN(2) == 0 {
				k.Nodes.Add(i)
			}
		}
		s.Reservations = append(s.Reservations, k)
	}
	for _, j := range jobs {
		if j.Array = r.Int32N(6); j.Array > 0 {
			j.Throttle = j.Array
		}
	}
	return s, jobs
}

// unmetered returns limits without those of what jobs use over time, which nothing tells a run that
// begins in the middle.
func (l Limits) unmetered() Limits {
	l.AllMinutes, l.RunMinutes, l.AllWall = nil, nil, None
	return l
}

// A run that begins with a site in full swing keeps all rules, and so do those with reservations and
// arrays of which only some jobs may run at a time. Short cuts change nothing where there are no
// reservations; where there are, a cycle may begin some seconds sooner or later than in the plain way.
func TestBegin(t *testing.T) {
	scenarios, begun, resumed := uint64(workshop.Part(200)), 0, 0
	for seed := range scenarios {
		run := func(plain bool) *Result {
			s, jobs := keptSetup(seed)
			middle := jobs[len(jobs)/2].Submit
			before, err := Run(context.Background(), s, jobs, Options{Until: middle, isPlain: plain})
			if err != nil {
				t.Fatal(err)
			}
			list := slices.DeleteFunc(before.Jobs, func(j *Job) bool { return j.End > 0 })
			for _, j := range list {
				switch {
				case j.Start > 0:
					begun++
				case j.Submit <= middle:
					resumed++
				}
			}
			of, _ := keptSetup(seed)
			after, err := Run(context.Background(), of, list, Options{Begin: middle, Swept: list[0].Submit, isPlain: plain})
			if err != nil {
				t.Fatal(err)
			}
			return after
		}
		s, all := keptSetup(seed)
		middle := all[len(all)/2].Submit
		fast, plain := run(false), run(true)
		for i, j := range fast.Jobs {
			if k := plain.Jobs[i]; len(s.Reservations) == 0 && (j.Start != k.Start || !slices.Equal(j.Shares, k.Shares)) {
				t.Fatalf("seed %d: job %d starts at %d on %v, and at %d on %v without short cuts", seed, j.ID, j.Start, j.Shares, k.Start, k.Shares)
			}
			if j.Start == 0 {
				continue
			}
			if why := wrong(s, j); why != "" {
				t.Fatalf("seed %d: job %d %s", seed, j.ID, why)
			}
			if j.Start < middle { // beside jobs that are over
				continue
			}
			if why := wrongAt(s, fast.Jobs, j); why != "" {
				t.Fatalf("seed %d: when job %d starts, %s", seed, j.ID, why)
			}
			for _, k := range s.Reservations {
				if j.Start < k.End && j.Start+j.Limit > k.Start && nodesOf(j.Shares, len(s.Nodes)).Meets(k.Nodes) {
					t.Fatalf("seed %d: job %d runs into a reservation", seed, j.ID)
				}
			}
			together := int32(0)
			for _, k := range fast.Jobs {
				if j.Array > 0 && k.Array == j.Array && k.Start > 0 && k.Start <= j.Start && k.End > j.Start {
					together++
				}
			}
			if together > j.Throttle {
				t.Fatalf("seed %d: %d jobs of array %d run together", seed, together, j.Array)
			}
		}
	}
	if begun < int(scenarios) || resumed < int(scenarios) {
		t.Errorf("only %d jobs ran at the begin, and %d waited: the test says little", begun, resumed)
	}
}

// A job that waits at the begin has the priority that it had until the next sweep, and keeps what no
// setting explains; one that somebody has set stays.
func TestResumedPriority(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 27))
	s := anySetup(r)
	for s.Conf.Basic {
		s = anySetup(r)
	}
	jobs := anyJobs(r, s, 3)
	const begin, begun = 1_700_010_000, 1_700_009_990
	for _, j := range jobs {
		j.Submit, j.Eligible, j.CancelAt, j.Request.Features = begin-5000, begin-5000, 0, slurm.Constraint{{"none"}} // which never starts
		j.Priority = 700_000
	}
	jobs[1].IsFixed, jobs[2].Priority = true, 0
	priorities := func(until int64) (list [3]uint32) {
		var own []*Job
		for _, j := range jobs {
			one := *j
			own = append(own, &one)
		}
		if _, err := Run(context.Background(), s, own, Options{Begin: begin, Swept: begun, Until: until}); err != nil {
			t.Fatal(err)
		}
		for i, j := range own {
			list[i] = j.Priority
		}
		return list
	}
	now, later := priorities(begin), priorities(begin+int64(s.Conf.CalcPeriod)+60)
	age := s.Conf.Weights.Age * s.Conf.CalcPeriod / s.Conf.MaxAge
	switch {
	case now[0] != 700_000 || now[1] != 700_000 || later[1] != 700_000:
		t.Errorf("priorities %v at the begin, then %v", now, later)
	case now[2] == 0 || now[2] > 20_000:
		t.Errorf("a priority that nobody knows is %d", now[2])
	case later[0] < 700_000 || float64(later[0]-700_000) > age+2:
		t.Errorf("a priority of 700000 grows to %d in a sweep, by age %.0f", later[0], age)
	}
}

// A run is over once those have started that are awaited.
func TestAwait(t *testing.T) {
	s, jobs := keptSetup(3)
	whole, err := Run(context.Background(), s, jobs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]int64{}
	for _, j := range whole.Jobs {
		want[j.ID] = j.Start
	}
	s, jobs = keptSetup(3)
	await := &Stop{Until: 1 << 40}
	last := int64(0)
	for _, j := range jobs[:20] {
		if want[j.ID] > 0 {
			await.Jobs = append(await.Jobs, j)
			last = max(last, want[j.ID])
		}
	}
	part, err := Run(context.Background(), s, jobs, Options{Stop: await})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range await.Jobs {
		if j.Start != want[j.ID] {
			t.Errorf("job %d starts at %d, and at %d in a whole run", j.ID, j.Start, want[j.ID])
		}
	}
	if len(await.Jobs) < 5 || part.Last != last || part.IsCut {
		t.Errorf("of %d jobs the last one starts at %d, and the run ends at %d", len(await.Jobs), last, part.Last)
	}
	s, jobs = keptSetup(3)
	if cut, err := Run(context.Background(), s, jobs, Options{Stop: &Stop{Jobs: jobs[len(jobs)-1:], Until: last}}); err != nil || !cut.IsCut || cut.Last > last {
		t.Errorf("a run up to %d ends at %d: %v", last, cut.Last, err)
	}
}

// Under priority/basic, who comes has less than all who wait at the begin, whenever they came.
func TestResumedBasic(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 27))
	s := anySetup(r)
	conf := *s.Conf
	conf.Basic = true
	s.Conf = &conf
	jobs := anyJobs(r, s, 4)
	const begin = 1_700_010_000
	for i, j := range jobs {
		j.Submit, j.CancelAt, j.Nice = begin-100, 0, 0
		request := *j.Request
		request.Features = slurm.Constraint{{"none"}} // which never starts
		j.Request, j.Priority = &request, 4294000000-100*uint32(i)
	}
	jobs[0].Submit, jobs[0].Priority = begin, 0
	jobs[3].Submit, jobs[3].Priority = begin+10, 0
	if _, err := Run(context.Background(), s, jobs, Options{Begin: begin, Until: begin + 20}); err != nil {
		t.Fatal(err)
	}
	if got := []uint32{jobs[1].Priority, jobs[2].Priority, jobs[0].Priority, jobs[3].Priority}; !slices.Equal(got, []uint32{4293999900, 4293999800, 4293999799, 4293999798}) {
		t.Errorf("priorities are %v", got)
	}
}
