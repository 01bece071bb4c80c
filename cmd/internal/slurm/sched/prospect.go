package sched

// A search for the start of a job goes from one moment at which nodes become free of plans to the next. Those are left out at which no node
// is free, for as long as the job runs, that what it asks for could use before the moment that follows.

// prospect is which of some nodes a request can use by a time, as far as it is known: if enough of them were free of plans, a
// job could start there by then.
type prospect struct {
	outlook *outlook
	line    *timeline
	nodes   Set
	suits   Set
	opens   int // how many openings of the timeline have come
	able    Set
}

// of makes it the prospect of a request on some nodes.
func (p *prospect) of(o *outlook, r *Request, nodes Set) *prospect {
	p.outlook, p.line, p.nodes, p.suits, p.opens = o, o.timelines.get(o.machine, r, o.running), nodes, o.timelines.suiting(o.machine, r), 0
	return p
}

// by returns the nodes that the request can use by a time, and those of which nobody has asked yet. Times are asked for in their order; isOther is
// whether these are other nodes than at the one before.
func (p *prospect) by(at int64, isFirst bool) (able Set, isOther bool) {
	x, ends := p.line, p.outlook.timelines.ends.at
	for x.jobs < len(ends) && ends[x.jobs] <= at {
		p.outlook.timelines.extend(x, x.jobs+1, p.outlook.running)
	}
	was := p.opens
	for p.opens < len(x.opens) && x.openAt[p.opens] <= at {
		p.opens++
	}
	if p.opens == was && !isFirst {
		return p.able, false
	}
	p.able = p.able[:0]
	for i, word := range p.nodes {
		able := x.free[i] | ^x.known[i]
		if p.opens > 0 {
			able |= x.opened[(p.opens-1)*len(p.nodes)+i]
		}
		p.able = append(p.able, word&p.suits[i]&able)
	}
	return p.able, true
}

// leap returns the first moment from one on at which a job is tested with another answer than that there is no node for it; 0 for none.
// Until a job has been tested once, it matters whether it is, and not only whether it can start.
func (c *cycle) leap(j *Job, later int64, isTested bool) int64 {
	if later == 0 || !c.mayLeap(j) {
		return later
	}
	var of *prospect
	if isTested && c.claims.engine == nil && !c.outlook.isPlain && !j.Request.Alike {
		of = c.prospect.of(&c.outlook, j.Request, c.nodes)
	}
	next := c.slots.leap(c.nodes, later, j.Limit, c.IsBySpan, of)
	if of != nil && next != later {
		c.leapt++
	}
	return next
}

// mayLeap reports whether the moments at which no node is free of plans need not be asked for one by one.
func (c *cycle) mayLeap(j *Job) bool {
	return !c.isPlain && len(c.reservations) == 0 && j.Request.MinNodes > 0
}
