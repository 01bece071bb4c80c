package replay

import (
	"cmp"
	"math"
	"slices"
)

// peak is how much more runs under a limit when a top job starts than does now, or less.
type peak struct{ at, more float64 }

// peaks are those of a limit, by their times.
type peaks struct {
	stamp uint64 // the calendar's when they were found out
	from  float64
	list  []peak
}

// limitAhead returns a limit that a job of a class keeps now, and would not at the planned start of a top job
// while it runs from one time to another, as PBS's check_limits has it: jobs that run end when they are to,
// top jobs come and go. It is nil for none. Subjobs of an array count for its %N only while they run.
func (c *calendar) limitAhead(of *class, from, to float64) *counter {
	if !c.mayExceed(of) {
		return nil
	}
	if !c.isPlanning {
		c.planHeld()
	}
	for _, k := range of.checks {
		if k.counter.limit.kind != 's' && c.exceeds(k, from, to) {
			return k.counter
		}
	}
	return nil
}

// mayExceed reports whether a job more of a class could exceed a limit if nothing ended before all top jobs
// have started, also those that are yet to be planned. Reservations count under no limit.
func (c *calendar) mayExceed(of *class) bool {
	if c.size() == c.fixed {
		return false
	}
	return c.at.isPlain || slices.ContainsFunc(of.checks, func(k check) bool {
		most := k.counter.used + k.need
		for i := c.fixed; i < len(c.tops); i++ {
			most += needUnder(c.tops[i].checks, k.counter)
		}
		if !c.isPlanning {
			for _, job := range c.held {
				most += needUnder(job.group.class.checks, k.counter)
			}
		}
		return most > k.counter.limit.most
	})
}

// exceeds reports whether a job more would exceed a limit at a planned start between two times.
func (c *calendar) exceeds(k check, from, to float64) bool {
	n := k.counter
	for _, p := range c.peaksOf(n, from) {
		if p.at < to && n.used+p.more+k.need > n.limit.most {
			return true
		}
	}
	return false
}

// needUnder returns what a job that some limits hold for needs under one of them, 0 where it is none of them.
func needUnder(checks []check, n *counter) float64 {
	if at := slices.IndexFunc(checks, func(k check) bool { return k.counter == n }); at >= 0 {
		return checks[at].need
	}
	return 0
}

// peaksOf returns the peaks of a limit after a time. They are found out once for all that start now. The
// caller does not change them.
func (c *calendar) peaksOf(n *counter, from float64) []peak {
	isNow := !c.isPlanning && from == math.Floor(c.at.now) && !c.at.isPlain
	if isNow && n.peaks.stamp == c.stamp && n.peaks.from == from {
		return n.peaks.list
	}
	var changes []peak
	add := func(at, by float64) {
		if at > from && by != 0 {
			changes = append(changes, peak{at, by})
		}
	}
	last := from
	for i := c.fixed; i < len(c.tops); i++ {
		t := &c.tops[i]
		if need := needUnder(t.checks, n); need > 0 {
			add(t.start, need)
			add(t.end, -need)
			last = max(last, t.start)
		}
	}
	for _, job := range c.at.running {
		if due := c.at.dueAt(job); due <= last {
			add(due, -needUnder(c.at.jobs[job].checks, n))
		}
	}
	// What ends in the moment in which another one starts ends first.
	slices.SortFunc(changes, func(a, b peak) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.more, b.more)) })
	var list []peak
	if isNow {
		list = n.peaks.list[:0]
	}
	sum := 0.
	for _, change := range changes {
		if sum += change.more; change.more > 0 {
			list = append(list, peak{change.at, sum})
		}
	}
	if isNow {
		n.peaks = peaks{c.stamp, from, list}
	}
	return list
}
