package replay

import (
	"math"

	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/trace"
)

// Await is what a replay is for that need not go on until everything has ended.
type Await struct {
	Jobs  []int32 // the replay ends when these jobs of the work have started
	Until float64 // or at this time
}

// await prepares to wait for the first starts of jobs.
func (e *engine) await() {
	if e.Await == nil {
		return
	}
	n := len(e.work.Jobs)
	e.awaits, e.awaited, e.result.First = make([]bool, n), len(e.Await.Jobs), make([]float64, n)
	for _, job := range e.Await.Jobs {
		e.awaits[job] = true
	}
}

// isOver reports whether all that a replay is for has come about, or will not any more.
func (e *engine) isOver() bool {
	return e.Await != nil && (e.awaited == 0 || e.now >= e.Await.Until)
}

// cease stops awaiting a job that starts, unless it has started before and was requeued.
func (e *engine) cease(job int32, at float64) {
	if e.awaits == nil || !e.awaits[job] || e.result.First[job] != 0 {
		return
	}
	e.result.First[job] = at
	e.awaited--
}

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
		p := &e.jobs[i]
		place, ok := e.state.ParseVnodes(j.Vnodes(), e.request(&e.terms[i]))
		if !ok {
			if place, ok = e.state.Place(e.request(&e.terms[i]), nil); !ok {
				continue // it waits like others
			}
		}
		p.place, p.used, p.state = place, float64(ran), suspended
		e.result.Pauses[int32(i)] = []trace.Run{{Start: e.work.First, End: math.MaxInt64}}
		p.preempted, p.first = float64(e.work.First), float64(j.Start)
		e.backlog.add(int32(i), max(0, float64(e.work.First-j.EligibleSince())))
	}
	e.changed = true
}
