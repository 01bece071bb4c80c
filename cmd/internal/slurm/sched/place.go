package sched

import "slices"

// run is a row of neighbouring nodes of the same weight that a job could use.
type run struct {
	first, last int   // places in usable
	named       int   // the place of the first node that the job wants by name, -1 for none
	cpus, nodes int32 // without those
	weight      float64
}

// usableNode is a node that a job could use, and on how many CPUs of it its tasks could run.
type usableNode struct {
	node, cpus int32
}

// placer finds nodes for jobs. It keeps its memory from one job to the next.
type placer struct {
	usable, fewer []usableNode
	ordered       []usableNode // a run of them, in the order in which they are taken
	branches      []branch     // by switch
	onFew         bool         // whether jobs still wait for no more switches than they ask for
	runs          []run
	shares        []Share
	alike         map[*Request][]*Request // of those whose nodes are to be alike
	isPlain       bool                    // for tests: each run of nodes is looked at
}

// choices returns a request with each of the lists of features that all of its nodes are to have, in the order in which
// Slurm tries them.
func (p *placer) choices(r *Request) []*Request {
	list, isKnown := p.alike[r]
	if isKnown {
		return list
	}
	for i := range r.Features {
		of := *r
		of.Features, of.Alike = r.Features[i:i+1], false
		list = append(list, &of)
	}
	if p.alike == nil {
		p.alike = map[*Request][]*Request{}
	}
	p.alike[r] = list
	return list
}

// place returns where a job would run, nil if it does not fit now: the nodes and the CPUs of each.
// The result is valid until the next call.
func (p *placer) place(m *Machine, r *Request, among Set) []Share {
	if r.Alike {
		for _, of := range p.choices(r) {
			if shares := p.place(m, of, among); shares != nil {
				return shares
			}
		}
		return nil
	}
	p.usable = p.usable[:0]
	among.all(func(i int) bool {
		p.add(i, m.usable(r, i))
		return true
	})
	return p.find(m.Cluster, r)
}

// add adds a node of which a job could use some CPUs.
func (p *placer) add(node int, cpus int32) {
	if cpus > 0 {
		p.usable = append(p.usable, usableNode{int32(node), cpus})
	}
}

// find returns where a job runs on the nodes that it could use.
func (p *placer) find(c *Cluster, r *Request) []Share {
	most := int32(0)
	for _, n := range p.usable {
		most = max(most, n.cpus)
	}
	if int32(len(p.usable)) < r.MinNodes || !p.hasNamed(r) {
		return nil
	}
	if shares := p.choose(c, r, p.usable); shares != nil {
		return shares
	}
	// What is left may be nodes with too few CPUs beside nodes with enough: those with
	// fewest are left out, step by step.
	for floor := int32(1); floor < most; floor++ {
		p.fewer = p.fewer[:0]
		for _, n := range p.usable {
			if n.cpus > floor || r.With != nil && r.With.Has(int(n.node)) {
				p.fewer = append(p.fewer, n)
			}
		}
		if len(p.fewer) == len(p.usable) {
			continue
		}
		p.usable, p.fewer = p.fewer, p.usable
		if int32(len(p.usable)) < r.MinNodes {
			return nil
		}
		if shares := p.choose(c, r, p.usable); shares != nil {
			return shares
		}
	}
	return nil
}

// hasNamed reports whether a job could use all of the nodes that it wants by name.
func (p *placer) hasNamed(r *Request) bool {
	if r.With == nil {
		return true
	}
	n := 0
	for _, x := range p.usable {
		if r.With.Has(int(x.node)) {
			n++
		}
	}
	return n == r.With.count()
}

// takeNamed lets a job have the nodes that it wants by name.
func (p *placer) takeNamed(c *Cluster, r *Request, f *filling, usable []usableNode) {
	if r.With == nil {
		return
	}
	for _, n := range usable {
		if r.With.Has(int(n.node)) {
			p.fill(c, r, f, n)
		}
	}
}

// beside returns the nodes of a run that come beside those that a job wants by name: first those behind the first of these,
// and then those before it, upwards and downwards from there (Slurm's job_test.c, _eval_nodes).
func (p *placer) beside(r *Request, usable []usableNode, x run) []usableNode {
	p.ordered = p.ordered[:0]
	add := func(n usableNode) {
		if !r.With.Has(int(n.node)) {
			p.ordered = append(p.ordered, n)
		}
	}
	for i := x.named; i <= x.last; i++ {
		add(usable[i])
	}
	for i := x.named - 1; i >= x.first; i-- {
		add(usable[i])
	}
	return p.ordered
}

// filling is how much of what a job needs is still to be found.
type filling struct {
	cpus, nodes, most int32
	spare             int32 // of the nodes, those that it can do without
}

