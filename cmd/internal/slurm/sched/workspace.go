package sched

// workspace is the memory of cycles, which one uses after the other.
type workspace struct {
	cycle                cycle // the last one
	nodes, among, tested Set
	unclean              Set
	hopeless             map[jobKey]outcome
	bounds               []int64  // of slots
	free                 []uint64 // of them
	planned              Set      // see nodesOf
	plans, lastPlans     plans    // of the cycle, and of the last one that was kept
}

// plans are plans and the sets of their nodes, side by side in memory.
type plans struct {
	list  []Plan
	nodes []uint64
}

// clear prepares it for a cycle over some nodes.
func (w *workspace) clear(nodes int) {
	w.nodes, w.among, w.tested = w.nodes.none(nodes), w.among.none(nodes), w.tested.none(nodes)
	if w.hopeless == nil {
		w.hopeless = map[jobKey]outcome{}
	}
	clear(w.hopeless)
	w.plans = plans{w.plans.list[:0], w.plans.nodes[:0]}
}

// newSlots returns a plan without jobs.
func (w *workspace) newSlots(begin, end int64, free Set) slots {
	return slots{bounds: append(w.bounds[:0], begin, end), free: append(w.free[:0], free...), words: len(free)}
}

// keep keeps the memory of slots that are not needed any more.
func (w *workspace) keep(s *slots) { w.bounds, w.free = s.bounds, s.free }

// keepPlans keeps the plans of a cycle that is over, until they are kept of another one.
func (w *workspace) keepPlans() { w.plans, w.lastPlans = w.lastPlans, w.plans }

// plan returns a plan with nodes of its own. Where its cycle does not keep it, it stays as it is until the next one begins.
func (w *workspace) plan(of Plan) *Plan {
	x := &w.plans
	first := len(x.nodes)
	x.nodes = append(x.nodes, of.Nodes...)
	of.Nodes = x.nodes[first:len(x.nodes):len(x.nodes)]
	x.list = append(x.list, of)
	return &x.list[len(x.list)-1]
}

// nodesOf returns the nodes of some shares, until it is asked again.
func (w *workspace) nodesOf(shares []Share) Set {
	w.planned = append(w.planned[:0], w.nodes...)
	clear(w.planned)
	for _, x := range shares {
		w.planned.Add(int(x.Node))
	}
	return w.planned
}
