package replay

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/formula"
)

// Reservations: vnodes that are kept for the jobs of one queue. They are taken as they are
// on record, under any policy. From when one is confirmed until it begins, no job of
// another queue starts on its vnodes that would delay it; then it has them, and its jobs
// run on nothing else.

// bookings is the reservations of a replay.
type bookings struct {
	at       *situation
	calendar *calendar
	zone     *time.Location
	byQueue  map[int32]*reservation // by number of the queue
	events   []bookingEvent         // by time
	passed   int                    // of events, how many are over
	cycles   []float64              // when reservations make cycles, in order
	current  []*booking             // those that are known, by their begin
	shadowed []int32                // vnodes of those that have not begun
	changes  []change               // of those that are known, as a simulation has them
	version  uint64                 // counts changes of current
}

// reservation is one of which one booking at most has begun.
type reservation struct {
	*world.Reservation
	queue int32
	most  map[string]float64 // what its jobs may ask for in all, by consumable
	on    *booking           // nil while it has not begun
}

// booking is a time for which a reservation has vnodes.
type booking struct {
	of         *reservation
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

func newBookings(at *situation, w *world.World, calendar *calendar) *bookings {
	b := &bookings{at: at, calendar: calendar, zone: time.UTC, byQueue: map[int32]*reservation{}}
	if w == nil {
		return b
	}
	b.zone = cmp.Or(w.Zone, b.zone)
	numbers := map[string]int32{}
	for i, q := range at.queues {
		numbers[q.Name] = int32(i)
	}
	for _, r := range w.Reservations {
		of := &reservation{Reservation: r, queue: -1, most: map[string]float64{}}
		for _, name := range at.cluster.Consumables {
			if amount, ok := formula.ParseAmount(r.Amounts[name], ""); ok {
				of.most[name], _ = amount.Number()
			}
		}
		for _, h := range r.Holds {
			k := &booking{of: of, from: float64(h.From), start: max(float64(h.Start), float64(h.From)), end: float64(h.End), gone: float64(h.End)}
			if h.Until != 0 {
				k.gone = min(k.gone, float64(h.Until))
			}
			k.place = at.state.ParseReserved(h.Nodes, h.Place)
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
		if queue, ok := numbers[r.Queue]; ok {
			of.queue = queue
			b.byQueue[queue] = of
			at.queues[queue].Stopped = true
		}
	}
	slices.SortStableFunc(b.events, func(x, y bookingEvent) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.kind, y.kind))
	})
	first := float64(at.work.First)
	slices.Sort(b.cycles)
	b.cycles = slices.DeleteFunc(b.cycles, func(at float64) bool { return at < first })
	return b
}

// arePending reports whether reservations are known that have not begun.
func (b *bookings) arePending() bool { return len(b.shadowed) > 0 }

// next returns when reservations make the next cycle. Where nothing else happens any more
// that is when anything of a reservation changes for which jobs wait, or in which they run.
// last is the begin of the cycle before.
func (b *bookings) next(other, last float64, doWait bool) float64 {
	for len(b.cycles) > 0 && b.cycles[0] <= last {
		b.cycles = b.cycles[1:]
	}
	at := math.Inf(1)
	if math.IsInf(other, 1) && !doWait && !b.areUsed() {
		return at
	}
	if len(b.cycles) > 0 {
		at = b.cycles[0]
	}
	if math.IsInf(other, 1) && b.passed < len(b.events) {
		at = min(at, max(last, b.events[b.passed].at))
	}
	return at
}

// areUsed reports whether jobs run in reservations.
func (b *bookings) areUsed() bool {
	return slices.ContainsFunc(b.current, func(k *booking) bool { return len(k.jobs) > 0 })
}

// admit takes in what has happened to reservations up to now. It returns the jobs that ended
// with them, and the reservations that are gone, in whose queues nobody can wait.
func (b *bookings) admit() (ended []int32, gone []*reservation) {
	hasChanged := false
	for ; b.passed < len(b.events) && b.events[b.passed].at <= b.at.now; b.passed++ {
		hasChanged = true
		switch ev := b.events[b.passed]; ev.kind {
		case isConfirmed:
			at, _ := slices.BinarySearchFunc(b.current, ev.of, func(x, y *booking) int { return cmp.Compare(x.start, y.start) })
			b.current = slices.Insert(b.current, at, ev.of)
		case hasBegun:
			b.begin(ev.of)
		case isGone:
			ended = append(ended, b.end(ev.of)...)
			if float64(ev.of.of.Ended) == ev.of.gone && ev.of.state != nil {
				gone = append(gone, ev.of.of)
			}
		}
	}
	if hasChanged {
		b.at.freed++
		b.at.changed = true
		b.settle()
	}
	return ended, gone
}

