package sched

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// recordingOf returns what becomes of jobs under the rules of a site, as a record has it.
func recordingOf(tb testing.TB, s *Setup, jobs []*Job) Recording {
	tb.Helper()
	asked := make([]Job, len(jobs))
	for i, j := range jobs {
		asked[i] = *j
	}
	result, err := Run(context.Background(), s, jobs, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	r := Recording{Workload: Workload{Make: func(number int) *Job {
		j := asked[number]
		return &j
	}}, Last: result.Last}
	for _, j := range jobs {
		r.Submit = append(r.Submit, j.Submit)
		run := RecordedRun{Start: j.Start, Place: j.place()}
		for _, x := range j.Shares {
			run.CPUs += x.CPUs
		}
		r.Runs = append(r.Runs, run)
	}
	r.Nodes = func(number int) (nodes []int32, isKnown bool) {
		nodes = nodeNumbers(jobs[number].Shares)
		return nodes, len(nodes) > 0
	}
	return r
}

// What the rules themselves have done is what they give.
func TestDecideOwn(t *testing.T) {
	for _, of := range []shape{{8, 10, 0.9, 20, 0}, {16, 40, 1.1, 40, 0}} {
		s, jobs := yearOf(3000, of)
		r := recordingOf(t, s, jobs)
		var starts, allowed, there, first int
		err := Decide(context.Background(), s, r, func(d *Decision) {
			if d.At == 0 {
				return
			}
			starts++
			for _, x := range []struct {
				is bool
				n  *int
			}{{d.IsAllowed, &allowed}, {d.IsThere, &there}, {d.IsFirst, &first}} {
				if x.is {
					*x.n++
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v: of %d starts %d are allowed, %d there, %d first", of, starts, allowed, there, first)
		if least := starts * 995 / 1000; starts != len(jobs) || min(allowed, there, first) < least {
			t.Errorf("%+v: of %d starts %d are allowed, %d there, %d first", of, starts, allowed, there, first)
		}
	}
}

// A job that starts where a limit does not let it is told, with that limit; and one that waits on although it may start.
func TestDecideLimit(t *testing.T) {
	s, jobs := yearOf(600, shape{8, 10, 0.9, 20, 0})
	r := recordingOf(t, s, jobs)
	limited := *s
	limited.QOS = slices.Clone(s.QOS)
	limited.QOS[0].Limits.UserJobs = 1
	rules := map[string]int{}
	if err := Decide(context.Background(), &limited, r, func(d *Decision) { rules[d.Rule]++ }); err != nil {
		t.Fatal(err)
	}
	if rules["QOSMaxJobsPerUserLimit (QOS normal)"] < len(jobs)/4 {
		t.Errorf("%v", rules)
	}
	limits := recordingOf(t, &limited, func() []*Job { _, jobs := yearOf(600, shape{8, 10, 0.9, 20, 0}); return jobs }())
	late := 0
	if err := Decide(context.Background(), s, limits, func(d *Decision) {
		if d.Since != 0 {
			late++
		}
	}); err != nil {
		t.Fatal(err)
	}
	if late < len(jobs)/4 {
		t.Errorf("%d jobs of %d kept waiting", late, len(jobs))
	}
}

// Where cycles end that have come to all starts, and where nobody looks for others, makes no difference: at random sites, judged by their own rules and by others.
func TestDecideWhole(t *testing.T) {
	decisions, differ := 0, 0
	for seed := range uint64(workshop.Part(100)) {
		r := rand.New(rand.NewPCG(seed, 46))
		s := anySetup(r)
		other := *s
		other.QOS = slices.Clone(s.QOS)
		other.QOS[0].Limits.UserJobs = int64(1 + r.IntN(2))
		for _, rules := range [][2]*Setup{{s, s}, {s, &other}, {&other, s}} {
			recorded := recordingOf(t, rules[0], anyJobs(rand.New(rand.NewPCG(seed, 47)), s, 120))
			list := func(isWhole bool) (found []string) {
				recorded.isWhole = isWhole
				err := Decide(context.Background(), rules[1], recorded, func(d *Decision) {
					d.Job = nil
					found = append(found, fmt.Sprintf("%+v", *d))
					if decisions++; !d.IsAllowed || !d.IsAlone {
						differ++
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				return found
			}
			fast, whole := list(false), list(true)
			if len(fast) != len(whole) {
				t.Fatalf("seed %d: %d decisions, and with whole cycles %d", seed, len(fast), len(whole))
			}
			for i := range whole {
				if fast[i] != whole[i] {
					t.Fatalf("seed %d: %s, and with whole cycles %s", seed, fast[i], whole[i])
				}
			}
		}
	}
	if differ < decisions/40 {
		t.Errorf("only %d of %d decisions say that something differs: the test says little", differ, decisions)
	}
}

// BenchmarkDecide judges what the rules have done in a tenth of a year on 64 nodes, and so on.
func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, jobs := yearOf(n, shape{64, 40, 0.7, 20, 0})
			r := recordingOf(b, s, jobs)
			for b.Loop() {
				if err := Decide(context.Background(), s, r, func(*Decision) {}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("another_rule", func(b *testing.B) { // every other start differs
		s, jobs := yearOf(10_000, shape{64, 40, 0.7, 20, 0})
		r := recordingOf(b, s, jobs)
		s.QOS = slices.Clone(s.QOS)
		s.QOS[0].Limits.UserJobs = 10
		for b.Loop() {
			if err := Decide(context.Background(), s, r, func(*Decision) {}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
