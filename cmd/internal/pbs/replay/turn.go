package replay

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/pbs/cluster"
)

// turn is what there is for a job when a cycle comes to it: those who start behind it may take it.
type turn struct {
	limit   string // which limit is reached, "" for none
	reason  string // why there is no room for it, "" where there is
	started int    // jobs that the cycle has started before
	of      cluster.Wanted
	limits  []limitThen // that hold for it
}

// limitThen is a limit as a cycle finds it when it comes to a job.
type limitThen struct {
	name      string // as reasons have it
	amounts   string // what it allows, and how much of that is used
	isReached bool
}

// begin notes what a job that starts needs under limits.
func (t *tries) begin(checks []check) {
	if t.watches {
		for _, k := range checks {
			t.begun[k.counter] += k.need
		}
	}
}

// noteTurn notes what there is for a job that does not start when the cycle comes to it, and so for the rest of its array.
func (a *attempt) noteTurn(c *candidate) {
	of := c.group.class
	asks := func(m member) bool { return a.watches || m.job == a.Watch }
	if of.booked != nil || !asks(c.member) && !slices.ContainsFunc(c.rest, asks) {
		return
	}
	if a.turns == nil {
		a.turns, a.sameTurn = map[int32]*turn{}, map[*class]*turn{}
	}
	is := a.sameTurn[of]
	if is == nil || is.started != a.started {
		is = a.reasons.turn(of, &a.tries)
		a.sameTurn[of] = is
	}
	a.turns[c.job] = is
	for _, m := range c.rest {
		a.turns[m.job] = is
	}
}

// begin returns what there is for the classes of jobs that wait when a cycle begins.
func (r *reasons) begin(classes []*class) map[*class]*turn {
	at := map[*class]*turn{}
	for _, c := range classes {
		if c.waiting > 0 {
			at[c] = r.turn(c, nil)
		}
	}
	return at
}

// begins returns what there was for a class when the cycle began, nil where nobody asks.
func (t *tries) begins(c *class) *turn {
	if t == nil {
		return nil
	}
	return t.atBegin[c]
}

// turn returns what there was for a job when the cycle came to it, nil where it did not or nobody asks.
func (t *tries) turn(job int32) *turn {
	if t == nil {
		return nil
	}
	return t.turns[job]
}

// turn returns what there is for jobs of a class now, when a cycle has started some. a is nil where nothing could start.
func (r *reasons) turn(c *class, a *tries) *turn {
	is := &turn{limit: c.limit(), reason: r.noRoom(c), of: r.at.state.Wanted(c.request)}
	var begun map[*counter]float64
	if a != nil {
		is.started, begun = a.started, a.begun
	}
	for _, k := range c.checks {
		is.limits = append(is.limits, limitThen{k.counter.limit.String(), k.amounts(r.at.cluster, begun[k.counter]), k.reached()})
	}
	return is
}

// withAmounts returns the reason of a class of jobs with its amounts: how much is asked for and how much is free, or what
// a limit allows and what runs under it, of which some has begun in this cycle.
func (t *turn) withAmounts(reason string) string {
	with := ""
	switch {
	case reason == limitOfVnodes:
		with = t.of.Jobs
	case strings.HasPrefix(reason, waitsForSet):
		with = t.of.Sets
	case reason == WaitsForVnodes:
		with = t.of.Chunks
	}
	for _, s := range t.of.Scarce {
		switch {
		case with != "":
		case reason == waitsForFree+s.Name && !s.IsInAll:
			with = s.Asked + " asked, " + s.Free
			for _, other := range t.of.Scarce { // PBS names the first one alone
				if other.Name != s.Name && !other.IsOfIdle {
					with += "; " + other.Asked + " " + other.Name + " asked, " + other.Free
				}
			}
		case reason == WaitsForVnodes:
			with = s.Asked + " " + s.Name + " asked, " + s.Free
		}
	}
	for _, l := range t.limits {
		if isIt := l.isReached && reason == l.name || reason == l.name+keptFor+notDelayed; isIt && with == "" {
			with = l.amounts
		}
	}
	if with == "" {
		return reason
	}
	return reason + " (" + with + ")"
}

// furtherLimits returns, where a limit is the reason, the others that are reached as well, with their amounts.
func (t *turn) furtherLimits(reason string) (list []string) {
	isReason := false
	for _, l := range t.limits {
		switch {
		case !l.isReached:
		case l.name == reason:
			isReason = true
		default:
			list = append(list, l.name+" ("+l.amounts+")")
		}
	}
	if !isReason {
		return nil
	}
	return list
}

// count returns how many jobs the cycle has started.
func (t *tries) count() int {
	if t == nil {
		return 0
	}
	return t.started
}
