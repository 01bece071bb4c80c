package sched

import (
	"context"
	"math"
	"slices"
	"testing"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/workshop"
)

// TestRecall begins cycles between those of random sites with deep queues, which start nobody: each plan that is taken from the last cycle is
// the one that a search finds, until the same time and with the same notes.
func TestRecall(t *testing.T) {
	scenarios := uint64(workshop.Part(1000))
	recalled, changed := 0, 0
	for seed := range scenarios {
		s, jobs := deepSite(seed)
		s.Backfill.IsBySpan = seed%4 > 1
		e := newEngine(context.Background(), s, workloadOf(jobs))
		for steps := range 400 {
			next := e.next()
			if next == never {
				break
			}
			e.now = next
			if e.step(); steps%3 > 0 || e.waiting() == 0 {
				continue
			}
			f := e.beginCycle()
			for j := f.next(); j != nil; j = f.next() {
				f.left = append(f.left, j)
				if f.isHeld(j) {
					continue
				}
				m, was, until, isMoved := f.recollection, f.cycle.recalled, f.until, f.isMoved
				o := f.try(j, e.now)
				if o.plan == nil {
					continue
				}
				if f.cycle.recalled > was {
					if recalled++; len(m.changes) > 0 {
						changed++
					}
					x := m.is[len(m.is)-1]
					shares := slices.Clone(m.isOf[x.shares:])
					f.until, f.isMoved = math.MaxInt64, false
					found := f.find(j, e.now, false)
					isSame := found.plan != nil && found.plan.isLike(o.plan) && slices.Equal(found.placed, shares) && found.isDated == o.isDated
					if !isSame || f.until != x.until || f.isMoved != x.isMoved {
						t.Fatalf("seed %d, step %d: job %d is planned as before, %+v until %d, and a search finds %+v until %d",
							seed, steps, j.ID, o.plan, x.until, found.plan, f.until)
					}
					f.until, f.isMoved = min(until, x.until), isMoved || x.isMoved
				}
				if f.reserve(o.plan); !f.isPlanned(j) {
					f.rejected = tasks{}
				}
			}
			f.finish()
		}
	}
	if recalled < int(scenarios)*20 || changed < int(scenarios)*10 {
		t.Errorf("only %d plans were taken from the last cycle, %d of them although something had changed: the test says little", recalled, changed)
	}
}

// TestRecallAmongOthers runs deep queues twice, as they are and without any short cut, in which some jobs get plans of which no cycle
// knows on what they depend: those whose nodes are to have the same of several features, those that start now or get no plan, and those
// that start nowhere. The plans of others depend on these.
func TestRecallAmongOthers(t *testing.T) {
	scenarios, recalled := uint64(workshop.Part(100)), 0
	seeds := []uint64{206, 207, 208} // of jobs that started at other times while such plans were not kept
	for seed := range scenarios {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		fast, _ := besidePlain(t, seed, Options{isDeep: seed%2 == 0}, func() (*Setup, []*Job) {
			s, jobs := deepSite(seed)
			for i := range s.Nodes {
				s.Nodes[i].Features = append(slices.Clip(s.Nodes[i].Features), []string{"one", "other"}[i%2])
			}
			for i := range s.QOS {
				s.QOS[i].NoReserve = seed%3 == 0 && i%2 == 0
			}
			for i, j := range jobs {
				if i%3 > 0 || j.Array != 0 {
					continue
				}
				q := *j.Request
				if j.Request = &q; seed%3 > 0 && q.MaxNodes != 1 {
					q.Features, q.Alike = slurm.Constraint{{"one"}, {"other"}}, true
				}
				q.Counted = seed%3 == 0 && i%2 == 0
			}
			return s, jobs
		})
		recalled += fast.recalled
	}
	if recalled < int(scenarios)*20 {
		t.Errorf("only %d plans were taken from the last cycle: the test says little", recalled)
	}
}
