package sched

// remainder says how far the rest of a cycle can start jobs. What is free, and what limits leave, only become less
// while a cycle lasts, so that a job that cannot start at some time of it will not start later in it.
type remainder struct {
	last    int // the last job of the queue that matters
	behind  restWalk
	isKnown bool   // whether that is so after the last start and the last plan
	cycle   int    // the number of the cycle
	able    *Job   // one that limits let start since the last start, nil for none
	rooms   []room // by Job.kind
}

// room is how long a job of some kind may run that cannot start any more in a cycle, at least.
type room struct {
	cycle  int // the number of the last cycle in which that was known
	cannot int64
}

// roomKey is all of a job on which it depends whether there is room for it, besides how long it may run.
type roomKey struct {
	request     *Request
	partition   int
	reservation int32
}

// kindOf returns the number of what a job asks for and where: cycles ask of each job of a queue whether others of
// its kind could start.
func (e *engine) kindOf(j *Job) int32 {
	key := roomKey{j.Request, j.Partition, j.Reservation}
	kind, isKnown := e.kinds[key]
	if !isKnown {
		kind = int32(len(e.rooms))
		e.kinds[key], e.rooms = kind, append(e.rooms, room{})
	}
	return kind
}

// isOver reports whether no job of the queue from a place on can start in this cycle, and none tells the next cycle
// anything, so that the rest of it would make plans that hold up nobody. A cycle without short cuts makes them.
func (c *cycle) isOver(queue []*Job, from int, now int64) bool {
	x := &c.remainder
	if c.isPlain || x.isKnown && (x.last >= from || x.behind.isAt() && !c.isHeld(x.behind.job())) {
		return false
	}
	if x.behind.stop(func(of *class, j *Job) bool { return c.isOut(of, j, now) }, func(j *Job) bool { return c.matters(j, now) }) {
		x.isKnown = c.isMoved
		return false
	}
	for x.last >= from && !c.matters(queue[x.last], now) {
		x.last--
	}
	x.isKnown = c.isMoved
	return x.last < from
}

// matters reports whether the rest of a cycle has to consider a job: it might start, or be the first one that plans of
// others put off, which the next cycle has to know.
func (c *cycle) matters(j *Job, now int64) bool {
	if c.isMoved && c.claims.engine == nil && c.lacksRoom(j, j.Limit) || c.isHeld(j) || j.isGone() {
		return false
	}
	return !c.isMoved || c.canStart(j, now)
}

// isOut reports whether no job of a class matters, of which one is given: there is no room for the shortest.
func (c *cycle) isOut(of *class, j *Job, now int64) bool {
	isCounted := c.isMoved && c.claims.engine == nil // asked first is what costs least
	return isCounted && c.lacksRoom(j, of.least) || c.isHeld(j) || isCounted && !c.hasRoom(j, of.least, now)
}

// hasRoom reports whether there may be room for a job of a job's kind that runs for some time.
func (c *cycle) hasRoom(j *Job, limit, now int64) bool {
	if c.lacksRoom(j, limit) {
		return false
	}
	if !c.isRoom(c.machine, j, limit, now) {
		c.remainder.rooms[j.kind] = room{c.remainder.cycle, limit}
		return false
	}
	return true
}

// lacksRoom reports whether another job of a job's kind, of no longer a time limit than one, is known to have had no room in
// the cycle.
func (c *cycle) lacksRoom(j *Job, limit int64) bool {
	known := &c.remainder.rooms[j.kind]
	return known.cycle == c.remainder.cycle && limit >= known.cannot
}

// canStart reports whether a job might start in the rest of a cycle. If not, it cannot.
func (c *cycle) canStart(j *Job, now int64) bool {
	if cleared := c.claims.outlook(c, j); cleared != nil {
		if !c.isRoom(cleared.machine, j, j.Limit, now) {
			return false
		}
	} else if !c.hasRoom(j, j.Limit, now) {
		return false
	}
	if c.remainder.able == j {
		return true
	}
	if !c.ledger.admits(j) || c.ledger.lacks(j) {
		return false
	}
	over := c.ledger.exceeds(j, nil) // with as much as it asks for: it may be given more, but not of nodes that count already
	if over.kind == noLimit || over.kind == nodeTRES || over.at == amountNodes || over.at == amountMemory {
		c.remainder.able = j
		return true
	}
	return false
}

// takesRoom reports whether a plan may leave a job no room that had some: it has a node on which something is free now. Who judges a record asks after
// each plan, since it says of a job to which a cycle has not come that nobody could start any more.
func (c *cycle) takesRoom(p *Plan) bool {
	return c.isJudged || !c.seesRoom(c.machine) || c.claims.engine != nil || p.Nodes.Meets(c.timelines.vacantNodes(c.machine))
}

// seesRoom reports whether jobs have room on a machine on those nodes alone of which a CPU is free.
func (c *cycle) seesRoom(m *Machine) bool { return m == c.machine && !c.outlook.isPlain }

// isRoom reports whether enough of the nodes of a job's partition have room for it on a machine that are neither planned nor
// kept nor unclean.
func (c *cycle) isRoom(m *Machine, j *Job, limit, now int64) bool {
	copy(c.nodes, c.machine.Partitions[j.Partition].Nodes)
	c.nodes.intersect(c.up)
	c.nodes.subtract(c.cleaning)
	if c.seesRoom(m) {
		c.nodes.intersect(c.timelines.vacantNodes(m))
	}
	copy(c.among, c.nodes)
	c.slots.touch(c.among, c.slots.at(now), now+limit)
	exclude(c.reservations, c.among, now, now+limit, j.Reservation)
	var room space
	c.among.all(func(i int) bool {
		room.add(m.usable(j.Request, i))
		return !room.isEnough(j.Request)
	})
	return room.isEnough(j.Request)
}
