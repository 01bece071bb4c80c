package slurmsite

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurmsched"
)

// Reservation is a time for which nodes are kept.
type Reservation struct {
	Name       string
	Start, End int64
	Nodes      []string
	IsFlex     bool

	lacks   string  // why its nodes are not kept, "" where they are
	cpus    float64 // that it has, 0 where nothing tells
	repeats string  // the flag with which it comes again, "" for none
}

// repeating are the flags of reservations that come again.
var repeating = []string{"HOURLY", "DAILY", "WEEKDAY", "WEEKEND", "WEEKLY"}

// booked are the reservations that a site tells of.
type booked struct {
	list    []Reservation
	remarks []diag.Remark
}

// reservationsOf reads scontrol show reservation, and sacctmgr -P show reservation.
func reservationsOf(f *folder, zone *time.Location) (booked, error) {
	var all booked
	cores := map[string]float64{}
	for _, n := range records(f.all(isNodes), "NodeName") {
		cores[n["nodename"]] = number(n["cputot"], 0) / max(1, number(n["threadspercore"], 1))
	}
	for _, r := range records(f.all(isReservations), "ReservationName") {
		b, err := all.one(r["reservationname"], r["starttime"], r["endtime"], r["nodes"], r["flags"], zone)
		if err != nil {
			return all, err
		}
		if b == nil {
			continue
		}
		amounts, _ := slurm.ParseAmounts(r["tres"])
		b.cpus = slurm.AmountsByName(amounts)["cpu"]
		whole := 0.0
		for _, name := range b.Nodes {
			whole += cores[name]
		}
		if n := number(r["corecnt"], whole); b.lacks == "" && (r["coreids"] != "" || n > 0 && n < whole) {
			b.lacks = "it has some of the cores of its nodes"
		}
		if len(b.Nodes) > 0 || b.cpus > 0 { // else it is of licences
			all.list = append(all.list, *b)
		}
	}
	for _, p := range f.all(isBooked) {
		rows, odd := table(p.text)
		if odd > 0 {
			all.remarks = append(all.remarks, diag.Damagef("%s: %s with more or fewer columns than the header, left out", p.Name, report.Count(odd, "row")))
		}
		for _, row := range rows {
			if cluster := f.config("clustername"); row["cluster"] != "" && cluster != "" && row["cluster"] != cluster {
				continue
			}
			b, err := all.one(row["name"], cmp.Or(row["timestart"], row["start"]), cmp.Or(row["timeend"], row["end"]), cmp.Or(row["nodenames"], row["nodename"], row["nodes"], row["nodelist"]), row["flags"], zone)
			if err != nil {
				return all, err
			}
			if b != nil {
				amounts, _ := slurm.ParseAmounts(row["tres"])
				b.cpus = slurm.AmountsByName(amounts)["cpu"]
				all.join(*b)
			}
		}
	}
	slices.SortStableFunc(all.list, func(a, b Reservation) int { return cmp.Compare(a.Start, b.Start) })
	return all, nil
}

// one returns a reservation, nil with a remark where its times cannot be read.
func (all *booked) one(name, from, to, nodes, flags string, zone *time.Location) (*Reservation, error) {
	b := &Reservation{Name: name}
	start, wrong := time.ParseInLocation(timeLayout, from, zone)
	end, alike := time.ParseInLocation(timeLayout, to, zone)
	if wrong != nil || alike != nil || !end.After(start) {
		all.remarks = append(all.remarks, diag.Damagef("reservation %s is left out: its times cannot be read", report.Printable(name)))
		return nil, nil
	}
	b.Start, b.End = start.Unix(), end.Unix()
	var err error
	if b.Nodes, err = slurm.Hostlist(nodes); err != nil {
		return nil, fmt.Errorf("reservation %s: %w", name, err)
	}
	for flag := range strings.SplitSeq(strings.ToUpper(flags), ",") {
		switch {
		case slices.Contains(repeating, flag):
			b.repeats = flag
		case flag == "FLEX":
			b.IsFlex = true
		case flag == "TIME_FLOAT":
			b.lacks = "its begin moves with the time (TIME_FLOAT)"
		}
	}
	if len(b.Nodes) == 0 {
		b.lacks = "nothing tells its nodes"
	}
	return b, nil
}

// join adds what the database tells of a reservation, which scontrol may have printed while it lasted.
func (all *booked) join(b Reservation) {
	at := slices.IndexFunc(all.list, func(x Reservation) bool { return x.Name == b.Name && x.Start == b.Start })
	if at < 0 {
		all.list = append(all.list, b)
		return
	}
	all.list[at].End = b.End // where it was changed or over later
	if old := &all.list[at]; len(old.Nodes) == 0 {
		old.Nodes, old.lacks, old.cpus = b.Nodes, b.lacks, b.cpus
	}
}

