package sched

import (
	"context"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// TestForesight makes cycles over deep queues to their end: each job of which a cycle has foreseen that it is tested is tested, and none
// starts that cannot start by what it has foreseen.
func TestForesight(t *testing.T) {
	sure, ended := 0, 0
	scenarios := uint64(workshop.Part(1000))
	for seed := range scenarios {
		s, jobs := deepSite(seed)
		s.Backfill.MaxTest, s.Backfill.MaxPerUser, s.Backfill.MaxStart = []int{4, 12, 25}[seed%3], 0, 0
		e := newEngine(context.Background(), s, workloadOf(jobs))
		e.deep = []int{0, deepFrom}[seed%2]
		for steps := 0; steps < 120; steps++ {
			next := e.next()
			if next == never {
				break
			}
			e.now = next
			e.step()
			if steps%9 > 0 || e.waiting() < s.Backfill.MaxTest {
				continue
			}
			f := e.beginCycle()
			known := map[*Job]bool{} // of the entries that cannot start, whether they are tested for sure
			for f.isMoved = true; f.at < e.waiting(); {
				if f.tests < f.MaxTest {
					e.foresight.next = 0
					if f.foreseesNobody() {
						ended++
					}
					x := &e.foresight
					for i, until := range x.until {
						if at := x.from + i; at >= f.at && !known[e.queue[at]] {
							known[e.queue[at]] = until > 0
						}
					}
				}
				if !e.reach(f.at) {
					break
				}
				j := e.queue[f.at]
				if f.at++; f.isHeld(j) || f.isSeveral && j.isGone() {
					f.left = append(f.left, j)
					continue
				}
				o := f.try(j, e.now)
				if isSure, isKnown := known[j]; isKnown {
					if o.shares != nil {
						t.Errorf("seed %d, step %d: job %d starts, which could not", seed, steps, j.ID)
					}
					if isSure {
						if sure++; !o.isTested {
							t.Errorf("seed %d, step %d: job %d is not tested", seed, steps, j.ID)
						}
					}
				}
				if f.settle(j, o); o.shares != nil {
					clear(known)
				}
			}
			f.finish()
		}
	}
	if sure < int(scenarios)*20 || ended < int(scenarios) {
		t.Errorf("only %d jobs were foreseen to be tested, and %d cycles to end: the test says little", sure, ended)
	}
}

// TestCyclesEndSooner runs deep queues twice, of which cycles test few jobs: as they are, and without any short cut.
func TestCyclesEndSooner(t *testing.T) {
	scenarios, ended := uint64(max(12, workshop.Part(60))), 0 // of a few, none may have a cycle that ends sooner
	for seed := range scenarios {
		fast, _ := besidePlain(t, seed, Options{isDeep: seed%2 == 0}, func() (*Setup, []*Job) {
			s, jobs := deepSite(seed + 1000)
			s.Backfill.MaxTest, s.Backfill.MaxPerUser = []int{4, 12, 25}[seed%3], 0
			return s, jobs
		})
		ended += fast.ahead
	}
	if ended < int(scenarios) {
		t.Errorf("only %d cycles ended sooner: the test says little", ended)
	}
}

// TestRoomStays makes cycles over deep queues: where a plan takes none of the nodes on which something is free, a job that had room before it has
// room behind it.
func TestRoomStays(t *testing.T) {
	scenarios, kept := uint64(workshop.Part(100)), 0
	for seed := range scenarios {
		s, jobs := deepSite(seed)
		s.Backfill.MaxPerUser, s.Backfill.MaxStart = 0, 0
		e := newEngine(context.Background(), s, workloadOf(jobs))
		for steps := range 120 {
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
				able := map[*Job]bool{} // of the entries, whether they have room
				for _, x := range e.queue {
					able[x] = f.isRoom(f.machine, x, x.Limit, e.now)
				}
				o := f.try(j, e.now)
				if f.settle(j, o); o.plan == nil || f.takesRoom(o.plan) {
					continue
				}
				for _, x := range e.queue[f.at:] {
					if is := f.isRoom(f.machine, x, x.Limit, e.now); is != able[x] {
						t.Fatalf("seed %d, step %d: job %d has room: %v, and %v before job %d got a plan", seed, steps, x.ID, is, able[x], j.ID)
					} else if is {
						kept++
					}
				}
			}
			f.finish()
		}
	}
	if kept < int(scenarios)*20 {
		t.Errorf("only %d jobs kept their room: the test says little", kept)
	}
}
