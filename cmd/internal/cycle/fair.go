package cycle

import (
	"container/heap"

	"fairshare/fstree"
)

// fairGroup picks, among jobs that tie otherwise, one of the most deserving
// entity. It mirrors the part of the fairshare tree that has jobs: each node
// keeps its children in a heap, the one with the best job on top. Starting a
// job changes the usage of the nodes on one path only, so only their places
// in the heaps above are mended: depth times log of the children.
type fairGroup struct {
	c     *Cycle
	nodes map[fstree.ID]*fairNode
	root  *fairNode
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
}

func newFairGroup(c *Cycle, jobs []int32) *fairGroup {
	g := &fairGroup{c: c, nodes: map[fstree.ID]*fairNode{}, root: &fairNode{c: c}}
	leaves := map[fstree.ID]*fairNode{}
	for _, i := range jobs {
		entity := c.jobs[i].Entity
		leaf := leaves[entity]
		if leaf == nil {
			n := g.node(entity)
			leaf = &fairNode{c: c, parent: n, place: len(n.children), depth: n.depth}
			n.children = append(n.children, leaf)
			leaves[entity] = leaf
		}
		leaf.jobs = append(leaf.jobs, i)
	}
	g.root.heapify()
	return g
}

// path returns the nodes from the root to an entity.
func (c *Cycle) path(id fstree.ID) []fstree.ID {
	p, ok := c.paths[id]
	if !ok {
		p = c.s.Tree.Path(id)
		c.paths[id] = p
	}
	return p
}

// node returns the mirror of a node; it makes it, and those of all nodes above,
// where they are missing.
func (g *fairGroup) node(id fstree.ID) *fairNode {
	at := g.root
	for depth, id := range g.c.path(id) {
		n := g.nodes[id]
		if n == nil {
			n = &fairNode{c: g.c, parent: at, place: len(at.children), depth: depth + 1}
			at.children = append(at.children, n)
			g.nodes[id] = n
		}
		at = n
	}
	return at
}

// heapify makes the heaps of a new mirror, children before parents.
func (n *fairNode) heapify() {
	stack := []*fairNode{n}
	var all []*fairNode
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		all = append(all, top)
		stack = append(stack, top.children...)
	}
	for i := len(all) - 1; i >= 0; i-- {
		heap.Init(all[i])
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
