package replay

import (
	"container/heap"
	"math"
)

// agenda is when jobs that run are to end.
type agenda struct {
	at     *situation
	events events
}

// event is that a job ends, or is deleted.
type event struct {
	at        float64
	job       int32
	version   uint32 // of its end
	isFailure bool   // whether it ends since a vnode has failed, and waits again
}

// end lets a job end at its time.
func (g *agenda) end(job int32) {
	j := &g.at.jobs[job]
	heap.Push(&g.events, event{at: j.ends, job: job, version: j.version})
}

// fail lets a job end at a time whose vnode has failed. It does not end before if that was its
// first vnode, whatever it does there.
func (g *agenda) fail(job int32, at float64, isFirst bool) {
	j := &g.at.jobs[job]
	if isFirst {
		j.version++
	}
	heap.Push(&g.events, event{at: at, job: job, version: j.version, isFailure: true})
}

// isVoid reports whether an end does not count, since the job was suspended before.
func (g *agenda) isVoid(ev event) bool {
	j := &g.at.jobs[ev.job]
	return j.version != ev.version || j.state != runs
}

// next returns when the next job ends, infinity where none is to.
func (g *agenda) next() float64 {
	for len(g.events) > 0 && g.isVoid(g.events[0]) {
		heap.Pop(&g.events)
	}
	if len(g.events) == 0 {
		return math.Inf(1)
	}
	return g.events[0].at
}

// take returns the next end that is due by now. ok is false where none is.
func (g *agenda) take() (ev event, ok bool) {
	if g.next() > g.at.now {
		return event{}, false
	}
	return heap.Pop(&g.events).(event), true
}

// events is a heap, the next one first.
type events []event

func (h events) Len() int { return len(h) }
func (h events) Less(i, j int) bool {
	if h[i].at != h[j].at {
		return h[i].at < h[j].at
	}
	return h[i].job < h[j].job
}
func (h events) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *events) Push(x any)   { *h = append(*h, x.(event)) }
func (h *events) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
