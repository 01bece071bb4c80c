package replay

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/world"
	"fairshare/formula"
)

// Reservations: vnodes that are kept for the jobs of one queue. They are taken as they are
// on record, under any policy. From when one is confirmed until it begins, no job of
// another queue starts on its vnodes that would delay it; then it has them, and its jobs
// run on nothing else.

// bookings is the reservations of a replay.
type bookings struct {
	e        *engine
	byQueue  map[int32]*reserved // by number of the queue
	events   []bookingEvent      // by time
	passed   int                 // of events, how many are over
	cycles   []float64           // when reservations make cycles, in order
	current  []*booking          // those that are known, by their begin
	shadowed []int32             // vnodes of those that have not begun
	changes  []change            // of those that are known, as a simulation has them
	version  uint64              // counts changes of current
}

// reserved is a reservation, of which one booking at most has begun.
type reserved struct {
	*world.Reservation
	queue int32
	most  map[string]float64 // what its jobs may ask for in all, by consumable
	on    *booking           // nil while it has not begun
}

// booking is a time for which a reservation has vnodes.
type booking struct {
	of         *reserved
	place      cluster.Allocation
	from       float64 // since when it is known
	start, end float64
	gone       float64 // when it ends, or is given up, or becomes another one

	state   *cluster.State     // of its vnodes alone, once it has begun
	numbers []int32            // of them in the whole
	jobs    []int32            // that run in it
	asked   map[string]float64 // what they have asked for in all
}

type bookingEvent struct {
	at   float64
	kind bookingChange
	of   *booking
}

// bookingChange is what happens to a booking. At the same time the one with the lower number
// comes first.
type bookingChange int

const (
	isGone bookingChange = iota
	isConfirmed
	hasBegun
)

// How long after an event of a reservation its cycle begins, as measured, in seconds.
const (
	afterBegin = 1
	afterEnd   = 3
)

func newBookings(e *engine) *bookings {
	b := &bookings{e: e, byQueue: map[int32]*reserved{}}
	if e.World == nil {
		return b
	}
	numbers := map[string]int32{}
	for i, q := range e.queues {
		numbers[q.Name] = int32(i)
	}
	for _, r := range e.World.Reservations {
		of := &reserved{Reservation: r, queue: -1, most: map[string]float64{}}
		for _, name := range e.cluster.Consumables {
			if amount, ok := formula.ParseAmount(r.Amounts[name], ""); ok {
				of.most[name], _ = amount.Number()
			}
		}
		for _, h := range r.Holds {
			k := &booking{of: of, from: float64(h.From), start: max(float64(h.Start), float64(h.From)), end: float64(h.End), gone: float64(h.End)}
			if h.Until != 0 {
				k.gone = min(k.gone, float64(h.Until))
			}
			k.place = e.state.ParseReserved(h.Nodes, h.Place)
			if len(k.place.Parts) == 0 || k.gone <= k.from || k.end <= k.start {
				continue
			}
			b.events = append(b.events, bookingEvent{k.from, isConfirmed, k}, bookingEvent{k.gone, isGone, k})
			if k.start < k.gone {
				b.events = append(b.events, bookingEvent{k.start, hasBegun, k})
				b.cycles = append(b.cycles, k.start+afterBegin)
			}
		}
		if r.Asked != 0 && !r.IsMaintenance {
			b.cycles = append(b.cycles, float64(r.Asked)+afterBegin)
		}
		isByItself := r.IsMaintenance && slices.ContainsFunc(r.Holds, func(h world.Hold) bool { return h.End <= r.Ended })
		if r.Ended != 0 && !isByItself {
			b.cycles = append(b.cycles, float64(r.Ended)+afterEnd)
		}
		if at, ok := numbers[r.Queue]; ok {
			of.queue = at
			b.byQueue[at] = of
			e.queues[at].Stopped = true
		}
	}
	slices.SortStableFunc(b.events, func(x, y bookingEvent) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.kind, y.kind))
	})
	first := float64(e.work.First)
	slices.Sort(b.cycles)
	b.cycles = slices.DeleteFunc(b.cycles, func(at float64) bool { return at < first })
	return b
}

// areAny reports whether there ever are reservations.
func (b *bookings) areAny() bool { return len(b.events) > 0 }

// arePending reports whether reservations are known that have not begun.
func (b *bookings) arePending() bool { return len(b.shadowed) > 0 }

// next returns when reservations make the next cycle. Where nothing else happens any more
// that is when anything of a reservation changes for which jobs wait, or in which they run.
func (b *bookings) next(other float64) float64 {
	for len(b.cycles) > 0 && b.cycles[0] <= b.e.last {
		b.cycles = b.cycles[1:]
	}
	at := math.Inf(1)
	if math.IsInf(other, 1) && !b.matter() {
		return at
	}
	if len(b.cycles) > 0 {
		at = b.cycles[0]
	}
	if math.IsInf(other, 1) && b.passed < len(b.events) {
		at = min(at, max(b.e.last, b.events[b.passed].at))
	}
	return at
}

// matter reports whether jobs wait, or run in reservations.
func (b *bookings) matter() bool {
	return b.e.backlog.waiting > 0 || slices.ContainsFunc(b.current, func(k *booking) bool { return len(k.jobs) > 0 })
}

// admit takes in what has happened to reservations up to now.
func (b *bookings) admit() {
	hasChanged := false
	for ; b.passed < len(b.events) && b.events[b.passed].at <= b.e.now; b.passed++ {
		hasChanged = true
		switch ev := b.events[b.passed]; ev.kind {
		case isConfirmed:
			at, _ := slices.BinarySearchFunc(b.current, ev.of, func(x, y *booking) int { return cmp.Compare(x.start, y.start) })
			b.current = slices.Insert(b.current, at, ev.of)
		case hasBegun:
			b.begin(ev.of)
		case isGone:
			b.end(ev.of)
		}
	}
	if hasChanged {
		b.e.freed++
		b.e.changed = true
		b.settle()
	}
}