// begin begins to fill in a job.
func (p *placer) begin(r *Request, usable []usableNode) filling {
	most := r.mostNodes()
	nodes := r.MinNodes
	if !r.NoRange {
		nodes = max(nodes, min(r.MaxNodes, most, int32(len(usable)))) // of a range, as many as there are
	}
	p.shares = p.shares[:0]
	return filling{r.CPUs, nodes, most, nodes - r.MinNodes}
}

// isEnough reports whether a job needs no further node. A node without a task has no GRES of one.
func (f *filling) isEnough(r *Request) bool {
	return f.cpus <= 0 && (f.nodes <= 0 || f.nodes <= f.spare && r.TaskGRES != nil)
}

// fill lets a job have what it needs of a node, and reports whether it may need more.
func (p *placer) fill(c *Cluster, r *Request, f *filling, n usableNode) bool {
	if f.most <= 0 || f.isEnough(r) {
		return false
	}
	others := max(f.nodes-f.spare-1, 0) * r.cpusOfOne() // are kept for each of the others
	take := r.take(r.mostOn(&c.Nodes[n.node], n.cpus), f.cpus-others)
	if f.most == 1 && take < f.cpus {
		return true // the last node has to be enough
	}
	p.shares = append(p.shares, Share{n.node, take})
	f.cpus -= take
	f.nodes--
	f.most--
	return true
}

// finish returns where a job runs, nil if it needs more than was found.
func (p *placer) finish(c *Cluster, r *Request, f filling) []Share {
	if f.nodes > f.spare || f.cpus > 0 {
		return nil
	}
	slices.SortFunc(p.shares, func(a, b Share) int { return int(a.Node - b.Node) })
	if f.cpus < 0 && !r.Exclusive && r.TasksPerNode == 0 {
		p.spread(r)
	}
	for i := range p.shares {
		x := &p.shares[i]
		if n := &c.Nodes[x.Node]; r.Exclusive { // also those that its GRES are not enough for
			x.CPUs = n.CPUs
		} else {
			x.CPUs = r.given(n, x.CPUs)
		}
	}
	return p.shares
}

// choose takes nodes from one run after the other until the job has enough.
func (p *placer) choose(c *Cluster, r *Request, usable []usableNode) []Share {
	if c.Switches != nil {
		return p.chooseByTree(c, r, usable)
	}
	f := p.begin(r, usable)
	if len(usable) == 1 && r.With == nil { // there is nothing to choose
		p.fill(c, r, &f, usable[0])
		return p.finish(c, r, f)
	}
	if i := p.oneOf(c, r, usable); i >= 0 {
		p.fill(c, r, &f, usable[i])
		return p.finish(c, r, f)
	}
	p.findRuns(c, r, usable)
	p.takeNamed(c, r, &f, usable)
	for f.most > 0 && !(r.With != nil && f.isEnough(r)) {
		best := p.bestRun(f.cpus, f.nodes-f.spare)
		if best < 0 {
			break
		}
		chosen := p.runs[best]
		members := usable[chosen.first : chosen.last+1]
		if chosen.named >= 0 {
			members = p.beside(r, usable, chosen)
		} else if f.nodes <= 1 {
			each := int32(1)
			if r.Tasks > 1 {
				each = max(1, r.CPUsPerTask)
			}
			if i := leastSufficient(members, f.cpus, each); i >= 0 && r.mostOn(&c.Nodes[members[i].node], members[i].cpus) >= f.cpus {
				members = members[i : i+1]
			}
		}
		if chosen.named < 0 && (r.JobGRES != nil || r.TaskGRES != nil) {
			members = p.fullest(members)
		}
		for _, n := range members {
			if !p.fill(c, r, &f, n) {
				break
			}
		}
		if f.isEnough(r) {
			break
		}
		p.runs = slices.Delete(p.runs, best, best+1)
	}
	return p.finish(c, r, f)
}

// oneOf returns the place of the node that a job of one node gets: of the run that bestRun finds where each is enough the node that
// leastSufficient finds, without making rows of them. It is -1 where these are asked.
func (p *placer) oneOf(c *Cluster, r *Request, usable []usableNode) int {
	if p.isPlain || r.MaxNodes != 1 || r.MinNodes > 1 || r.With != nil || r.JobGRES != nil || r.TaskGRES != nil || r.TasksPerSocket > 0 {
		return -1
	}
	each := int32(1)
	if r.Tasks > 1 {
		each = max(1, r.CPUsPerTask)
	}
	best, lightest, least, isAny := -1, 0., int32(0), false
	for i := 0; i < len(usable); {
		weight, all := c.Nodes[usable[i].node].Weight, int32(0)
		at, fewest := -1, int32(0)
		for next := usable[i].node; i < len(usable) && usable[i].node == next && c.Nodes[next].Weight == weight; next, i = next+1, i+1 {
			whole := usable[i].cpus
			if all += whole; each > 1 {
				whole -= whole % each
			}
			if whole >= r.CPUs && (at < 0 || whole < fewest) {
				at, fewest = i, whole
			} else if usable[i].cpus < r.CPUs {
				return -1
			}
		}
		if !isAny || weight < lightest || weight == lightest && all < least {
			best, lightest, least, isAny = at, weight, all, true
		}
	}
	return best
}

