package cycle

import (
	"container/heap"

	"fairshare/fstree"
)

// fairGroup picks, of jobs that tie otherwise, that of the most deserving
// entity. It mirrors the part of the fairshare tree that has jobs: each node
// keeps its children in a heap, the one with the best job on top. Starting a
// job changes the usage of the nodes on one path only, so only their places
// in the heaps above are mended: depth times log of the children.
type fairGroup struct {
	o     *orderer
	nodes map[fstree.ID]*fairNode
	root  *fairNode
}

// fairNode is a node of the tree, or (with jobs) the jobs of the entity that
// is its parent.
type fairNode struct {
	o        *orderer
	parent   *fairNode
	depth    int         // of the nodes whose usage decides between the children
	children []*fairNode // a heap
	place    int         // in the parent's heap
	jobs     []int32     // by what decides last
}

func newFairGroup(o *orderer, jobs []int32) *fairGroup {
	g := &fairGroup{o: o, nodes: map[fstree.ID]*fairNode{}, root: &fairNode{o: o}}
	leaves := map[fstree.ID]*fairNode{}
	for _, i := range jobs {
		entity := o.jobs[i].Entity
		leaf := leaves[entity]
		if leaf == nil {
			n := g.node(entity)
			leaf = &fairNode{o: o, parent: n, place: len(n.children), depth: n.depth}
			n.children = append(n.children, leaf)
			leaves[entity] = leaf
		}
		leaf.jobs = append(leaf.jobs, i)
	}
	g.root.heapify()
	return g
}

// path is the nodes from the root to an entity.
func (o *orderer) path(id fstree.ID) []fstree.ID {
	p, ok := o.paths[id]
	if !ok {
		p = o.s.Tree.Path(id)
		o.paths[id] = p
	}
	return p
}

// node finds or makes the mirror of a node and of all above it.
func (g *fairGroup) node(id fstree.ID) *fairNode {
	at := g.root
	for depth, id := range g.o.path(id) {
		n := g.nodes[id]
		if n == nil {
			n = &fairNode{o: g.o, parent: at, place: len(at.children), depth: depth + 1}
			at.children = append(at.children, n)
			g.nodes[id] = n
		}
		at = n
	}
	return at
}

// heapify orders a new mirror, children before parents.
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

// best is the job that comes first among those below a node.
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

// moved mends the places of the nodes on an entity's path.
func (g *fairGroup) moved(id fstree.ID) {
	path := g.o.path(id)
	for i := len(path) - 1; i >= 0; i-- {
		if n := g.nodes[path[i]]; n != nil && len(n.children) > 0 {
			n.mend()
			return
		}
	}
}

// mend puts a node and all above it where they belong now.
func (n *fairNode) mend() {
	for ; n.parent != nil; n = n.parent {
		heap.Fix(n.parent, n.place)
	}
}

// The heap of a node's children.

func (n *fairNode) Len() int { return len(n.children) }

func (n *fairNode) Swap(i, j int) {
	c := n.children
	c[i], c[j] = c[j], c[i]
	c[i].place, c[j].place = i, j
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
	o := n.o
	a, b := n.children[i].best(), n.children[j].best()
	pa, pb := o.path(o.jobs[a].Entity), o.path(o.jobs[b].Entity)
	for k := n.depth; k < len(pa) && k < len(pb); k++ {
		if c := o.s.Tree.CompareNodes(pa[k], pb[k]); c != 0 {
			return c < 0
		}
	}
	c, _ := o.compareRest(a, b)
	return c < 0
}
