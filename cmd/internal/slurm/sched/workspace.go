package sched

// workspace is the memory of cycles, which one uses after the other; that of plans is set aside for many at once.
type workspace struct {
	cycle                cycle // the last one
	nodes, among, tested Set
	unclean              Set
	hopeless             map[jobKey]outcome
	bounds               []int64  // of slots
	free                 []uint64 // of them
	plans                []Plan
	planned              []uint64
}

const plansAtOnce = 32

// clear prepares it for a cycle over some nodes.
func (w *workspace) clear(nodes int) {
	w.nodes, w.among, w.tested = w.nodes.none(nodes), w.among.none(nodes), w.tested.none(nodes)
	if w.hopeless == nil {
		w.hopeless = map[jobKey]outcome{}
	}
	clear(w.hopeless)
}

// newSlots returns a plan without jobs.
func (w *workspace) newSlots(begin, end int64, free Set) slots {
	return slots{bounds: append(w.bounds[:0], begin, end), free: append(w.free[:0], free...), words: len(free)}
}

// keep keeps the memory of slots that are not needed any more.
func (w *workspace) keep(s *slots) { w.bounds, w.free = s.bounds, s.free }

// plan returns a plan in memory of its own.
func (w *workspace) plan(of Plan) *Plan {
	if len(w.plans) == 0 {
		w.plans = make([]Plan, plansAtOnce)
	}
	p := &w.plans[0]
	*p, w.plans = of, w.plans[1:]
	return p
}

// nodesOf returns the nodes of some shares, in memory of their own.
func (w *workspace) nodesOf(shares []Share) Set {
	n := len(w.nodes)
	if len(w.planned) < n {
		w.planned = make([]uint64, n*plansAtOnce)
	}
	s := Set(w.planned[:n:n])
	w.planned = w.planned[n:]
	for _, x := range shares {
		s.Add(int(x.Node))
	}
	return s
}
