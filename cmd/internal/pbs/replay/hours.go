package replay

import (
	"math"
	"slices"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
	"fairshare/fstree"
)

// hours are calendar time as a replay follows it: which policy holds, whose queues are open,
// and how long a job may be that starts. A nil *hours is one in which all times are alike.
type hours struct {
	*world.Hours
	prime, nonPrime fstree.Policy
	settings        fstree.HourSettings
	kinds           []hourKind // by queue

	at      stretch                 // the time of this cycle
	longest [hourKinds]float64      // how long a job may be that starts at this cycle, by the kind of its queue
	known   [knownStretches]stretch // a memory of of
	next    int
}

// hourKind is when jobs of a queue may start.
type hourKind = fstree.HourKind

const (
	anytime       = fstree.Anytime
	primeOnly     = fstree.PrimeOnly
	nonPrimeOnly  = fstree.NonPrimeOnly
	dedicatedOnly = fstree.DedicatedOnly
	hourKinds     = fstree.HourKinds
)

const knownStretches = 8

// stretch is a length of time in which nothing changes.
type stretch struct {
	from, to    int64
	isPrime     bool
	change      int64      // of prime time
	dedicated   world.Span // that it lies in, or the next one
	isDedicated bool
}

// newHours returns the hours of a replay, nil if all times are alike to it.
func newHours(w *world.World, site *pbs.Site) *hours {
	if w == nil || w.Hours == nil || site.SchedPriv == nil {
		return nil
	}
	config := site.SchedPriv.Config
	h := &hours{Hours: w.Hours, settings: config.Hours}
	h.prime, h.nonPrime = config.Prime, config.NonPrime
	h.prime.FairShare = h.prime.FairShare && site.HasTree()
	h.nonPrime.FairShare = h.nonPrime.FairShare && site.HasTree()
	return h
}

// both returns a policy that has what that of prime or that of non-prime time has, for what
// is set up once. Its keys are those of prime time before those of non-prime time.
func (h *hours) both() fstree.Policy {
	p, q := h.prime, h.nonPrime
	p.FairShare, p.ByQueue, p.RoundRobin = p.FairShare || q.FairShare, p.ByQueue || q.ByQueue, p.RoundRobin || q.RoundRobin
	p.Preemptive, p.StrictOrdering = p.Preemptive || q.Preemptive, p.StrictOrdering || q.StrictOrdering
	p.SortKeys = slices.Concat(p.SortKeys, q.SortKeys)
	return p
}

// setQueues finds out when the queues may start jobs. It reports whether anything depends on
// the time at all, from a first time on.
func (h *hours) setQueues(queues []pbs.Queue, first int64) bool {
	dedicated, _ := h.Dedicated(first) // PBS comes with some of 1998, which are over
	matters := dedicated != world.Span{}
	for _, q := range queues {
		kind := h.settings.KindOf(q.Name)
		h.kinds = append(h.kinds, kind)
		matters = matters || kind != anytime
	}
	if !h.Changes() {
		return matters
	}
	s := h.settings
	isSame := slices.Equal(h.prime.SortKeys, h.nonPrime.SortKeys) && h.prime.FairShare == h.nonPrime.FairShare &&
		h.prime.ByQueue == h.nonPrime.ByQueue && h.prime.RoundRobin == h.nonPrime.RoundRobin &&
		h.prime.Preemptive == h.nonPrime.Preemptive && h.prime.StrictOrdering == h.nonPrime.StrictOrdering
	return matters || !isSame || s.Prime.Backfill || s.NonPrime.Backfill
}

// of returns the stretch of time that a time lies in.
func (h *hours) of(at float64) stretch {
	second := int64(math.Floor(at))
	for _, m := range h.known {
		if m.from <= second && second < m.to {
			return m
		}
	}
	m := stretch{from: second, to: h.NextChange(second), isPrime: h.IsPrime(second), change: h.NextPrimeChange(second)}
	m.dedicated, m.isDedicated = h.Dedicated(second)
	h.known[h.next], h.next = m, (h.next+1)%knownStretches
	return m
}

// length returns how long a job of a queue may be that starts at a time, in seconds:
// negative infinity where none may start, infinity where any may.
func (h *hours) length(kind hourKind, at float64) float64 {
	m, second := h.of(at), math.Floor(at)
	longest := math.Inf(1)
	switch {
	case m.isDedicated != (kind == dedicatedOnly), kind == primeOnly && !m.isPrime, kind == nonPrimeOnly && m.isPrime:
		return math.Inf(-1)
	case m.isDedicated:
		longest = float64(m.dedicated.To) - second
	case m.dedicated != world.Span{}:
		longest = math.Nextafter(float64(m.dedicated.From)-second, math.Inf(-1)) // it ends before
	}
	boundary := h.boundary(m)
	isExempt := h.settings.ExemptsAnytime && kind != primeOnly && kind != nonPrimeOnly
	if boundary.Backfill && !isExempt && m.change != world.Never {
		longest = min(longest, float64(m.change+boundary.Spill)-second)
	}
	return longest
}

