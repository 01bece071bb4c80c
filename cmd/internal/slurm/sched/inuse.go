package sched

import (
	"cmp"
	"slices"
)

// Use is how much of a node is in use, or a job has of it. What a site says of that is negative where it does not say it.
type Use struct {
	CPUs   int32
	Memory int64   // MB
	GRES   []int32 // by kind; nil where nothing is said of any
}

// gres returns how much of a kind of GRES is in use, negative where nothing says it.
func (u *Use) gres(kind int) int32 {
	if kind >= len(u.GRES) {
		return -1
	}
	return u.GRES[kind]
}

// Part returns what comes with some of all nodes of a use, as far as that is said: rounded up, so that no node is without.
func (u Use) Part(nodes, all int32) Use {
	part := func(n int64) int64 {
		if n < 0 {
			return n
		}
		return (n*int64(nodes) + int64(all) - 1) / int64(all)
	}
	of := Use{CPUs: int32(part(int64(u.CPUs))), Memory: part(u.Memory)}
	for _, n := range u.GRES {
		of.GRES = append(of.GRES, int32(part(int64(n))))
	}
	return of
}

// IsNone reports whether nothing is in use.
func (u *Use) IsNone() bool {
	return u.CPUs <= 0 && u.Memory <= 0 && !slices.ContainsFunc(u.GRES, func(n int32) bool { return n > 0 })
}

// Holding is a job that runs, its nodes and what it has of all of them together.
type Holding struct {
	*Job
	Nodes []int32 // by number
	Given Use
	Told  []Use // by Nodes: what it has of each, where the site says that; nil where it does not
}

// share is what one job has of one node, which may have to be found.
type share struct {
	holding *Holding
	at      int // among the nodes of the job
	node    int32
}

func (o share) request() *Request { return o.holding.Request }

// shareOut finds what is not known of what jobs have of their nodes.
type shareOut struct {
	setup *Setup
	used  []Use
	left  []Use   // of what is in use of each node, or of all where nothing says that, for what is to be found
	room  []int32 // CPUs of each node that nobody has yet
}

// ShareOut finds what running jobs have of each of their nodes, of which a site prints the sum over the nodes: as many CPUs, as
// much memory and as many GPUs as it says that are in use there, which is nil for a site of another time. What it says of a
// job is taken before that, and so are whole nodes and jobs of one node. Of several ways to share out the rest, that is
// taken in which jobs have most alike of each of their nodes, whole cores and tasks where that can be. The order of the
// jobs and of their nodes changes nothing.
func (s *Setup) ShareOut(jobs []Holding, used []Use) {
	slices.SortStableFunc(jobs, func(a, b Holding) int { return cmp.Compare(a.Job.ID, b.Job.ID) })
	if used == nil {
		used = make([]Use, len(s.Nodes))
		for i := range used {
			used[i] = Use{CPUs: -1, Memory: -1}
		}
	}
	x := &shareOut{setup: s, used: used, left: make([]Use, len(s.Nodes)), room: make([]int32, len(s.Nodes))}
	for i, of := range used {
		x.left[i] = Use{CPUs: of.CPUs, Memory: of.Memory, GRES: make([]int32, len(s.GRES))}
		if x.room[i] = s.capacity(i); of.CPUs < 0 {
			x.left[i].CPUs = x.room[i]
		}
		for k := range s.GRES {
			if x.left[i].GRES[k] = of.gres(k); of.gres(k) < 0 {
				x.left[i].GRES[k] = s.Nodes[i].GRES[k]
			}
		}
	}
	var open []share // of which the CPUs are to be found
	for i := range jobs {
		h := &jobs[i]
		h.sort()
		if h.Job.Shares = s.knownShares(h); h.Job.Shares != nil {
			x.take(h)
			continue
		}
		for at, node := range h.Nodes {
			h.Job.Shares = append(h.Job.Shares, Share{Node: node})
			open = append(open, share{h, at, node})
		}
	}
	for _, part := range x.parts(open) {
		x.find(part)
	}
	x.shareGRES(jobs)
}

// sort puts the nodes into their order, each once.
func (h *Holding) sort() {
	if h.Told == nil {
		slices.Sort(h.Nodes)
		h.Nodes = slices.Compact(h.Nodes)
		return
	}
	order := make([]int, len(h.Nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(h.Nodes[a], h.Nodes[b]) })
	nodes, told := make([]int32, len(order)), make([]Use, len(order))
	for i, from := range order {
		nodes[i], told[i] = h.Nodes[from], h.Told[from]
	}
	h.Nodes, h.Told = nodes, told
}

// capacity returns how many CPUs a node has, also while it is down.
func (s *Setup) capacity(node int) int32 {
	cpus := s.Nodes[node].CPUs
	if node < len(s.Down) {
		cpus += s.Down[node]
	}
	return cpus
}

