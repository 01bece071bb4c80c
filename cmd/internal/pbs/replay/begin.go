package replay

import (
	"math"

	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/trace"
)

// LastingAway returns a world in which vnodes are away from a time on, and nothing else happens.
func LastingAway(names []string, from int64) *world.World {
	w := &world.World{HasVnodes: true}
	for _, name := range names {
		w.Vnodes = append(w.Vnodes, world.VnodeEvent{Vnode: name, At: from, Kind: world.Offline})
	}
	return w
}

// beginStopped lets those jobs be suspended that were when the work begins.
func (e *engine) beginStopped() {
	for i, j := range e.work.Jobs {
		ran, isStopped := j.Stopped()
		if !isStopped || e.jobs[i].state == done {
			continue
		}
		place, ok := e.state.ParseVnodes(j.Vnodes(), e.request(&e.terms[i]))
		if !ok {
			if place, ok = e.state.Place(e.request(&e.terms[i]), nil); !ok {
				continue // it waits like others
			}
		}
		p := e.comes(int32(i))
		p.place, p.used = place, float64(ran)
		e.suspend(int32(i))
		e.result.Pauses[int32(i)] = []trace.Run{{Start: e.work.First, End: math.MaxInt64}}
		p.preempted, p.first = float64(e.work.First), float64(j.Start)
		e.backlog.add(int32(i), max(0, float64(e.work.First-j.EligibleSince())))
	}
	e.changed = true
}
