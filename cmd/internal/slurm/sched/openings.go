package sched

import (
	"math"
	"slices"
)

// Openings say when reservations leave jobs nodes to start on at all, whatever runs.
type Openings struct {
	setup *Setup
	empty *Machine // on which nothing runs
	turns []int64  // when reservations begin and end, in the order of time: at no other times does a job get nodes
}

// Openings returns when jobs may start on a site, nil where no reservation keeps nodes, so that all times are alike.
func (s *Setup) Openings() *Openings {
	if len(s.Reservations) == 0 {
		return nil
	}
	o := &Openings{setup: s, empty: NewMachine(s.Cluster)}
	for i := range s.Reservations {
		o.turns = append(o.turns, s.Reservations[i].Start, s.Reservations[i].End)
	}
	slices.Sort(o.turns)
	o.turns = slices.Compact(o.turns)
	return o
}

// Next returns the first time from another one on at which a job that waits may start in one of its partitions; infinity
// for never.
func (o *Openings) Next(j *Job, at float64) float64 {
	entries := o.entries(j)
	if o.isOpen(entries, int64(at)) {
		return at
	}
	for _, turn := range o.turns {
		if float64(turn) > at && o.isOpen(entries, turn) {
			return float64(turn)
		}
	}
	return math.Inf(1)
}

// entries returns a job as each of its partitions has it, and each MAGNETIC reservation that it may run in.
func (o *Openings) entries(j *Job) []*Job {
	list := slices.Clone(o.setup.Entries(j))
	for _, in := range list {
		for i := range o.setup.Reservations {
			if k := &o.setup.Reservations[i]; o.setup.attracts(k, in) {
				of := *in
				of.Reservation = k.ID
				list = append(list, &of)
			}
		}
	}
	return list
}

// isOpen reports whether an entry fits at a time on the nodes that reservations leave it.
func (o *Openings) isOpen(entries []*Job, at int64) bool {
	return slices.ContainsFunc(entries, func(j *Job) bool {
		among := o.setup.Partitions[j.Partition].Nodes.clone()
		exclude(o.setup.Reservations, among, at, at+j.Limit, j.Reservation)
		confine(o.setup.Reservations, among, at, j.Reservation)
		return (&placer{}).place(o.empty, o.setup.requestIn(j.Request, j.Partition), among) != nil
	})
}
