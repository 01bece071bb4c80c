package replay

import (
	"container/heap"
	"math"
)

// groupHeap is the groups of a class, one with the shortest job first, of whose jobs none is shorter than those of the group at half
// its index.
type groupHeap []*group

func (h groupHeap) Len() int           { return len(h) }
func (h groupHeap) Less(i, j int) bool { return h[i].shortest < h[j].shortest }

func (h groupHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i, j
}

// Push adds a group for package heap.
func (h *groupHeap) Push(x any) {
	g := x.(*group)
	g.at = len(*h)
	*h = append(*h, g)
}

// Pop takes the last group away for package heap.
func (h *groupHeap) Pop() any {
	last := len(*h) - 1
	g := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return g
}

// mend puts a group to where it belongs since its shortest job is another one, and finds the shortest job of the class.
func (c *class) mend(g *group) {
	heap.Fix(&c.groups, g.at)
	c.findShortest()
}

func (c *class) findShortest() {
	c.shortest = math.Inf(1)
	if len(c.groups) > 0 {
		c.shortest = c.groups[0].shortest
	}
}

// shorter appends the groups of a class that have jobs which are shorter than some time, at most some.
func (c *class) shorter(list []*group, than float64, most int) []*group {
	begin := len(list)
	var visit func(at int)
	visit = func(at int) {
		if at < len(c.groups) && c.groups[at].shortest < than && len(list)-begin < most {
			list = append(list, c.groups[at])
			visit(2*at + 1)
			visit(2*at + 2)
		}
	}
	visit(0)
	return list
}
