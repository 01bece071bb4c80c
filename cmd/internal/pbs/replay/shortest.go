package replay

import "math"

// shortHeap is what has jobs, with the shortest one first: none is shorter than the one at half its index.
type shortHeap[T interface {
	least() float64 // how long the shortest of its jobs is
	moved(to int)   // it stands there now, or at -1 nowhere
}] []T

func (h shortHeap[T]) Len() int           { return len(h) }
func (h shortHeap[T]) Less(i, j int) bool { return h[i].least() < h[j].least() }

func (h shortHeap[T]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].moved(i)
	h[j].moved(j)
}

// Push adds one for package heap.
func (h *shortHeap[T]) Push(x any) {
	one := x.(T)
	one.moved(len(*h))
	*h = append(*h, one)
}

// Pop takes the last one away for package heap.
func (h *shortHeap[T]) Pop() any {
	last := len(*h) - 1
	one := (*h)[last]
	clear((*h)[last:])
	*h = (*h)[:last]
	one.moved(-1)
	return one
}

// visit visits those that are short enough, which all are that are as short as one that is, until one says to stop. It reports whether
// none has.
func (h shortHeap[T]) visit(isShort, visit func(one T) (goesOn bool)) bool {
	var from func(at int) bool
	from = func(at int) bool {
		return at >= len(h) || !isShort(h[at]) || visit(h[at]) && from(2*at+1) && from(2*at+2)
	}
	return from(0)
}

func (g *group) least() float64 { return g.shortest }
func (g *group) moved(to int)   { g.at = to }
func (c *class) least() float64 { return c.shortest }
func (c *class) moved(to int)   { c.at = to }

// shorter appends the groups of a class that have jobs which are shorter than some time, at most some.
func (c *class) shorter(list []*group, than float64, most int) []*group {
	begin := len(list)
	if most > 0 {
		c.groups.visit(func(g *group) bool { return g.shortest < than }, func(g *group) bool {
			list = append(list, g)
			return len(list)-begin < most
		})
	}
	return list
}

// shorten finds the shortest job of a group and of its class anew, if one of its length has left them.
func (q *backlog) shorten(g *group, left float64) {
	if left <= g.shortest {
		g.shortest = q.shortestOf(g.members, g.shortest)
		q.mend(g)
	}
}

// shortestOf returns the shortest length of some jobs, of which none is less than some length.
func (q *backlog) shortestOf(jobs []member, least float64) float64 {
	shortest := math.Inf(1)
	for _, m := range jobs {
		if shortest = min(shortest, q.at.least(m.job)); shortest <= least {
			break
		}
	}
	return shortest
}
