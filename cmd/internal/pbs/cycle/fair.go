package cycle

import (
	"container/heap"
	"slices"

	"fairshare/fstree"
)

// fairGroup picks, among jobs that tie otherwise, one of the most deserving
// entity. It mirrors the part of the fairshare tree that has jobs: each node
// keeps its children in a heap, the one with the best job on top. Starting a
// job changes the usage of the nodes on one path only, so only their places
// in the heaps above are mended: depth times log of the children.
type fairGroup struct {
	c     *Cycle
	nodes []*fairNode // by node of the tree, nil for those without jobs
	made  []fstree.ID // those with jobs
	root  *fairNode

	all  []*fairNode // memory of nodes, those that are in use first
	used int         // of all, how many are in use
	jobs []int32     // memory of those of the nodes
}

// fairNode is a node of the tree, or (with jobs) the jobs of the entity that
// is its parent.
type fairNode struct {
	c        *Cycle
	parent   *fairNode
	depth    int         // of the nodes whose usage decides between the children
	children []*fairNode // a heap
	place    int         // in the parent's heap
	jobs     []int32     // by what decides last
	own      *fairNode   // the child that has the jobs of this entity, nil for none
	count    int         // of its jobs, when the group begins
}

// begin makes a group that is done with one of other jobs.
func (g *fairGroup) begin(c *Cycle, jobs []int32) {
	for _, id := range g.made {
		g.nodes[id] = nil
	}
	g.c, g.made, g.used = c, g.made[:0], 0
	if more := c.s.Tree.Len() - len(g.nodes); more > 0 {
		g.nodes = append(g.nodes, make([]*fairNode, more)...)
	}
	g.root = g.newNode(nil, 0)
	for _, i := range jobs {
		n := g.node(c.jobs[i].Entity)
		if n.own == nil {
			n.own = g.newNode(n, n.depth)
		}
		n.own.count++
	}
	g.jobs = slices.Grow(g.jobs[:0], len(jobs))
	for _, i := range jobs {
		leaf := g.node(c.jobs[i].Entity).own
		if leaf.jobs == nil {
			at := len(g.jobs)
			g.jobs = g.jobs[:at+leaf.count]
			leaf.jobs = g.jobs[at:at]
		}
		leaf.jobs = append(leaf.jobs, i)
	}
	g.heapify()
}

// newNode returns a node without children.
func (g *fairGroup) newNode(parent *fairNode, depth int) *fairNode {
	if g.used == len(g.all) {
		g.all = append(g.all, &fairNode{})
	}
	n := g.all[g.used]
	g.used++
	*n = fairNode{c: g.c, parent: parent, depth: depth, children: n.children[:0]}
	if parent != nil {
		n.place = len(parent.children)
		parent.children = append(parent.children, n)
	}
	return n
}

// path returns the nodes from the root to an entity.
func (c *Cycle) path(id fstree.ID) []fstree.ID {
	if more := int(id) + 1 - len(c.paths); more > 0 {
		c.paths = append(c.paths, make([][]fstree.ID, more)...)
	}
	if c.paths[id] == nil {
		c.paths[id] = c.s.Tree.Path(id)
	}
	return c.paths[id]
}

// node returns the mirror of a node; it makes it, and those of all nodes above,
// where they are missing.
func (g *fairGroup) node(id fstree.ID) *fairNode {
	at := g.root
	for depth, id := range g.c.path(id) {
		n := g.nodes[id]
		if n == nil {
			n = g.newNode(at, depth+1)
			g.nodes[id] = n
			g.made = append(g.made, id)
		}
		at = n
	}
	return at
}

// heapify makes the heaps of a new mirror. Nodes were made before their children, and have theirs
// after them.
func (g *fairGroup) heapify() {
	for _, n := range slices.Backward(g.all[:g.used]) {
		heap.Init(n)
	}
}

func (g *fairGroup) empty() bool { return len(g.root.children) == 0 }

func (g *fairGroup) best() int32 { return g.root.best() }

// best returns the job that comes first among those below a node.
func (n *fairNode) best() int32 {
	for n.jobs == nil {
		n = n.children[0]
	}
	return n.jobs[0]
}

// remove takes the best job away.
func (g *fairGroup) remove() {
	n := g.root
	for n.jobs == nil {
		n = n.children[0]
	}
	n.jobs = n.jobs[1:]
	for n.parent != nil && len(n.jobs) == 0 && len(n.children) == 0 {
		up := n.parent
		heap.Remove(up, n.place)
		n = up
	}
	n.mend()
}

// moved mends the places of the nodes on the path of an entity whose usage has
// changed.
func (g *fairGroup) moved(id fstree.ID) {
	path := g.c.path(id)
	for i := len(path) - 1; i >= 0; i-- {
		if n := g.nodes[path[i]]; n != nil && len(n.children) > 0 {
			n.mend()
			return
		}
	}
}

// mend puts a node and all above it to where they belong now.
func (n *fairNode) mend() {
	for ; n.parent != nil; n = n.parent {
		heap.Fix(n.parent, n.place)
	}
}

// The heap of a node's children.

func (n *fairNode) Len() int { return len(n.children) }

func (n *fairNode) Swap(i, j int) {
	n.children[i], n.children[j] = n.children[j], n.children[i]
	n.children[i].place, n.children[j].place = i, j
}

func (n *fairNode) Push(x any) { n.children = append(n.children, x.(*fairNode)) }

func (n *fairNode) Pop() any {
	last := len(n.children) - 1
	x := n.children[last]
	n.children = n.children[:last]
	return x
}

// Less compares the best jobs of two children: the paths of their entities
// from here on, level by level, then what decides last.
func (n *fairNode) Less(i, j int) bool {
	c := n.c
	a, b := n.children[i].best(), n.children[j].best()
	pa, pb := c.path(c.jobs[a].Entity), c.path(c.jobs[b].Entity)
	for k := n.depth; k < len(pa) && k < len(pb); k++ {
		if d := c.s.Tree.CompareNodes(pa[k], pb[k]); d != 0 {
			return d < 0
		}
	}
	d, _ := c.compareFrom(afterFairshare, a, b)
	return d < 0
}
