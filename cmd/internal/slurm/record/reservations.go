package record

import (
	"fmt"
	"maps"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// readReservations makes the reservations that a site tells of part of its setup, for a replay of a record. The
// jobs that ran in one run in it alone. Nothing tells when one was made: it is known since the last start on
// record that would have run into it. The remarks say what was read, and what is not modelled.
func readReservations(n *setup.Site, record *Record) (remarks []diag.Remark) {
	s := n.Setup
	first, last := record.Last, record.Last
	for _, x := range record.Jobs {
		first = min(first, x.Submit)
	}
	for _, b := range n.Reservations {
		if b.Lacks != "" {
			record.Unmodelled = append(record.Unmodelled, fmt.Sprintf("reservation %s: %s", b.Name, b.Lacks))
		}
		record.Unmodelled = append(record.Unmodelled, b.Unmodelled...)
	}
	told, said := n.Keep(first, last)
	remarks = append(remarks, said...)
	inside, hours := 0, map[string]float64{}
	others := map[string]int{}
	for _, x := range record.Jobs {
		if isFlex := func(k sched.Reservation) bool { return k.IsFlex && k.Name == x.asked }; x.reservation == "" && slices.ContainsFunc(s.Reservations, isFlex) {
			x.reservation = x.asked
		}
		if x.reservation == "" {
			continue
		}
		if x.Reservation = reservationOf(s, x); x.Reservation > 0 {
			inside++
			if k := &s.Reservations[x.Reservation-1]; k.IsMagnetic && x.asked == "" && s.LetsIn(k, x.Job) {
				x.Reservation, x.In = 0, k.ID
			}
			continue
		}
		others[x.reservation]++
		if x.Start > 0 {
			hours[x.reservation] += float64(x.cpus()) * float64(x.Run) / 3600
		}
	}
	against := learn(n.Setup, record)
	if len(told) > 0 {
		seconds, nodes := int64(0), map[string]bool{}
		for _, b := range told {
			seconds += (min(b.End, last) - max(b.Start, first)) * int64(len(b.Nodes))
			for _, name := range b.Nodes {
				nodes[name] = true
			}
		}
		remarks = append(remarks, diag.Generalf("%s of %s for %s node hours, in which %s of the record ran: each is known since the last start on record that would have run into it",
			report.Count(len(told), "reservation"), report.Count(len(nodes), "node"), report.Fixed(float64(seconds)/3600, 1), report.Count(inside, "job")))
	}
	if against > 0 {
		remarks = append(remarks, diag.Warningf("%s of the record on nodes that a reservation kept then for others: it was moved, or over sooner, or --tz is another zone", report.Count(against, "start")))
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		remarks = append(remarks, diag.Warningf("%s with %s core hours ran in reservation %s, which is not known or not modelled, and are replayed without it", report.Count(others[name], "job"), report.Fixed(hours[name], 0), name))
	}
	return remarks
}

// reservationOf returns the ID of the reservation that a recorded job ran in, or is to run in; 0 for none.
func reservationOf(s *sched.Setup, x *Job) int32 {
	for _, k := range s.Reservations {
		mayRunIn := x.Start == 0 && k.End > x.Submit
		ranIn := k.Start <= x.Start && x.Start < k.End
		if k.Name == x.reservation && (mayRunIn || ranIn || k.IsFlex) {
			return k.ID
		}
	}
	return 0
}

// learn finds since when reservations are known. It returns how many jobs started on nodes of one after it began
// that were not to run in it.
func learn(s *sched.Setup, record *Record) (against int) {
	if len(s.Reservations) == 0 {
		return 0
	}
	places := map[string]int{}
	for i, node := range s.Nodes {
		places[node.Name] = i
	}
	for _, x := range record.Jobs {
		if x.Start == 0 {
			continue
		}
		var on sched.Set
		for i := range s.Reservations {
			k := &s.Reservations[i]
			if x.Reservation == k.ID || x.In == k.ID || x.Start >= k.End || x.Start+x.Limit <= k.Start {
				continue
			}
			if on == nil {
				on = sched.NewSet(len(s.Nodes))
				names, _ := slurm.Hostlist(x.NodeList)
				for _, name := range names {
					if at, ok := places[name]; ok {
						on.Add(at)
					}
				}
			}
			switch {
			case !on.Meets(k.Nodes):
			case x.Start >= k.Start:
				against++
			default:
				k.Known = max(k.Known, x.Start+1)
			}
		}
	}
	for _, x := range record.Jobs {
		if x.In > 0 {
			k := &s.Reservations[x.In-1]
			k.Known = min(k.Known, x.Start)
		}
	}
	return against
}