// knownShares returns what a job has of its nodes where nothing has to be found: as the site says, all of one node, or all
// of whole nodes; nil where it has to.
func (s *Setup) knownShares(h *Holding) (shares []Share) {
	sum := int32(0)
	for i, node := range h.Nodes {
		cpus := s.capacity(int(node))
		switch {
		case h.Told != nil:
			cpus = h.Told[i].CPUs
		case len(h.Nodes) == 1:
			cpus = max(1, h.Given.CPUs)
		}
		shares = append(shares, Share{node, cpus})
		sum += cpus
	}
	isWhole := sum == h.Given.CPUs && !slices.ContainsFunc(shares, func(x Share) bool { return x.CPUs == 0 })
	if h.Told == nil && len(h.Nodes) > 1 && !isWhole {
		return nil
	}
	return shares
}

// memoryOf returns how much memory a job has of one of its nodes.
func (s *Setup) memoryOf(h *Holding, at int) int64 {
	switch {
	case h.Told != nil && h.Told[at].Memory >= 0:
		return h.Told[at].Memory
	case len(h.Nodes) == 1 && h.Given.Memory >= 0:
		return h.Given.Memory
	}
	return h.Request.memoryOn(&s.Nodes[h.Nodes[at]], h.Job.Shares[at].CPUs)
}

// take takes the CPUs and the memory that a job has of its nodes from what is left of them.
func (x *shareOut) take(h *Holding) {
	for at, of := range h.Job.Shares {
		x.left[of.Node].CPUs -= of.CPUs
		x.room[of.Node] -= of.CPUs
		x.left[of.Node].Memory -= x.setup.memoryOf(h, at)
	}
}

// parts returns shares that are to be found, those together that depend on each other: of the jobs that have a node in
// common, and so on.
func (x *shareOut) parts(open []share) (parts [][]share) {
	first := make([]int, len(x.setup.Nodes)) // of each node, one that it is connected with
	for i := range first {
		first[i] = i
	}
	root := func(node int32) int {
		i := int(node)
		for first[i] != i {
			first[i] = first[first[i]]
			i = first[i]
		}
		return i
	}
	for i := 1; i < len(open); i++ {
		if a, b := open[i-1], open[i]; a.holding == b.holding {
			first[root(b.node)] = root(a.node)
		}
	}
	at := map[int]int{}
	for _, o := range open {
		of, isKnown := at[root(o.node)]
		if !isKnown {
			of = len(parts)
			at[root(o.node)], parts = of, append(parts, nil)
		}
		parts[of] = append(parts[of], o)
	}
	return parts
}

// manner is what of a way to share out is asked for.
type manner struct{ wholeTasks, sameMemory, sameCPUs, withinCPUs bool }

// manners are all, the one first that asks for most: what is in use where jobs run that are not in the list is more than
// those of the list have, and less where the nodes were printed before some began.
var manners = []manner{{true, true, true, true}, {true, false, true, true}, {false, false, true, true}, {true, false, false, true}, {false, false, false, true}, {}}

// find shares out the CPUs that are left of some nodes, or where there are too few, as if there were more.
func (x *shareOut) find(part []share) {
	for _, o := range part {
		shares := o.holding.Job.Shares
		cpus, nodes := int(o.holding.Given.CPUs), len(shares)
		shares[o.at].CPUs = int32(max(1, (cpus+nodes-1-o.at)/nodes))
	}
	for _, how := range manners {
		values, ok := x.sums(part, how).solve()
		if !ok {
			continue
		}
		for i, o := range part {
			o.holding.Job.Shares[o.at].CPUs = int32(values[i])
		}
		return
	}
}

// sums returns what is known of the CPUs of some shares: of each job and of each node how many they are together, and how
// much memory comes with them.
func (x *shareOut) sums(part []share, how manner) *sums {
	of := &sums{}
	inJob, inNode, inMemory := map[*Holding]int{}, map[int32]int{}, map[int32]int{}
	for i, o := range part {
		n, r := &x.setup.Nodes[o.node], o.request()
		step, least := int64(1), int64(1)
		if how.wholeTasks {
			least = int64(r.given(n, max(1, r.CPUsPerTask)))
			if step = int64(max(1, n.Threads)); step == 1 {
				step = least
			}
		}
		cpus, nodes := int64(o.holding.Given.CPUs), int64(len(o.holding.Nodes))
		of.add(addend{low: least, high: max(least, cpus), step: step, wanted: (cpus + nodes - 1) / nodes})
		job, isKnown := inJob[o.holding]
		if !isKnown {
			job = of.equal(max(cpus, nodes))
			inJob[o.holding] = job
		}
		of.put(job, i, 1)
		node, isKnown := inNode[o.node]
		if !isKnown {
			total := x.room[o.node]
			if how.withinCPUs {
				total = x.left[o.node].CPUs
			}
			node = of.atMost(int64(total))
			of.list[node].isEqual = how.sameCPUs && x.used[o.node].CPUs >= 0
			inNode[o.node] = node
		}
		of.put(node, i, 1)
		if !how.sameMemory || x.setup.HasNoMemory || x.used[o.node].Memory < 0 {
			continue
		}
		all, used := r.threads(n)
		memory, isKnown := inMemory[o.node]
		if !isKnown {
			memory = of.equal(x.left[o.node].Memory * int64(all))
			inMemory[o.node] = memory
		}
		switch {
		case r.AllMemory, r.NodeMemory > 0:
			of.list[memory].total -= r.memoryOn(n, 0) * int64(all)
		default:
			of.put(memory, i, r.CPUMemory*int64(used))
		}
	}
	return of
}
