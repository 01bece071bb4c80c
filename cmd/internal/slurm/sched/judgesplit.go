package sched

import "slices"

// How many CPUs a job has of each of several nodes is in no record: it is what the rules give it of these nodes. Where a
// later start shows that this is wrong, since it would not fit on the nodes that it had, it is put right.

// heal makes room for a start on the nodes that it had: of running jobs of several nodes, CPUs are taken to be on others of
// their nodes, as far as these are free.
func (g *judge) heal(s *nearStart) {
	short := s.run.CPUs
	if !s.isKnown || short == 0 || s.job == nil || g.gang != nil {
		return
	}
	on := NewSet(len(g.Setup.Nodes))
	for _, i := range s.nodes {
		on.Add(int(i))
		short -= max(0, g.freed.cpus[i])
	}
	for _, i := range s.nodes {
		lacks := max(short, 1-g.freed.cpus[i])
		if lacks <= 0 {
			continue
		}
		for _, b := range g.running {
			if lacks > 0 && b.nodes.Has(int(i)) && len(b.job.Shares) > 1 && !b.job.Request.Exclusive {
				moved := g.move(b.job, i, on, lacks)
				if moved > 0 {
					g.moved[g.numbers[b.job]] = true
				}
				lacks -= moved
				short -= moved
			}
		}
	}
}

// move moves up to some CPUs of a running job from a node to others of its nodes, but to none of some, and returns how many.
func (g *judge) move(j *Job, from int32, but Set, most int32) (moved int32) {
	var source *Share
	for i := range j.Shares {
		if j.Shares[i].Node == from {
			source = &j.Shares[i]
		}
	}
	g.settled.release(j)
	g.freed.release(j)
	for i := range j.Shares {
		to := &j.Shares[i]
		if to == source || but.Has(int(to.Node)) {
			continue
		}
		n := max(0, min(most-moved, source.CPUs-1, g.freed.cpus[to.Node]-to.CPUs))
		source.CPUs -= n
		to.CPUs += n
		moved += n
	}
	g.settled.hold(j)
	g.freed.hold(j)
	return moved
}

// doubt notes whether it is known how many CPUs a job that has started has of each of its nodes: not where the rules would
// not have started it there, nor where others run of which it is not known.
func (g *judge) doubt(s *nearStart) {
	j := s.job
	if len(j.Shares) < 2 || j.Request.Exclusive || s.shares != nil && !g.areDoubtful(s.nodes) {
		return
	}
	g.splits[s.number] = true
	for _, x := range j.Shares {
		g.unsplit[x.Node]++
	}
}

// settleSplit forgets a job that is over.
func (g *judge) settleSplit(number int, j *Job) {
	if g.splits[number] {
		for _, x := range j.Shares {
			g.unsplit[x.Node]--
		}
		delete(g.splits, number)
	}
	delete(g.moved, number)
}

// areMoved reports whether on one of some nodes a job runs whose CPUs were shown to be on others of its nodes than the rules
// have them: what is free there, nobody knows.
func (g *judge) areMoved(nodes []int32) bool {
	if len(g.moved) == 0 {
		return false
	}
	for _, b := range g.running {
		if g.moved[g.numbers[b.job]] && slices.ContainsFunc(nodes, func(i int32) bool { return b.nodes.Has(int(i)) }) {
			return true
		}
	}
	return false
}

// areDoubtful reports whether on one of some nodes a job runs of which it is not known how many CPUs it has there.
func (g *judge) areDoubtful(nodes []int32) bool {
	return slices.ContainsFunc(nodes, func(i int32) bool { return g.unsplit[i] > 0 })
}

// isDoubtful reports whether such a job runs on one of the nodes that a start has and the rules do not give it, or the
// other way round: they may choose others for that alone.
func (g *judge) isDoubtful(s *nearStart) bool {
	only := func(of, but []int32) (list []int32) {
		return slices.DeleteFunc(slices.Clone(of), func(i int32) bool { return slices.Contains(but, i) })
	}
	return g.areDoubtful(only(s.nodes, s.chosen)) || g.areDoubtful(only(s.chosen, s.nodes))
}

// isOfRoom reports whether a rule is about room on nodes.
func isOfRoom(rule string) bool {
	return rule == onInUse || rule == onKept || rule == waitsBehind || rule == waitsForPlans
}
