package replay

import "strings"

// refuse keeps why a start is not allowed.
func (p *pass) refuse(s *nearStart, rule, reason string) {
	if s.isTried && s.rank > notAllowed {
		return
	}
	s.isTried, s.rank, s.rule, s.reason, s.chosen = true, notAllowed, rule, reason, nil
}

// refuseFor finds out why a candidate cannot start, in the words of those who say what jobs wait for.
func (p *pass) refuseFor(s *nearStart, c *candidate) {
	e := p.engine
	g := c.group
	for _, k := range g.class.checks {
		if k.reached() {
			p.refuse(s, k.counter.limit.rule(), k.counter.limit.String())
			return
		}
	}
	if n := p.limitAhead(c); n != nil {
		p.refuse(s, n.limit.rule()+keptFor+notDelayed, n.limit.String()+keptFor+notDelayed)
		return
	}
	if reason := e.reasons.leftOut(g, c.job, &p.tries); reason != "" {
		rule := reason
		if !e.hours.isOpen(g.class) {
			rule = timeOfDay
		}
		p.refuse(s, rule, reason)
		return
	}
	if reason := e.hours.reason(g.class, e.now, e.length(c.job)); reason != "" {
		p.refuse(s, timeOfDay, reason)
		return
	}
	if reason := e.bookings.reason(c.job, g.class); reason != "" {
		p.refuse(s, "reservations", reason)
		return
	}
	reason := e.reasons.reason(g.class, c.job, &p.tries)
	rule := reason
	if p.blocked[g.queue] {
		rule, reason = isStrict, isStrict+": jobs before it that wait"
	}
	p.refuse(s, rule, reason)
}

// What does not allow a start besides limits and what jobs wait for.
const (
	timeOfDay    = "prime, non-prime and dedicated time"
	isStrict     = "strict_ordering"
	noPreemption = "no preemption"
	onUnsuited   = "vnodes that have what it asks for"
)

// IsOfOrder reports whether a rule that does not allow a start is about who goes first, or about the value of the job.
func IsOfOrder(rule string) bool {
	return rule == underThreshold || rule == isStrict || strings.HasSuffix(rule, notDelayed)
}

// Nearest returns the nearest explanation of starts that a rule does not allow, as a question; "" where none is nearer than
// another.
func Nearest(rule string) string {
	if strings.HasPrefix(rule, waitsForSet) {
		return "may jobs span placement sets there (do_not_span_psets), or is more of them free?"
	}
	switch rule {
	case timeOfDay:
		return "do holidays, dedicated_time or backfill_prime say otherwise?"
	case isStrict:
		return "is the order of jobs another one, or is strict_ordering off or backfill_depth larger?"
	case notDelayed:
		return "is the order of jobs another one, or are vnodes kept for fewer of them (backfill_depth)?"
	case noPreemption:
		return "are jobs preempted there (preemptive_sched)?"
	case WaitsForVnodes, onUnsuited:
		return "have vnodes more than the rules know, or is more of them free?"
	}
	return ""
}

// rule returns what a limit is without the name that it is about: "a limit of users on ncpus".
func (m limit) rule() string {
	text := map[byte]string{'u': "a limit of users", 'g': "a limit of groups", 'p': "a limit of projects", 's': "a limit of arrays", 'o': "a limit"}[m.kind]
	return text + m.place()
}
