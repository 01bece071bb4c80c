package replay

import (
	"cmp"
	"slices"
	"strings"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
)

// tally sums up what the jobs that wait do so for, as long as the record lasts: what comes behind it, when nobody else does, is of no
// policy. The nil tally does nothing.
type tally struct {
	last  float64 // up to when that is
	since float64 // from when on jobs wait for what they do now
	now   map[cause]int
	sums  map[cause]float64
}

// cause is what jobs of a queue wait for.
type cause struct {
	queue  int32
	reason string
}

func newTally(last int64) *tally {
	return &tally{last: float64(last), now: map[cause]int{}, sums: map[cause]float64{}}
}

// upTo adds the time up to now to what jobs have waited for.
func (t *tally) upTo(at float64) {
	for c, jobs := range t.now {
		t.sums[c] += float64(jobs) * max(0, min(at, t.last)-t.since)
	}
	t.since = at
}

// count keeps how many jobs wait for what after a cycle that begins at a time.
func (t *tally) count(at float64, waits map[cause]int) {
	t.upTo(at)
	t.now = waits
}

// named returns what a reason is called that is of many jobs.
func named(reason string) string {
	if strings.HasPrefix(reason, outcome.Behind) {
		return outcome.BehindOthers
	}
	return cmp.Or(reason, outcome.NextCycle)
}

// start adds the time until the start of a job is logged.
func (t *tally) start(queue int32, now, logged float64) {
	if t != nil {
		t.sums[cause{queue, outcome.UntilLogged}] += max(0, min(logged, t.last)-now)
	}
}

// causes returns what jobs have waited for up to a time, what took longest first.
func (t *tally) causes(until float64, queues []pbs.Queue) []outcome.Cause {
	if t == nil {
		return nil
	}
	t.upTo(until)
	var all []outcome.Cause
	for c, seconds := range t.sums {
		name := ""
		if c.queue >= 0 {
			name = queues[c.queue].Name
		}
		if seconds > 0 {
			all = append(all, outcome.Cause{Queue: name, Reason: c.reason, Seconds: seconds})
		}
	}
	slices.SortFunc(all, func(a, b outcome.Cause) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}