// boundary returns what holds at the end of the prime or non-prime time that a stretch is in.
func (h *hours) boundary(m stretch) fstree.Boundary {
	if m.isPrime {
		return h.settings.Prime
	}
	return h.settings.NonPrime
}

// changes returns when times begin and end that a plan made now looks at: as PBS's calendar,
// the next two changes of prime time, and all dedicated times.
func (h *hours) changes(now float64) []float64 {
	if h == nil {
		return nil
	}
	const most = 64
	var list []float64
	at := int64(math.Floor(now))
	for range 2 {
		if at = h.NextPrimeChange(at); at == world.Never {
			break
		}
		list = append(list, float64(at))
	}
	for s, isIn := h.Dedicated(int64(math.Floor(now))); s != (world.Span{}) && len(list) < most; s, isIn = h.Dedicated(s.To) {
		if !isIn || float64(s.From) > now {
			list = append(list, float64(s.From))
		}
		list = append(list, float64(s.To))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// allows reports whether a job of a class may start at a time to come.
func (h *hours) allows(c *class, at, length float64) bool {
	return h == nil || length <= h.length(c.kind, at)
}

// isOpen reports whether any job of a class may start at this cycle.
func (h *hours) isOpen(c *class) bool { return h == nil || h.longest[c.kind] >= 0 }

// isBounded reports whether jobs of a class may start at this cycle or not by how long they
// are.
func (h *hours) isBounded(c *class) bool { return h != nil && !math.IsInf(h.longest[c.kind], 1) }

// admits reports whether a job of a class may start at this cycle as far as the time decides.
func (h *hours) admits(c *class, length float64) bool {
	return h == nil || length <= h.longest[c.kind]
}

// turn lets the time of a cycle hold, and reports whether another policy may hold than at the
// cycle before.
func (h *hours) turn(now float64, isFirst bool) (isNew bool) {
	for kind := range h.longest {
		h.longest[kind] = h.length(hourKind(kind), now)
	}
	m := h.of(now)
	isNew = isFirst || m.to != h.at.to
	if isNew {
		h.at = m
	}
	return isNew
}

// policyAt returns the policy that holds at a time.
func (h *hours) policyAt(at int64) fstree.Policy {
	if h.IsPrime(at) {
		return h.prime
	}
	return h.nonPrime
}

// keys returns those of a group's amounts that are for the job_sort_key in force.
func (h *hours) keys(all []float64) []float64 {
	switch {
	case h == nil:
		return all
	case h.at.isPrime:
		return all[:len(h.prime.SortKeys)]
	}
	return all[len(h.prime.SortKeys):]
}

// mayTurn reports whether a change to come may let a job start that waits, where nothing has
// happened for some seconds.
func (h *hours) mayTurn(idle float64) bool {
	const patience = 8 * 24 * 3600 // seconds: a week, and a day
	return h != nil && idle <= patience
}

// usageRes returns fairshare_usage_res, nil where usage never grows within a cycle.
func (h *hours) usageRes(plan *order.Plan) *formula.Formula {
	if f := plan.UsageRes(); f != nil || h == nil || !h.prime.FairShare && !h.nonPrime.FairShare {
		return f
	}
	f, _ := formula.Parse(plan.Site.SchedPriv.Config.UsageRes)
	return f
}

// reason says how the time keeps a job of a class from starting now, "" if it does not.
func (h *hours) reason(c *class, now, length float64) string {
	if h.admits(c, length) {
		return ""
	}
	m := h.of(now)
	clock := func(at int64) string { return h.Clock(at) }
	switch {
	case m.isDedicated && c.kind != dedicatedOnly:
		return "dedicated time, which ends at " + clock(m.dedicated.To)
	case m.isDedicated:
		return "the end of dedicated time at " + clock(m.dedicated.To) + ", which it would run beyond"
	case c.kind == dedicatedOnly && m.dedicated == world.Span{}:
		return outcome.Never + "its queue is open in dedicated time only, of which there is no more"
	case c.kind == dedicatedOnly:
		return "dedicated time, which begins at " + clock(m.dedicated.From)
	case c.kind == primeOnly && !m.isPrime:
		return "prime time, which begins at " + clock(m.change) + h.roomFor(c.kind, m.change, length)
	case c.kind == nonPrimeOnly && m.isPrime:
		return "non-prime time, which begins at " + clock(m.change) + h.roomFor(c.kind, m.change, length)
	case m.dedicated != world.Span{} && length >= float64(m.dedicated.From)-math.Floor(now):
		return "dedicated time, which begins at " + clock(m.dedicated.From) + " before it would end"
	}
	return "the next change of prime time at " + clock(m.change) + ", which it would run beyond"
}

// roomFor says which walltimes the time has room for that begins for jobs of a kind, "" where it has for one of a length.
func (h *hours) roomFor(kind hourKind, begin int64, length float64) string {
	if begin == world.Never {
		return ""
	}
	longest := h.length(kind, float64(begin))
	if longest < 0 || length <= longest {
		return ""
	}
	return " and has room for walltimes up to " + report.Duration(longest)
}
