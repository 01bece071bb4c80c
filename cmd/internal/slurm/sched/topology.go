package sched

import (
	"math"
	"slices"
)

// Switch is a switch of topology/tree.
type Switch struct {
	Name   string
	Parent int // its place in Cluster.Switches, -1 for none
	Level  int // 0 for a leaf, to which nodes are connected
	Nodes  Set // those below it
}

// branch is what a job could use of a switch.
type branch struct {
	nodes, cpus int32
	distance    int32 // from the leaves that are taken
	isTaken     bool
}

// isOnFew reports whether a job still waits for no more switches than it asks for.
func (s *Setup) isOnFew(j *Job, now int64) bool {
	return s.Switches != nil && j.Request.Switches > 0 && now < j.comes()+min(j.Request.SwitchWait, s.SwitchWait)
}

// bePatient notes when a job that comes no longer waits for few switches.
func (e *engine) bePatient(j *Job) {
	if e.isOnFew(j, e.now) {
		until := j.comes() + min(j.Request.SwitchWait, e.SwitchWait)
		at, _ := slices.BinarySearch(e.patience, until)
		e.patience = slices.Insert(e.patience, at, until)
	}
}

// losePatience lets the jobs start on any number of switches that have waited for long enough.
func (e *engine) losePatience() {
	for len(e.patience) > 0 && e.patience[0] <= e.now {
		e.patience = e.patience[1:]
		e.change()
	}
}

// distance returns how many links there are between two switches, -1 where there is no way.
func (c *Cluster) distance(a, b int) (n int32) {
	for a != b {
		n++
		switch x, y := &c.Switches[a], &c.Switches[b]; {
		case x.Level <= y.Level && x.Parent >= 0:
			a = x.Parent
		case y.Parent >= 0:
			b = y.Parent
		default:
			return -1
		}
	}
	return n
}

// measure finds out what a job could use of each switch.
func (p *placer) measure(c *Cluster, usable []usableNode) {
	p.branches = p.branches[:0]
	for s := range c.Switches {
		var b branch
		for _, n := range usable {
			if c.Switches[s].Nodes.Has(int(n.node)) {
				b.nodes++
				b.cpus += n.cpus
			}
		}
		p.branches = append(p.branches, b)
	}
}

// lowest returns the switch of the lowest level that is enough for a job, and of those the one with fewest nodes; -1 for
// none.
func (p *placer) lowest(c *Cluster, f filling) int {
	best := -1
	for i := range p.branches {
		b, level := &p.branches[i], c.Switches[i].Level
		if b.nodes < f.nodes-f.spare || b.cpus < f.cpus {
			continue
		}
		if best < 0 || level < c.Switches[best].Level || level == c.Switches[best].Level && b.nodes < p.branches[best].nodes {
			best = i
		}
	}
	return best
}

// lightest returns the nodes of least weight that are enough for a job together, all where none are, and how heavy the
// heaviest of them are.
func (p *placer) lightest(c *Cluster, f filling, usable []usableNode) (light []usableNode, heaviest float64) {
	for most, isLast := math.Inf(-1), false; !isLast; {
		next := math.Inf(1)
		for _, n := range usable {
			if w := c.Nodes[n.node].Weight; w > most {
				next = min(next, w)
			}
		}
		isLast, most = next == math.Inf(1), next
		light = p.ordered[:0]
		var b branch
		for _, n := range usable {
			if c.Nodes[n.node].Weight <= most {
				light = append(light, n)
				b.nodes++
				b.cpus += n.cpus
			}
		}
		if p.ordered = light; b.nodes >= f.nodes-f.spare && b.cpus >= f.cpus {
			return light, most
		}
	}
	return usable, math.Inf(-1)
}

// bestLeaf returns the leaf to take nodes from, -1 for none (Slurm's eval_nodes_tree.c, _choose_best_switch): one that is
// closer to those that are taken and suits the rest of the job no less than another one, or one as close that suits it
// better.
func (p *placer) bestLeaf(c *Cluster, cpus, nodes int32) int {
	best := -1
	for i := range p.branches {
		b := &p.branches[i]
		if c.Switches[i].Level > 0 || b.isTaken || b.nodes == 0 || b.distance < 0 {
			continue
		}
		if best < 0 {
			best = i
			continue
		}
		suits := p.compare(c, i, best, cpus, nodes)
		if there := p.branches[best].distance; b.distance < there && suits >= 0 || b.distance == there && suits > 0 {
			best = i
		}
	}
	return best
}

// compare says which of two leaves suits a job better that needs some CPUs of some nodes: above 0 for the first (Slurm's
// _compare_switches). Of those that are enough it is the one with fewest nodes; where neither is enough, those above
// them decide, up to those with the same one above them: of these, the one with most nodes does.
func (p *placer) compare(c *Cluster, i, k int, cpus, nodes int32) int {
	isEnough := func(x *branch) bool { return x.nodes >= nodes && x.cpus >= cpus }
	for {
		a, b := &p.branches[i], &p.branches[k]
		switch first, second := isEnough(a), isEnough(b); {
		case first && second:
			return int(b.nodes - a.nodes)
		case first && !second:
			return 1
		case second && !first:
			return -1
		}
		up, over := c.Switches[i].Parent, c.Switches[k].Parent
		if up == over || up < 0 || over < 0 {
			return int(a.nodes - b.nodes)
		}
		i, k = up, over
	}
}

// leavesOf returns under how many leaves the nodes of a job are.
func (c *Cluster) leavesOf(shares []Share) (n int32) {
	for i := range c.Switches {
		if s := &c.Switches[i]; s.Level == 0 && slices.ContainsFunc(shares, func(x Share) bool { return s.Nodes.Has(int(x.Node)) }) {
			n++
		}
	}
	return n
}

// chooseByTree takes nodes from one leaf after the other until the job has enough.
func (p *placer) chooseByTree(c *Cluster, r *Request, usable []usableNode) []Share {
	f := p.begin(r, usable)
	if r.With != nil {
		p.takeNamed(c, r, &f, usable)
		if f.isEnough(r) {
			return p.finish(c, r, f)
		}
		usable = slices.DeleteFunc(slices.Clone(usable), func(n usableNode) bool { return r.With.Has(int(n.node)) })
	}
	usable, heaviest := p.lightest(c, f, usable)
	p.measure(c, usable)
	if lowest := p.lowest(c, f); lowest >= 0 { // nothing beside it is taken
		near := p.ordered[:0]
		for _, n := range usable {
			if c.Switches[lowest].Nodes.Has(int(n.node)) {
				near = append(near, n)
			}
		}
		usable, p.ordered = near, near
		p.measure(c, usable)
	}
	for _, n := range usable { // all that are lighter than others that are needed
		if c.Nodes[n.node].Weight < heaviest && !p.fill(c, r, &f, n) {
			break
		}
	}
	for f.most > 0 && !f.isEnough(r) {
		leaf := p.bestLeaf(c, f.cpus, f.nodes-f.spare)
		if leaf < 0 {
			break
		}
		p.branches[leaf].isTaken = true
		for _, n := range usable {
			isNew := c.Nodes[n.node].Weight >= heaviest
			if isNew && c.Switches[leaf].Nodes.Has(int(n.node)) && !p.fill(c, r, &f, n) {
				break
			}
		}
		for i := range p.branches {
			if b := &p.branches[i]; b.distance >= 0 {
				if way := c.distance(leaf, i); way < 0 {
					b.distance = -1
				} else {
					b.distance += way
				}
			}
		}
	}
	if p.onFew && c.leavesOf(p.shares) > r.Switches {
		return nil
	}
	return p.finish(c, r, f)
}
