package sched

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// A job that waits for others starts once these have done what it asks for and not before, whatever runs, and never where they never
// do it; short cuts change nothing.
func TestDependencies(t *testing.T) {
	followed, stuck := map[DependencyKind]int{}, 0
	for seed := range uint64(workshop.Part(200)) {
		run := func(plain bool) []*Job {
			r := rand.New(rand.NewPCG(seed, 77))
			s := anySetup(r)
			jobs := anyJobs(r, s, 60)
			for i, j := range jobs {
				if i == 0 || r.IntN(4) > 0 {
					continue
				}
				d := &Dependency{Any: r.IntN(3) == 0, Reason: WaitsForJobs}
				for range 1 + r.IntN(2) {
					c := Condition{Kind: DependencyKind(r.IntN(3)), Jobs: []int{jobs[r.IntN(i)].ID}}
					if r.IntN(3) == 0 {
						c.Jobs = append(c.Jobs, jobs[r.IntN(i)].ID)
					}
					if c.Kind == AfterStart {
						c.Delay = r.Int64N(500)
					}
					d.Conditions = append(d.Conditions, c)
				}
				j.Depends = d
			}
			result, err := Run(context.Background(), s, jobs, Options{isPlain: plain})
			if err != nil {
				t.Fatal(err)
			}
			return result.Jobs
		}
		fast, plain := run(false), run(true)
		byID := map[int]*Job{}
		for _, j := range fast {
			byID[j.ID] = j
		}
		for i, j := range fast {
			if k := plain[i]; j.Start != k.Start || !slices.Equal(j.Shares, k.Shares) {
				t.Fatalf("seed %d: job %d starts at %d, and at %d without short cuts", seed, j.ID, j.Start, k.Start)
			}
			if j.Depends == nil {
				continue
			}
			met := metBy(j.Depends, byID)
			switch {
			case j.Start > 0 && j.Start < met:
				t.Fatalf("seed %d: job %d starts at %d, and what it waits for is met at %d", seed, j.ID, j.Start, met)
			case j.Start > 0:
				for _, c := range j.Depends.Conditions {
					followed[c.Kind]++
				}
				if j.Eligible < met && met > j.Submit {
					t.Fatalf("seed %d: the age of job %d counts since %d, before what it waits for is met at %d", seed, j.ID, j.Eligible, met)
				}
			case met == math.MaxInt64:
				stuck++
			}
		}
	}
	if followed[AfterStart] == 0 || followed[AfterEnd] == 0 || followed[AfterOK] == 0 || stuck == 0 {
		t.Errorf("%v were met, %d never", followed, stuck)
	}
}

// metBy returns when a dependency is met by what has become of jobs.
func metBy(d *Dependency, jobs map[int]*Job) int64 {
	var all []int64
	for _, c := range d.Conditions {
		at := int64(0)
		for _, id := range c.Jobs {
			of := int64(math.MaxInt64)
			switch j := jobs[id]; {
			case c.Kind == AfterStart && j.Start > 0:
				of = j.Start + c.Delay
			case c.Kind == AfterStart && j.End > 0:
				of = j.End + c.Delay
			case c.Kind == AfterEnd && j.End > 0, c.Kind == AfterOK && j.Start > 0 && j.End > 0:
				of = j.End
			}
			at = max(at, of)
		}
		all = append(all, at)
	}
	if d.Any {
		return slices.Min(all)
	}
	return slices.Max(all)
}

// A job that waits for another one says so as long as it does, and is over once it is cancelled meanwhile.
func TestWaitsForJobs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 77))
	s := anySetup(r)
	jobs := anyJobs(r, s, 2)
	first, second := jobs[0], jobs[1]
	first.CancelAt, first.Run = 0, 100_000
	second.CancelAt = 0
	second.Depends = &Dependency{Conditions: []Condition{{Kind: AfterEnd, Jobs: []int{first.ID}}}, Reason: "for the first"}
	result, err := Run(context.Background(), s, []*Job{first, second}, Options{Until: second.Submit + 10})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(result.Queue, func(w Waiting) bool { return w.ID == second.ID })
	if at < 0 || result.Queue[at].Reason != "for the first" {
		t.Errorf("%+v", result.Queue)
	}
	r = rand.New(rand.NewPCG(3, 77))
	s = anySetup(r)
	jobs = anyJobs(r, s, 2)
	jobs[0].CancelAt, jobs[0].Run = 0, 100_000
	jobs[1].CancelAt, jobs[1].Depends = jobs[1].Submit+50, second.Depends
	if _, err := Run(context.Background(), s, jobs, Options{}); err != nil || jobs[1].End != jobs[1].CancelAt || jobs[1].Start != 0 {
		t.Errorf("%v: it starts at %d and ends at %d, cancelled at %d", err, jobs[1].Start, jobs[1].End, jobs[1].CancelAt)
	}
}
