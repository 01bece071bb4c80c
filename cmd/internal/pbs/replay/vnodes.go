package replay

import (
	"slices"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/world"
)

// vnodes are those that are taken away, fail and come back while the jobs come and go. No
// cycle comes of that: the next one sees it. What runs on a vnode that fails waits again
// after a while.
type vnodes struct {
	at       *situation
	calendar *calendar
	bookings *bookings
	agenda   *agenda
	events   []world.VnodeEvent // of vnodes that the cluster has
	of       []int32            // by event, its vnode
	passed   int                // of events, how many are over
	away     []uint8            // by vnode, for which reasons nothing may start on it
	asked    map[askedAway]int  // how many times that policies ask for and that overlap last now
	has      [][]float64        // by vnode, its amounts; nil for those that the cluster tells
	requeue,
	sister float64 // after how many seconds jobs of a failed vnode wait again; 0 for never
}

// Reasons for which nothing may start on a vnode.
const (
	isOffline = 1 << iota
	isDown
	isKept // by a job that did not start
	isAskedOffline
	isAskedDown
)

// askedAway is a vnode that a policy takes away, for one of the reasons.
type askedAway struct {
	vnode int32
	why   uint8
}

// sisterLost is after how many seconds a job waits again that has lost another vnode than
// its first one: mom gives it up after 7 to 8 minutes, as recorded.
const sisterLost = 450

// defaultRequeue is PBS's node_fail_requeue, in seconds.
const defaultRequeue = 310

func newVnodes(at *situation, w *world.World, site *pbs.Site, calendar *calendar, bookings *bookings, agenda *agenda) *vnodes {
	v := &vnodes{at: at, calendar: calendar, bookings: bookings, agenda: agenda, away: make([]uint8, len(at.cluster.Vnodes))}
	if w == nil || len(w.Vnodes) == 0 {
		return v
	}
	numbers := map[string]int32{}
	for i := range at.cluster.Vnodes {
		numbers[at.cluster.Vnodes[i].Name] = int32(i)
	}
	for _, ev := range w.Vnodes {
		if number, ok := numbers[ev.Vnode]; ok {
			v.events, v.of = append(v.events, ev), append(v.of, number)
		}
	}
	v.has, v.asked = make([][]float64, len(at.cluster.Vnodes)), map[askedAway]int{}
	v.requeue = float64(site.Sched.Server.Int("node_fail_requeue", defaultRequeue))
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
		if seen[number] || ev.IsAsked {
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
func (v *vnodes) left() bool { return v.passed < len(v.events) }

// until lets the next thing happen that does up to a time, and reports whether there was
// one.
func (v *vnodes) until(now float64) bool {
	if !v.left() || float64(v.events[v.passed].At) > now {
		return false
	}
	v.happen(v.events[v.passed], v.of[v.passed])
	v.passed++
	return true
}

// happen makes a vnode what an event says. What the record tells and what policies ask for are reasons of their own, so
// that a vnode is away as long as any of them lasts.
func (v *vnodes) happen(ev world.VnodeEvent, number int32) {
	offline, down := uint8(isOffline), uint8(isDown)
	if ev.IsAsked {
		offline, down = isAskedOffline, isAskedDown
	}
	switch ev.Kind {
	case world.Offline:
		v.leave(number, offline)
	case world.Online:
		v.comeBack(number, offline)
	case world.Up:
		v.comeBack(number, down)
	case world.Down:
		wasDown := v.away[number]&(isDown|isAskedDown) != 0
		v.leave(number, down)
		if !wasDown {
			v.lose(number, float64(ev.At))
		}
	case world.Resized:
		if k := v.consumable(ev); k >= 0 {
			v.resize(number, k, ev.Amount-v.amounts(number)[k])
		}
	case world.InUse:
		v.at.state.AddJob(number)
		v.changed()
	}
}

// leave takes a vnode away for a reason.
func (v *vnodes) leave(number int32, why uint8) {
	if why&(isAskedOffline|isAskedDown) != 0 {
		v.asked[askedAway{number, why}]++
	}
	v.setAway(number, v.away[number]|why)
}

// comeBack ends a reason, or one of the times that are asked for: the last of them ends it.
func (v *vnodes) comeBack(number int32, why uint8) {
	if of := (askedAway{number, why}); v.asked[of] > 1 {
		v.asked[of]--
		return
	}
	delete(v.asked, askedAway{number, why})
	v.setAway(number, v.away[number]&^why)
}

// consumable returns which of the cluster's consumables an event is about, -1 for none.
func (v *vnodes) consumable(ev world.VnodeEvent) int {
	if ev.Kind != world.Resized {
		return -1
	}
	return slices.Index(v.at.cluster.Consumables, ev.Resource)
}

func (v *vnodes) amounts(number int32) []float64 {
	if v.has[number] == nil {
		v.has[number] = slices.Clone(v.at.cluster.Vnodes[number].Amounts)
	}
	return v.has[number]
}

func (v *vnodes) resize(number int32, consumable int, by float64) {
	v.amounts(number)[consumable] += by
	v.at.state.Resize(number, consumable, by)
	v.changed()
}

func (v *vnodes) setAway(number int32, why uint8) {
	v.away[number] = why
	v.at.state.SetAway(number, why != 0)
	v.bookings.setAway(number, why != 0)
	v.changed()
}

// keep takes vnodes away for good, see cluster.State.Refused.
func (v *vnodes) keep(numbers []int32) {
	for _, number := range numbers {
		v.setAway(number, v.away[number]|isKept)
	}
}

// changed makes the next cycle look at everything anew.
func (v *vnodes) changed() {
	v.at.freed++
	v.at.changed = true
	v.calendar.outdate()
}

// lose lets those jobs wait again after a while that run on a vnode which fails.
func (v *vnodes) lose(number int32, at float64) {
	if v.requeue == 0 {
		return
	}
	for _, job := range v.at.running {
		k := v.at.jobs[job].partOn(number)
		switch {
		case k == 0:
			v.agenda.fail(job, at+v.requeue, true)
		case k > 0:
			v.agenda.fail(job, at+v.sister, false)
		}
	}
}