// begin gives a booking its vnodes.
func (b *bookings) begin(k *booking) {
	var part *cluster.Cluster
	part, k.numbers = b.e.cluster.Within(k.place)
	k.state, k.asked = part.NewState(), map[string]float64{}
	b.e.state.Occupy(k.place)
	k.of.on = k
	if k.of.queue >= 0 {
		b.e.queues[k.of.queue].Stopped = false
	}
}

// end takes the vnodes of a booking back, and lets its jobs end.
func (b *bookings) end(k *booking) {
	b.current = slices.DeleteFunc(b.current, func(other *booking) bool { return other == k })
	if k.state == nil {
		return
	}
	for _, job := range slices.Clone(k.jobs) {
		b.e.jobs[job].ends = min(b.e.jobs[job].ends, k.gone)
		b.e.end(job)
	}
	b.e.state.Release(k.place)
	if k.of.on == k {
		k.of.on = nil
		if k.of.queue >= 0 {
			b.e.queues[k.of.queue].Stopped = true
		}
	}
	if float64(k.of.Ended) == k.gone {
		b.removeAll(k.of)
	}
}

// removeAll takes away the jobs that wait in the queue of a reservation that is gone.
func (b *bookings) removeAll(of *reserved) {
	var jobs []int32
	for _, c := range b.e.backlog.active {
		if c.booked == of {
			for _, g := range c.groups {
				for _, m := range g.members {
					jobs = append(jobs, m.job)
				}
			}
		}
	}
	for _, job := range jobs {
		b.e.remove(job)
	}
}

// settle brings the calendar up to date after a change.
func (b *bookings) settle() {
	b.version++
	b.shadowed, b.changes = b.shadowed[:0], b.changes[:0]
	var tops []top
	for i, k := range b.current {
		tops = append(tops, top{job: noJob, place: k.place, start: k.start, end: k.end})
		if k.state == nil {
			b.changes = append(b.changes, change{k.start, int32(i), false})
			for _, p := range k.place.Parts {
				b.shadowed = append(b.shadowed, p.Vnode)
			}
			b.shadowed = append(b.shadowed, k.place.Own...)
		}
		b.changes = append(b.changes, change{k.end, int32(i), true})
	}
	slices.Sort(b.shadowed)
	b.shadowed = slices.Compact(b.shadowed)
	slices.SortStableFunc(b.changes, func(x, y change) int { return cmp.Compare(x.at, y.at) })
	b.e.calendar.fix(tops)
}

// shade is what reservations that have not begun mean for a class of jobs of other queues.
type shade struct {
	version  uint64  // one more than the calendar's when it was found out
	shortest float64 // likewise of the class
	isNear   bool    // whether vnodes of theirs have room for it
	mayHold  bool    // whether they have for its shortest job, which ends in time
}

// shade finds out what reservations mean for a class now.
func (b *bookings) shade(c *class) *shade {
	s := &c.shade
	if version := b.e.calendar.version + 1; s.version != version || c.shortest < s.shortest {
		*s = shade{version: version, shortest: c.shortest}
		beside := b.e.calendar.beside(c.shortest)
		for _, v := range b.shadowed {
			if b.e.state.MayUse(v, b.e.state.Free(v), c.request) {
				left, _, _ := beside.Left(v)
				s.isNear = true
				if s.mayHold = b.e.state.MayUse(v, left, c.request); s.mayHold {
					break
				}
			}
		}
	}
	return s
}

// mayHold reports whether some jobs of a class may start now, as far as reservations go, where
// longer ones may not.
func (b *bookings) mayHold(c *class) bool {
	return c.booked == nil && len(b.shadowed) > 0 && b.shade(c).mayHold
}

// fitsBeside reports whether the shortest job of a class, which fits now, may start beside
// reservations.
func (b *bookings) fitsBeside(c *class) bool {
	if len(b.shadowed) == 0 || !b.shade(c).isNear {
		return true
	}
	_, ok := b.e.state.Place(c.request, b.e.calendar.beside(c.shortest))
	return ok
}

// reason says which reservation keeps a job of a class that would fit else, the one that begins
// first. It is "" for none.
func (b *bookings) reason(job int32, c *class) string {
	if c.booked != nil || c.isLimited() || !b.arePending() || !b.e.state.Fits(c.request) {
		return ""
	}
	length := b.e.length(job)
	if _, ok := b.e.state.Place(c.request, b.e.calendar.beside(length)); ok {
		return ""
	}
	for _, k := range b.current {
		if k.state == nil && k.start < b.e.now+length && k.isInWay(b.e.state, c.request) {
			return fmt.Sprintf(waitsForReservation+"%s from %s", k.of.Queue, time.Unix(int64(k.start), 0).In(cmp.Or(b.e.World.Zone, time.UTC)).Format("15:04"))
		}
	}
	return ""
}

// goOn lets a job run in its reservation that did before the record begins. ok is false for
// one that did not run in one, or on other vnodes.
func (b *bookings) goOn(job int32) (ok bool) {
	t := &b.e.terms[job]
	of := b.byQueue[t.queue]
	if of == nil || of.on == nil {
		return false
	}
	place, ok := of.on.state.ParseVnodes(b.e.work.Jobs[job].Vnodes(), b.e.request(t))
	if ok {
		of.on.enter(&b.e.jobs[job], b.e.work.Requests[t.request].Amounts, place)
	}
	return ok
}
