package replay

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Cause is what jobs of a queue waited for, and for how many seconds in all: from the first
// cycle that found them waiting to their start.
type Cause struct {
	Queue, Reason string
	Seconds       float64
}

// The reasons of a Cause that are of no single job.
const (
	BehindOthers = "jobs before it that the same cycle started"
	UntilLogged  = "the record of its start"
	NextCycle    = "a later cycle"
)

// tally sums up what the jobs that wait do so for. The nil tally does nothing.
type tally struct {
	engine *engine
	since  float64 // from when on jobs wait for what they do now
	now    map[cause]int
	sums   map[cause]float64
}

// cause is what jobs of a queue wait for.
type cause struct {
	queue  int32
	reason string
}

func newTally(e *engine) *tally {
	return &tally{engine: e, now: map[cause]int{}, sums: map[cause]float64{}}
}

// upTo adds the time up to now to what jobs have waited for.
func (t *tally) upTo(at float64) {
	for c, jobs := range t.now {
		t.sums[c] += float64(jobs) * max(0, at-t.since)
	}
	t.since = at
}

// count finds what jobs wait for after a cycle.
func (t *tally) count(a *attempt) {
	if t == nil {
		return
	}
	e := t.engine
	t.upTo(e.now)
	clear(t.now)
	// Jobs of a group differ in how long they run and for how long they have been eligible.
	isAlike := e.hours == nil && !e.bookings.arePending() && e.site.Sched.Threshold == math.MinInt32
	for _, c := range e.backlog.active {
		for _, g := range c.groups {
			if len(g.members) == 0 || e.jobs[g.members[0].job].state == suspended { // which has a group of its own
				continue
			}
			if isAlike {
				t.now[cause{g.queue, named(e.keeps(g, g.members[0].job, a))}] += len(g.members)
				continue
			}
			for _, m := range g.members {
				t.now[cause{g.queue, named(e.keeps(g, m.job, a))}]++
			}
		}
	}
}

// named returns what a reason is called that is of many jobs.
func named(reason string) string {
	if strings.HasPrefix(reason, "behind ") {
		return BehindOthers
	}
	return cmp.Or(reason, NextCycle)
}

// start adds the time until the start of a job is logged.
func (t *tally) start(queue int32, at float64) {
	if t != nil {
		t.sums[cause{queue, UntilLogged}] += max(0, at-t.engine.now)
	}
}

// causes returns what jobs have waited for up to a time, what took longest first.
func (t *tally) causes(until float64) []Cause {
	if t == nil {
		return nil
	}
	t.upTo(until)
	var all []Cause
	for c, seconds := range t.sums {
		name := ""
		if c.queue >= 0 {
			name = t.engine.queues[c.queue].Name
		}
		if seconds > 0 {
			all = append(all, Cause{name, c.reason, seconds})
		}
	}
	slices.SortFunc(all, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}

// allThatFit returns the classes of jobs that fit now.
func (e *engine) allThatFit() map[*class]bool {
	fit := map[*class]bool{}
	for _, c := range e.backlog.active {
		if c.waiting > 0 && e.fitsNow(c) {
			fit[c] = true
		}
	}
	return fit
}
