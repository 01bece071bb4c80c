package setup

import (
	"math"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/trace"
)

// Site is a site as its scheduler knows it: its set-up, and where a forecast goes on from a moment, its jobs.
type Site struct {
	Name  string
	Setup *sched.Setup
	At    int64 // the moment, in seconds since 1970
	Swept int64 // a time at which priorities were computed, 0 where nothing tells one
	Queue []slurm.ListedJob
	IsSet map[string]bool   // jobs whose priority somebody has set, by ID
	Ranks map[string][]Rank // places in the order of the jobs, by ID; nil where nothing tells the order

	Hidden string // what says that much is in use by jobs which nobody may see who asks, "" for nothing

	World        *dump.Dump         // what tells of nodes and reservations
	Reservations []dump.Reservation // of the site
	Parents      trace.Parents      // of the accounts, for replays
}

// Rank is the place in the order of a job in one of its partitions and under one of its QOS, from 1 on.
type Rank struct {
	Partition, QOS string
	Place          int
}

// WorldKinds are the kinds of files that tell of nodes and reservations.
var WorldKinds = []dump.Kind{dump.KindConfig, dump.KindConf, dump.KindNodes, dump.KindEvents, dump.KindReservations, dump.KindPastReservations}

// Unmodelled says what of a site is not modelled and some answers depend on, and how many jobs of its list it concerns.
func (n *Site) Unmodelled(on slurm.Answers) []diag.Remark {
	return weighListed(NewJobMaker(n.Setup), on, n.Queue, n.At)
}

// weighListed says what Weigh does of the jobs of a list.
func weighListed(maker *JobMaker, on slurm.Answers, listed []slurm.ListedJob, at int64) []diag.Remark {
	if !slices.ContainsFunc(maker.setup.Omissions, func(o sched.Omission) bool { return o.Matters(on) }) {
		return nil
	}
	jobs, hours := make([]*sched.Job, len(listed)), make([]float64, len(listed))
	for i := range listed {
		q := &listed[i]
		jobs[i], _ = maker.Listed(q, at)
		if hours[i] = float64(q.CPUs) * q.TimeLimit / 60; math.IsNaN(hours[i]) || q.TimeLimit > math.MaxInt32 { // nothing tells it
			hours[i] = 0
		}
	}
	return Weigh(maker.setup, on, "the list", func(yield func(j *sched.Job, hours float64) bool) {
		for i, j := range jobs {
			if j != nil && !yield(j, hours[i]) {
				return
			}
		}
	})
}

// keptOf returns a reservation as the scheduler knows it.
func keptOf(b *dump.Reservation, s *sched.Setup, id int32) sched.Reservation {
	k := sched.Reservation{Name: b.Name, Nodes: sched.NewSet(len(s.Nodes)), Start: b.Start, End: b.End, ID: id, IsFlex: b.IsFlex, IsMaint: b.IsMaint, IsMagnetic: b.IsMagnetic && !b.Guests.AreAll(), Guests: b.Guests}
	for i, node := range s.Nodes {
		if slices.Contains(b.Nodes, node.Name) {
			k.Nodes.Add(i)
		}
	}
	return k
}

// Keep makes the reservations part of the setup that last at some time between two moments. It returns them, and
// remarks on what is not modelled of them and of others.
func (n *Site) Keep(from, to int64) (told []dump.Reservation, remarks []diag.Remark) {
	s := n.Setup
	for i := range n.Reservations {
		b := &n.Reservations[i]
		if b.End <= from || b.Start >= to {
			continue
		}
		own := b.CPUs * float64(b.End-b.Start) / 3600
		hours := report.Fixed(own, 0)
		if b.Lacks != "" {
			remarks = append(remarks, diag.Warningf("reservation %s (%s core hours) is not modelled: %s", b.Name, hours, b.Lacks).Joined(diag.NotModelled, "reservation %s (%s core hours): %s", b.Name, hours, b.Lacks))
			continue
		}
		if b.Repeats != "" {
			remarks = append(remarks, diag.Warningf("reservation %s (%s core hours each time) comes again (%s): only the time that is printed is modelled", b.Name, hours, b.Repeats).Joined(diag.NotModelled, "that reservation %s (%s core hours each time) comes again", b.Name, hours))
		}
		if b.IsMagnetic && b.Guests.AreAll() {
			remarks = append(remarks, dump.UnknownGuests(b.Name))
		}
		s.Reservations = append(s.Reservations, keptOf(b, s, int32(len(s.Reservations)+1)))
		told = append(told, *b)
	}
	return told, append(remarks, n.SayFlexible(from, to)...)
}

// UnknownReservation is what a reservation is called of which nothing is known but that Slurm says its nodes to be reserved.
const UnknownReservation = "not known"

// KeepUnknown makes one reservation more part of the setup, of the nodes that are reserved by none that is known: whom it lets in and when
// it ends is not known either, so that right now nothing starts there.
func (n *Site) KeepUnknown() {
	const long = 10 * 365 * 24 * 3600 // more than any time limit
	b := dump.Reservation{Name: UnknownReservation, Start: n.At, End: n.At + long, Nodes: n.World.ReservedByUnknown(n.Reservations)}
	if b.Nodes != nil {
		n.Setup.Reservations = append(n.Setup.Reservations, keptOf(&b, n.Setup, int32(len(n.Setup.Reservations)+1)))
	}
}

// SayFlexible says of the FLEX reservations of the set-up what is not modelled of them, for as long as they last between two moments.
func (n *Site) SayFlexible(from, to int64) (remarks []diag.Remark) {
	var flexible []string
	cores := 0. // hours of those
	for i := range n.Reservations {
		b := &n.Reservations[i]
		isKept := slices.ContainsFunc(n.Setup.Reservations, func(k sched.Reservation) bool { return k.Name == b.Name && k.IsFlex && k.End < sched.ForGood })
		if b.End > from && b.Start < to && b.IsFlex && b.Lacks == "" && isKept {
			flexible, cores = append(flexible, b.Name), cores+b.CPUs*float64(b.End-b.Start)/3600
		}
	}
	switch n := len(flexible); {
	case n == 1:
		remarks = append(remarks, diag.Notef("reservation %s (%s core hours) is FLEX: its jobs run before it and on other nodes as well, and do not prefer its own", flexible[0], report.Fixed(cores, 0)).Joined(diag.NotModelled, "FLEX of reservation %s (%s core hours)", flexible[0], report.Fixed(cores, 0)))
	case n > 1:
		remarks = append(remarks, diag.Notef("%d reservations (%s core hours) are FLEX: their jobs run before them and on other nodes as well, and do not prefer their own: %s", n, report.Fixed(cores, 0), report.First(slices.Compact(slices.Sorted(slices.Values(flexible))))).Joined(diag.NotModelled, "FLEX of %d reservations (%s core hours)", n, report.Fixed(cores, 0)))
	}
	return remarks
}
