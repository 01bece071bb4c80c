package accrual

import (
	"math"
	"slices"

	"fairshare/cmd/internal/trace"
)

// cycles are the times of the scheduler's cycles: at each event, and at intervals
// after it until the next.
type cycles struct {
	events   []int64
	interval int64
}

// before returns the last cycle before a time. ok is false if there is none.
func (c cycles) before(at int64) (cycle int64, ok bool) {
	i, _ := slices.BinarySearch(c.events, at)
	if i == 0 {
		return 0, false
	}
	event := c.events[i-1]
	return event + (at-1-event)/c.interval*c.interval, true
}

// after returns the first cycle after a time.
func (c cycles) after(at int64) int64 {
	i, _ := slices.BinarySearch(c.events, at+1)
	next := int64(math.MaxInt64)
	if i < len(c.events) {
		next = c.events[i]
	}
	if i > 0 {
		event := c.events[i-1]
		next = min(next, event+((at-event)/c.interval+1)*c.interval)
	}
	return next
}

// events returns when jobs arrive and when runs end, each time once, in order.
func (o *Options) events(t *trace.Trace) []int64 {
	var events []int64
	for i := range t.Jobs {
		j := t.Jobs[i]
		if !o.has(t, j) {
			continue
		}
		events = append(events, j.Arrival, j.End)
		for _, r := range j.Earlier() {
			events = append(events, r.End)
		}
	}
	events = slices.DeleteFunc(events, func(at int64) bool { return at == trace.Unknown || at < t.First || at > o.Until })
	slices.Sort(events)
	return slices.Compact(events)
}