// kept returns a reservation as the scheduler knows it.
func (b *Reservation) kept(s *slurmsched.Setup, id int32) slurmsched.Kept {
	k := slurmsched.Kept{Name: b.Name, Nodes: slurmsched.NewSet(len(s.Nodes)), Start: b.Start, End: b.End, ID: id, IsFlex: b.IsFlex}
	for i, node := range s.Nodes {
		if slices.Contains(b.Nodes, node.Name) {
			k.Nodes.Add(i)
		}
	}
	return k
}

// Keep makes the reservations part of the setup that last at some time between two moments. It returns them, and
// remarks on what is not modelled of them and of others.
func (n *Now) Keep(from, to int64) (told []Reservation, remarks []diag.Remark) {
	s := n.Setup
	for i := range n.booked.list {
		b := &n.booked.list[i]
		if b.End <= from || b.Start >= to {
			continue
		}
		hours := report.Fixed(b.cpus*float64(b.End-b.Start)/hour, 0)
		if b.lacks != "" {
			remarks = append(remarks, diag.Warningf("reservation %s (%s core hours) is not modelled: %s", b.Name, hours, b.lacks))
			continue
		}
		if b.repeats != "" {
			remarks = append(remarks, diag.Warningf("reservation %s (%s core hours each time) comes again (%s): only the time that is printed is modelled", b.Name, hours, b.repeats))
		}
		if b.IsFlex {
			remarks = append(remarks, diag.Notef("reservation %s (%s core hours) is FLEX: its jobs run before it and on other nodes as well, and do not prefer its own", b.Name, hours))
		}
		s.Kept = append(s.Kept, b.kept(s, int32(len(s.Kept)+1)))
		told = append(told, *b)
	}
	return told, remarks
}

// readReservations makes the reservations that a site tells of part of its setup, for a replay of a record. The
// jobs that ran in one run in it alone. Nothing tells when one was made: it is known since the last start on
// record that would have run into it. The remarks say what was read, and what is not modelled.
func (n *Now) readReservations(record *Record) []diag.Remark {
	remarks := n.booked.remarks
	s := n.Setup
	first, last := record.Last, record.Last
	for _, x := range record.Jobs {
		first = min(first, x.Submit)
	}
	told, said := n.Keep(first, last)
	remarks = append(remarks, said...)
	inside, hours := 0, map[string]float64{}
	others := map[string]int{}
	for _, x := range record.Jobs {
		if isFlex := func(k slurmsched.Kept) bool { return k.IsFlex && k.Name == x.flexible }; x.flexible != "" && slices.ContainsFunc(s.Kept, isFlex) {
			x.reservation = x.flexible
		}
		if x.reservation == "" {
			continue
		}
		if x.In = reservationOf(s, x); x.In > 0 {
			inside++
			continue
		}
		others[x.reservation]++
		if x.Start > 0 {
			hours[x.reservation] += float64(x.Request.CPUs) * float64(x.Run) / 3600
		}
	}
	against := n.learn(record)
	if len(told) > 0 {
		seconds, nodes := int64(0), map[string]bool{}
		for _, b := range told {
			seconds += (min(b.End, last) - max(b.Start, first)) * int64(len(b.Nodes))
			for _, name := range b.Nodes {
				nodes[name] = true
			}
		}
		remarks = append(remarks, diag.Notef("%s of %s for %s node hours, in which %s of the record ran: each is known since the last start on record that would have run into it",
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

// reservationOf returns the Kept.ID of the reservation that a recorded job ran in, or is to run in; 0 for none.
func reservationOf(s *slurmsched.Setup, x *Recorded) int32 {
	for _, k := range s.Kept {
		if k.Name == x.reservation && (x.Start == 0 && k.End > x.Submit || k.IsFlex || k.Start <= x.Start && x.Start < k.End) {
			return k.ID
		}
	}
	return 0
}

// learn finds since when reservations are known. It returns how many jobs started on nodes of one after it began
// that were not to run in it.
func (n *Now) learn(record *Record) (against int) {
	s := n.Setup
	if len(s.Kept) == 0 {
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
		var on slurmsched.Set
		for i := range s.Kept {
			k := &s.Kept[i]
			if x.In == k.ID || x.Start >= k.End || x.Start+x.Limit <= k.Start {
				continue
			}
			if on == nil {
				on = slurmsched.NewSet(len(s.Nodes))
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
	return against
}
