package replay

import (
	"container/heap"
	"math"
	"slices"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/world"
)

// vnodes are those that are taken away, fail and come back while the jobs come and go. No
// cycle comes of that: the next one sees it. What runs on a vnode that fails waits again
// after a while.
type vnodes struct {
	e      *engine
	events []world.VnodeEvent // of vnodes that the cluster has
	of     []int32            // by event, its vnode
	at     int                // the next event
	away   []uint8            // by vnode, for which reasons nothing may start on it
	has    [][]float64        // by vnode, its amounts; nil for those that the cluster tells
	requeue,
	sister float64 // after how many seconds jobs of a failed vnode wait again; 0 for never
}

// Reasons for which nothing may start on a vnode.
const (
	isOffline = 1 << iota
	isDown
)

// sisterLost is after how many seconds a job waits again that has lost another vnode than
// its first one: mom gives it up after 7 to 8 minutes, as recorded.
const sisterLost = 450

// defaultRequeue is PBS's node_fail_requeue, in seconds.
const defaultRequeue = 310

func newVnodes(e *engine) *vnodes {
	v := &vnodes{e: e}
	if e.World == nil || len(e.World.Vnodes) == 0 {
		return v
	}
	numbers := map[string]int32{}
	for i := range e.cluster.Vnodes {
		numbers[e.cluster.Vnodes[i].Name] = int32(i)
	}
	for _, ev := range e.World.Vnodes {
		if number, ok := numbers[ev.Vnode]; ok {
			v.events, v.of = append(v.events, ev), append(v.of, number)
		}
	}
	v.away, v.has = make([]uint8, len(e.cluster.Vnodes)), make([][]float64, len(e.cluster.Vnodes))
	v.requeue = float64(e.site.Sched.Server.Int("node_fail_requeue", defaultRequeue))
	v.sister = max(v.requeue, sisterLost)
	v.begin()
	return v
}

// begin makes the vnodes what they were before the first event of each: a vnode that comes
// back was away, and one that is given another amount had the largest that is known of it.
func (v *vnodes) begin() {
	seen := map[int32]bool{}
	for i, ev := range v.events {
		number := v.of[i]
		if k := v.consumable(ev); k >= 0 {
			if more := ev.Amount - v.amounts(number)[k]; more > 0 {
				v.resize(number, k, more)
			}
			continue
		}
		if seen[number] {
			continue
		}
		seen[number] = true
		switch ev.Kind {
		case world.Online:
			v.setAway(number, isOffline)
		case world.Up:
			v.setAway(number, isDown)
		}
	}
}

// left reports whether anything is still to happen to a vnode.
func (v *vnodes) left() bool { return v.at < len(v.events) }

// until lets the next thing happen that does up to a time, and reports whether there was
// one.
func (v *vnodes) until(now float64) bool {
	if !v.left() || float64(v.events[v.at].At) > now {
		return false
	}
	v.happen(v.events[v.at], v.of[v.at])
	v.at++
	return true
}

// happen makes a vnode what an event says.
func (v *vnodes) happen(ev world.VnodeEvent, number int32) {
	switch ev.Kind {
	case world.Offline:
		v.setAway(number, v.away[number]|isOffline)
	case world.Online:
		v.setAway(number, v.away[number]&^isOffline)
	case world.Up:
		v.setAway(number, v.away[number]&^isDown)
	case world.Down:
		if v.away[number]&isDown == 0 {
			v.setAway(number, v.away[number]|isDown)
			v.lose(number, float64(ev.At))
		}
	case world.Resized:
		if k := v.consumable(ev); k >= 0 {
			v.resize(number, k, ev.Amount-v.amounts(number)[k])
		}
	}
}

// consumable returns which of the cluster's consumables an event is about, -1 for none.
func (v *vnodes) consumable(ev world.VnodeEvent) int {
	if ev.Kind != world.Resized {
		return -1
	}
	return slices.Index(v.e.cluster.Consumables, ev.Resource)
}

func (v *vnodes) amounts(number int32) []float64 {
	if v.has[number] == nil {
		v.has[number] = slices.Clone(v.e.cluster.Vnodes[number].Amounts)
	}
	return v.has[number]
}

func (v *vnodes) resize(number int32, consumable int, by float64) {
	v.amounts(number)[consumable] += by
	v.e.state.Resize(number, consumable, by)
	v.changed()
}

func (v *vnodes) setAway(number int32, why uint8) {
	v.away[number] = why
	v.e.state.SetAway(number, why != 0)
	v.changed()
}

// changed makes the next cycle look at everything anew.
func (v *vnodes) changed() {
	e := v.e
	e.freed++
	e.changed = true
	e.calendar.version++
	e.calendar.stamp++
}

// lose lets those jobs wait again after a while that run on a vnode which fails. Those of
// which it is the first vnode do not end before, whatever they do there.
func (v *vnodes) lose(number int32, at float64) {
	e := v.e
	if v.requeue == 0 {
		return
	}
	for _, job := range e.running {
		p := &e.jobs[job]
		k := slices.IndexFunc(p.place.Parts, func(part cluster.Part) bool { return part.Vnode == number })
		switch {
		case k == 0:
			p.version++
			heap.Push(&e.events, event{at: at + v.requeue, job: job, version: p.version, isFailure: true})
		case k > 0:
			heap.Push(&e.events, event{at: at + v.sister, job: job, version: p.version, isFailure: true})
		}
	}
}

// requeue lets a job wait again whose vnode has failed: it begins anew, and its
// eligible_time goes on.
func (e *engine) requeue(job int32, at float64) {
	p := &e.jobs[job]
	e.vacate(job)
	p.version++
	e.keepRun(job, max(at, p.starts))
	p.state, p.used = waiting, 0
	e.backlog.add(job, math.Floor(p.eligible))
}