// begin gives a booking its vnodes.
func (b *bookings) begin(k *booking) {
	var part *cluster.Cluster
	part, k.numbers = b.at.cluster.Within(k.place)
	k.state, k.asked = part.NewState(), map[string]float64{}
	for i, v := range k.numbers {
		if b.at.state.IsAway(v) {
			k.state.SetAway(int32(i), true)
		}
	}
	b.at.state.Occupy(k.place)
	k.of.on = k
	if k.of.queue >= 0 {
		b.at.queues[k.of.queue].Stopped = false
	}
}

// end takes the vnodes of a booking back, and returns its jobs, which end.
func (b *bookings) end(k *booking) (jobs []int32) {
	b.current = slices.DeleteFunc(b.current, func(other *booking) bool { return other == k })
	if k.state == nil {
		return nil
	}
	for _, job := range k.jobs {
		p := &b.at.jobs[job]
		p.ends = max(p.starts, min(p.ends, k.gone))
	}
	b.at.state.Release(k.place)
	if k.of.on == k {
		k.of.on = nil
		if k.of.queue >= 0 {
			b.at.queues[k.of.queue].Stopped = true
		}
	}
	return slices.Clone(k.jobs)
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
	b.calendar.fix(tops, b.changes)
}

// shadow is what reservations that have not begun mean for a class of jobs of other queues.
type shadow struct {
	version  uint64  // one more than the calendar's when it was found out
	shortest float64 // likewise of the class
	isNear   bool    // whether vnodes of theirs have room for it
	mayHold  bool    // whether they have for its shortest job, which ends in time

	tried fitTime // when fits was found out
	fits  bool    // whether its shortest job fits beside them
}

// fitTime is when it was found out whether something fits beside what is planned: the second,
// and one more than the calendar's stamp.
type fitTime struct {
	at    float64
	stamp uint64
}

// shadowOf finds out what reservations mean for a class now.
func (b *bookings) shadowOf(c *class) *shadow {
	s := &c.shadow
	if version := b.calendar.version + 1; s.version != version || c.shortest < s.shortest {
		*s = shadow{version: version, shortest: c.shortest}
		beside := b.calendar.beside(c.shortest)
		for _, v := range b.shadowed {
			if b.at.state.MayUse(v, b.at.state.Free(v), c.request) {
				left, _, _ := beside.Left(v)
				s.isNear = true
				if s.mayHold = b.at.state.MayUse(v, left, c.request); s.mayHold {
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
	return c.booked == nil && len(b.shadowed) > 0 && b.shadowOf(c).mayHold
}

// fitsBeside reports whether the shortest job of a class, which fits now, may start beside
// reservations.
func (b *bookings) fitsBeside(c *class) bool {
	if len(b.shadowed) == 0 {
		return true
	}
	s := b.shadowOf(c)
	if tried := (fitTime{math.Floor(b.at.now), b.calendar.stamp + 1}); s.isNear && (s.tried != tried || b.at.isPlain) {
		s.tried = tried
		_, s.fits = b.at.state.Place(c.request, b.calendar.beside(c.shortest))
	}
	return !s.isNear || s.fits
}

// reason says which reservation keeps a job of a class that would fit else, the one that begins
// first. It is "" for none.
func (b *bookings) reason(job int32, c *class) string {
	if c.booked != nil || c.isLimited() || !b.arePending() || !b.at.state.Fits(c.request) {
		return ""
	}
	length := b.at.length(job)
	if _, ok := b.at.state.Place(c.request, b.calendar.beside(length)); ok {
		return ""
	}
	for _, k := range b.current {
		if k.state == nil && k.start < b.at.now+length && k.isInWay(b.at.state, c.request) {
			return fmt.Sprintf(waitsForReservation+"%s from %s", cmp.Or(k.of.Queue, k.of.ID), time.Unix(int64(k.start), 0).In(b.zone).Format("15:04"))
		}
	}
	return ""
}

// goOn lets a job run in its reservation that did before the record begins. ok is false for
// one that did not run in one, or on other vnodes.
func (b *bookings) goOn(job int32) (ok bool) {
	t := &b.at.terms[job]
	of := b.byQueue[t.queue]
	if of == nil || of.on == nil {
		return false
	}
	place, ok := of.on.state.ParseVnodes(b.at.work.Jobs[job].Vnodes(), b.at.request(t))
	if ok {
		of.on.enter(b.at.comes(job), b.at.work.Requests[t.request].Amounts, place)
	}
	return ok
}
