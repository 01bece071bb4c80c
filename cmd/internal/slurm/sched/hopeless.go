package sched

// hopeless is what became of a job of a class that got neither a start nor a plan.
type hopeless struct {
	cycle, changes int // when that was, see cycle.changes
	key            jobKey
	outcome        outcome
}

// isHopeless reports whether a job gets neither a start nor a plan, as another one like it since the last one that did, and what
// becomes of it. Those of a class are mostly like the one before.
func (c *cycle) isHopeless(j *Job, key *jobKey) (o outcome, isKnown bool) {
	if j.class == nil {
		o, isKnown = c.hopeless[*key]
		return o, isKnown
	}
	x := &j.class.hopeless
	if c.holds(x) && x.key == *key {
		return x.outcome, true
	}
	if o, isKnown = c.hopeless[*key]; isKnown {
		c.keepHopeless(j, key, o)
	}
	return o, isKnown
}

// holds reports whether what became of a job is of this cycle, and of no time before the last job that got a start or a plan.
func (c *cycle) holds(x *hopeless) bool {
	return x.cycle == c.remainder.cycle && x.changes == c.changes
}

// keepHopeless keeps for the class of a job what has become of it.
func (c *cycle) keepHopeless(j *Job, key *jobKey, o outcome) {
	if j.class != nil {
		j.class.hopeless = hopeless{c.remainder.cycle, c.changes, *key, o}
	}
}
