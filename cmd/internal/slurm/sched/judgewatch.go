package sched

// A main pass gives most starts, and then no cycle is asked for them. So now and then a cycle is asked for itself: whom it would
// start, and who waits on beside free nodes for longer than until the next one, waits for something that the rules do not know.

// waitsBeside is a job that each cycle since a time would have started.
type waitsBeside struct {
	since int64
	nodes []int32
	at    int64 // of the last one
}

// watch asks a cycle for those that wait beside free nodes, once in some cycles, since that takes time.
func (g *judge) watch() {
	const rarely = 4 // cycles
	if g.Backfill == nil {
		return
	}
	if span := rarely * g.Backfill.Interval; g.now/span == g.watched/span { // so that nothing depends on where a record or a span begins
		return
	}
	g.watched = g.now
	g.near = g.near[:0]
	clear(g.of)
	g.ghosts, g.isHolding, g.plans = g.ghosts[:0], true, g.plans[:0]
	g.taken(g.cycle)
	g.isHolding = false
	for _, x := range g.ghosts {
		w := g.beside[x.number]
		if w == nil {
			w = &waitsBeside{since: g.now, nodes: x.nodes}
			g.beside[x.number] = w
		}
		w.at = g.now
	}
	for number, w := range g.beside {
		if w.at != g.now {
			delete(g.beside, number)
			continue
		}
		if _, isKnown := g.late[number]; !isKnown && g.now-w.since > g.unsure {
			g.late[number] = lateness{w.since, w.nodes, true, false}
		}
	}
}
