package sched

import "slices"

// In which states a pass and a cycle are asked: what happened first within a second, no record tells.

// ask asks a main pass, and where that does not give the starts a cycle.
func (g *judge) ask() {
	if len(g.of) == 0 {
		return
	}
	if !g.isSettled() {
		g.within(func() { g.pass(len(g.queue)) })
	}
	if g.Backfill != nil && !g.isSettled() {
		g.within(g.cycle)
	}
	if len(g.near) > 1 && g.isOpen() {
		for _, s := range g.near {
			if s.isOpen() {
				g.askLast(s)
			}
		}
	}
}

// askLast asks for a start as if all others of its second had come before it.
func (g *judge) askLast(s *nearStart) {
	after := func(try func()) func() {
		return func() {
			for _, other := range g.near {
				if j := other.job; other != s && j != nil && j.Start == 0 {
					entry := g.entryOf(other)
					g.willStart(entry)
					g.engine.start(entry, g.shares(other, entry, g.settled))
					g.queue = slices.DeleteFunc(g.queue, func(x *Job) bool { return x.whole() == j })
				}
			}
			try()
		}
	}
	g.within(after(func() { g.pass(len(g.queue)) }))
	if g.Backfill != nil && s.isOpen() {
		g.within(after(g.cycle))
	}
}

// askAll asks whether nodes are clean or not.
func (g *judge) askAll() {
	g.ask()
	g.askClean()
	g.askDoubtful()
}

// askClean asks as if all nodes were clean on which jobs are over: how long that takes nobody knows.
func (g *judge) askClean() {
	if len(g.cleaning) == 0 || !g.isOpen() {
		return
	}
	g.turnClean(g.cleaning, true)
	g.ask()
	g.turnClean(g.cleaning, false)
}

// askDoubtful asks as if of the jobs that have just been over those had been so, and their nodes clean, whose nodes the starts
// had, and no others: what comes first within a second no record tells.
func (g *judge) askDoubtful() {
	const second = 1
	isAsked := slices.ContainsFunc(g.near, func(s *nearStart) bool { return s.isOpen() || !s.isSettled() && s.rank == asItIs })
	if !isAsked {
		return
	}
	had := NewSet(len(g.Setup.Nodes))
	for _, s := range g.near {
		for _, i := range s.nodes {
			had.Add(int(i))
		}
	}
	var clean, unclean, runs, stillRuns []*Job
	for _, j := range g.cleaning {
		switch isHad := nodesOf(j.Shares, len(g.Setup.Nodes)).Meets(had); {
		case isHad:
			clean = append(clean, j)
		case j.End >= g.now-second:
			stillRuns = append(stillRuns, j)
		}
	}
	for _, j := range g.over {
		switch isHad := nodesOf(j.Shares, len(g.Setup.Nodes)).Meets(had); {
		case isHad:
		case j.End >= g.now-second:
			runs = append(runs, j)
		default:
			unclean = append(unclean, j)
		}
	}
	if len(clean)+len(unclean)+len(runs)+len(stillRuns) == 0 {
		return
	}
	g.turnClean(clean, true)
	g.turnClean(unclean, false)
	g.turnClean(runs, false)
	stillRuns = append(stillRuns, runs...)
	g.turnOver(stillRuns, false)
	g.ask()
	g.turnOver(stillRuns, true)
	g.turnClean(runs, true)
	g.turnClean(unclean, true)
	g.turnClean(clean, false)
}

// turnOver lets jobs that are over go on, and be over again.
func (g *judge) turnOver(jobs []*Job, isOver bool) {
	for _, j := range jobs {
		if isOver {
			g.freed.release(j)
			g.gang.remove(j)
			g.ledger.count(j, -1)
			at := slices.IndexFunc(g.running, func(b runningJob) bool { return b.job == j })
			g.running = slices.Delete(g.running, at, at+1)
			continue
		}
		g.freed.hold(j)
		g.gang.add(j)
		g.ledger.count(j, 1)
		of := newRunningJob(j, len(g.Setup.Nodes))
		at, _ := slices.BinarySearchFunc(g.running, of, runningJob.compare)
		g.running = slices.Insert(g.running, at, of)
	}
}

// turnClean lets the nodes of jobs that are over be clean, or not.
func (g *judge) turnClean(jobs []*Job, isClean bool) {
	sign, by := int32(1), -1
	if !isClean {
		sign, by = -1, 1
	}
	for _, j := range jobs {
		g.settled.moveJob(j, sign)
		for _, x := range j.Shares {
			g.unclean[x.Node] += by
		}
	}
}