// mostOn returns how many of the CPUs of a node that a job could use are those of the tasks that it lets run there: of
// nodes together, Slurm counts the others as well.
func (r *Request) mostOn(n *Node, cpus int32) int32 {
	if r.TasksPerSocket > 0 && n.Sockets > 0 {
		return int32(min(int64(cpus), int64(r.TasksPerSocket)*int64(n.Sockets)*int64(max(1, r.CPUsPerTask))))
	}
	return cpus
}

// fullest returns the nodes of a run as a job takes them that asks for GRES of all of them together, or of each task: those of most use
// first, and of those that are of as much the next one behind the first, round the run.
func (p *placer) fullest(nodes []usableNode) []usableNode {
	best := 0
	for i, n := range nodes {
		if n.cpus > nodes[best].cpus {
			best = i
		}
	}
	p.ordered = append(append(p.ordered[:0], nodes[best:]...), nodes[:best]...)
	slices.SortStableFunc(p.ordered, func(a, b usableNode) int { return int(b.cpus - a.cpus) })
	return p.ordered
}

// take returns how many CPUs of a node with some that are usable go to a job that needs no more than some.
func (r *Request) take(usable, needed int32) int32 {
	each := max(1, r.CPUsPerTask)
	switch {
	case r.Exclusive:
		return max(usable, 1)
	case r.TasksPerNode > 0:
		return max(r.TasksPerNode*each, 1)
	}
	take := min(usable, needed)
	return max(take-take%each, min(each, usable), 1)
}

// spread gives a job its CPUs of nodes that have more than it needs: one task after the other to each node in turn
// (Slurm's dist_tasks.c).
func (p *placer) spread(r *Request) {
	each := max(1, r.CPUsPerTask)
	left := r.CPUs
	given := make([]int32, len(p.shares))
	for isMore := true; isMore && left > 0; {
		isMore = false
		for i, s := range p.shares {
			if given[i]+each <= s.CPUs && left > 0 {
				given[i] += each
				left -= each
				isMore = true
			}
		}
	}
	for i := range p.shares {
		p.shares[i].CPUs = max(given[i], 1)
	}
}

// mostNodes returns on how many nodes a job may run: not on more than it has tasks.
func (r *Request) mostNodes() int32 {
	most := r.MaxNodes
	if most == 0 {
		most = 1 << 30
	}
	if r.Tasks > 1 && most > r.Tasks {
		most = max(r.Tasks, r.MinNodes)
	}
	return most
}

// findRuns parts nodes into runs.
func (p *placer) findRuns(c *Cluster, r *Request, usable []usableNode) {
	p.runs = p.runs[:0]
	for i, n := range usable {
		weight := c.Nodes[n.node].Weight
		if i == 0 || n.node != usable[i-1].node+1 || weight != p.runs[len(p.runs)-1].weight {
			p.runs = append(p.runs, run{first: i, named: -1, weight: weight})
		}
		last := &p.runs[len(p.runs)-1]
		last.last = i
		if r.With != nil && r.With.Has(int(n.node)) {
			if last.named < 0 {
				last.named = i
			}
			continue
		}
		last.cpus += n.cpus
		last.nodes++
	}
}

// bestRun returns the run to take nodes from: of least weight, and of those the one that is enough
// and has fewest CPUs, or the one with most CPUs if none is enough; one with nodes that the job wants by name comes before
// those that it is tried after. -1 if there is none.
func (p *placer) bestRun(cpus, nodes int32) int {
	best, isEnough := -1, false
	for i, r := range p.runs {
		if r.nodes == 0 { // but those that the job wants by name
			continue
		}
		enough := r.cpus >= cpus && r.nodes >= nodes
		better := best < 0 || r.weight < p.runs[best].weight
		if !better && r.weight == p.runs[best].weight {
			switch {
			case enough:
				better = !isEnough || r.cpus < p.runs[best].cpus
			default:
				better = !isEnough && r.cpus > p.runs[best].cpus
			}
			better = better || r.named >= 0 && p.runs[best].named < 0
		}
		if !better && enough && !isEnough {
			better = true
		}
		if better {
			best, isEnough = i, enough
		}
	}
	return best
}

// leastSufficient returns the first of the nodes with fewest CPUs that has enough of them, -1 if none has. Of each, those
// of whole tasks count, with each CPUs.
func leastSufficient(nodes []usableNode, cpus, each int32) int {
	best, fewest := -1, int32(0)
	for i, n := range nodes {
		if whole := n.cpus - n.cpus%each; whole >= cpus && (best < 0 || whole < fewest) {
			best, fewest = i, whole
		}
	}
	return best
}
