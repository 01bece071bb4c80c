package sched

import (
	"cmp"
	"slices"

	"fairshare/cmd/internal/slurm"
)

// Reservation is a time for which nodes are kept: they go to no job of others that would not be
// over by then, or that begins before it ends.
type Reservation struct {
	Name       string
	Nodes      Set
	Start, End int64
	Known      int64        // since when the scheduler knows of it
	ID         int32        // by which jobs ask for it, see Job.Reservation; 0 where none does
	IsFlex     bool         // whether its jobs may run before it, after it and on other nodes as well
	Guests     slurm.Guests // who may run in it
	IsMagnetic bool         // whether jobs that ask for none and may run in it are tried in it as well, see engine.attract
	IsMaint    bool         // whether it is for maintenance: a job that it keeps from all nodes holds nobody up
}

// overlaps reports whether a reservation keeps its nodes from a job between two moments. own is the
// one that the job asks for, 0 for none.
func (k *Reservation) overlaps(start, end int64, own int32) bool {
	return k.Start < end && k.End > start && (own == 0 || k.ID != own)
}

// exclude takes the nodes out of a set that reservations keep from a job at some time between two moments.
func exclude(reservations []Reservation, among Set, start, end int64, own int32) {
	for i := range reservations {
		if reservations[i].overlaps(start, end, own) {
			among.subtract(reservations[i].Nodes)
		}
	}
}

// excludeMaintained is exclude of the reservations for maintenance alone.
func excludeMaintained(reservations []Reservation, among Set, start, end int64, own int32) {
	for i := range reservations {
		if k := &reservations[i]; k.IsMaint && k.overlaps(start, end, own) {
			among.subtract(k.Nodes)
		}
	}
}

// confine takes the nodes out of a set on which a job may not start at a time that asks for a reservation:
// those of others, and all while it has not begun or is over.
func confine(reservations []Reservation, among Set, at int64, own int32) {
	if own == 0 {
		return
	}
	k := reservationByID(reservations, own)
	switch {
	case k == nil || !k.IsFlex && (at < k.Start || at >= k.End):
		clear(among)
	case !k.IsFlex:
		among.intersect(k.Nodes)
	}
}

// reservationByID returns the reservation that a job asks for, nil if it is over.
func reservationByID(reservations []Reservation, own int32) *Reservation {
	for i := range reservations {
		if reservations[i].ID == own {
			return &reservations[i]
		}
	}
	return nil
}

// ReservationOf returns the reservation that a job asks for, nil for none.
func (s *Setup) ReservationOf(j *Job) *Reservation {
	if j.Reservation == 0 {
		return nil
	}
	return reservationByID(s.Reservations, j.Reservation)
}

// areReserved reports whether a reservation keeps one of some nodes from a job between two moments.
func areReserved(reservations []Reservation, nodes Set, start, end int64, own int32) bool {
	for i := range reservations {
		if reservations[i].overlaps(start, end, own) && reservations[i].Nodes.Meets(nodes) {
			return true
		}
	}
	return false
}

// overMaintenance returns when a job may start on some nodes from a time on that no reservation for maintenance of all of
// them is in its way: such a one puts it off to its very end (Slurm's reservation.c, job_test_resv).
func overMaintenance(reservations []Reservation, nodes Set, at, limit int64, own int32) int64 {
	for i := range reservations { // by end
		if k := &reservations[i]; k.IsMaint && k.overlaps(at, at+limit, own) && nodes.within(k.Nodes) {
			at = k.End
		}
	}
	return at
}

// freeAfter returns when a cycle tests a job anew that some of its nodes are kept from between two moments, 0 where none
// are: a second after the first end of any reservation, rounded up to the resolution of plans (Slurm's reservation.c,
// find_resv_end).
func freeAfter(reservations []Reservation, nodes Set, start, end, resolution int64, own int32) int64 {
	if !areReserved(reservations, nodes, start, end, own) {
		return 0
	}
	for i := range reservations { // by end
		if k := &reservations[i]; k.End >= start {
			return (k.End+resolution-1)/resolution*resolution + 1
		}
	}
	return 0
}

// release makes reservations known, and lets a pass and a cycle follow the end of a reservation, and the begin of one that jobs ask for
// or that attracts some.
func (e *engine) release() {
	follow := func() {
		e.change()
		e.wantPass()
	}
	for ; len(e.unmade) > 0 && e.unmade[0].Known <= e.now; e.unmade = e.unmade[1:] {
		e.reservations = byEnd(append(slices.Clone(e.reservations), e.unmade[0]))
		e.attractAll(&e.unmade[0])
		e.change()
	}
	for ; len(e.reservations) > 0 && e.reservations[0].End <= e.now; e.reservations = e.reservations[1:] {
		e.letGo(&e.reservations[0])
		follow()
	}
	for ; len(e.begins) > 0 && e.begins[0] <= e.now; e.begins = e.begins[1:] {
		follow()
	}
}

// beginsOf returns when the reservations begin that jobs ask for or that attract some, in the order of time.
func beginsOf(reservations []Reservation, isAsked map[int32]bool) (list []int64) {
	for _, k := range reservations {
		if k.ID != 0 && (isAsked[k.ID] || k.IsMagnetic) {
			list = append(list, k.Start)
		}
	}
	slices.Sort(list)
	return list
}

// byKnown returns reservations in the order in which they become known.
func byKnown(reservations []Reservation) []Reservation {
	return slices.SortedStableFunc(slices.Values(reservations), func(a, b Reservation) int { return cmp.Compare(a.Known, b.Known) })
}

// byEnd returns reservations, the first that ends first.
func byEnd(reservations []Reservation) []Reservation {
	return slices.SortedStableFunc(slices.Values(reservations), func(a, b Reservation) int { return cmp.Compare(a.End, b.End) })
}
