package dump

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
)

// Reservation is a time for which nodes are kept.
type Reservation struct {
	Name       string
	Start, End int64
	Nodes      []string
	IsFlex     bool
	IsMagnetic bool // whether jobs that may use it are tried in it though they do not ask for it (MAGNETIC)
	IsMaint    bool // whether it is for maintenance (MAINT)
	IsPast     bool // whether sacctmgr alone tells of it
	Guests     slurm.Guests

	Lacks         string // why its nodes are not kept, "" where they are
	IsOfSomeCores bool   // whether it has some of the cores of its nodes alone

	CPUs    float64 // that it has, 0 where nothing tells
	Repeats string  // the flag with which it comes again, "" for none

	Unmodelled []string // what else of it is not modelled
}

// Cores says how many CPUs it has, of one that has some of the cores of its nodes.
func (b *Reservation) Cores() string {
	if b.CPUs > 0 {
		return report.Fixed(b.CPUs, 0) + " CPUs"
	}
	return "some cores"
}

// repeating are the flags of reservations that come again.
var repeating = []string{"HOURLY", "DAILY", "WEEKDAY", "WEEKEND", "WEEKLY"}

// reservationReader gathers the reservations that a site tells of.
type reservationReader struct {
	list    []Reservation
	remarks []diag.Remark
}

// Reservations reads scontrol show reservation, and sacctmgr -P show reservation.
func (d *Dump) Reservations(zone *time.Location) ([]Reservation, []diag.Remark, error) {
	var all reservationReader
	cores := map[string]float64{}
	for _, n := range d.Records(KindNodes) {
		cores[n["nodename"]] = Number(n["cputot"], 0) / max(1, Number(n["threadspercore"], 1))
	}
	for _, r := range d.Records(KindReservations) {
		unmodelled := unmodelledOf(r)
		for _, what := range unmodelled {
			all.remarks = append(all.remarks, diag.Warningf("%s, is not modelled", what))
		}
		b, err := all.one(r["reservationname"], r["starttime"], r["endtime"], r["nodes"], r["flags"], zone)
		if err != nil {
			return nil, all.remarks, err
		}
		if b == nil {
			continue
		}
		b.Unmodelled, b.Guests = unmodelled, slurm.ReadGuests(r["users"], r["accounts"])
		amounts, _ := slurm.ParseAmounts(r["tres"])
		b.CPUs = slurm.AmountsByName(amounts)["cpu"]
		whole := 0.0
		for _, name := range b.Nodes {
			whole += cores[name]
		}
		if n := Number(r["corecnt"], whole); b.Lacks == "" && (r["coreids"] != "" || n > 0 && n < whole) {
			b.Lacks, b.IsOfSomeCores = "it has some of the cores of its nodes", true
		}
		if len(b.Nodes) > 0 || b.CPUs > 0 { // else it is of licences
			all.list = append(all.list, *b)
		}
	}
	for _, p := range d.All(KindPastReservations) {
		rows, odd := ReadTable(p.Text)
		if odd > 0 {
			all.remarks = append(all.remarks, diag.Damagef("%s: %s with more or fewer columns than the header, left out", p.Name, report.Count(odd, "row")))
		}
		for _, row := range cut(KindPastReservations, rows) {
			if cluster := d.Config("clustername"); row["cluster"] != "" && cluster != "" && row["cluster"] != cluster {
				continue
			}
			b, err := all.one(row["name"], cmp.Or(row["timestart"], row["start"]), cmp.Or(row["timeend"], row["end"]), cmp.Or(row["nodenames"], row["nodename"], row["nodes"], row["nodelist"]), row["flags"], zone)
			if err != nil {
				return nil, all.remarks, err
			}
			if b != nil {
				amounts, _ := slurm.ParseAmounts(row["tres"])
				b.CPUs = slurm.AmountsByName(amounts)["cpu"]
				all.join(*b)
			}
		}
	}
	all.remarks = append(all.remarks, d.lackingReservations(all.list)...)
	slices.SortStableFunc(all.list, func(a, b Reservation) int { return cmp.Compare(a.Start, b.Start) })
	return all.list, all.remarks, nil
}

// unmodelledOf says what of a reservation that scontrol prints is not modelled, or not known here.
func unmodelledOf(r Row) (list []string) {
	name := report.Printable(r["reservationname"])
	for i := range slurm.ReservationAttributes {
		x := &slurm.ReservationAttributes[i]
		if value := r[strings.ToLower(x.Name)]; x.Matters(value) {
			list = append(list, fmt.Sprintf("%s (%s) of reservation %s, %s", x.Name, report.Printable(value), name, x.Lacks))
		}
	}
	for word := range strings.SplitSeq(r["flags"], ",") {
		flag, _, _ := strings.Cut(word, "=") // PURGE_COMP=00:05:00
		switch x := slurm.ReservationFlags.Of(strings.TrimSpace(flag)); {
		case x == nil && strings.Trim(flag, " ") != "" && flag != "(null)":
			list = append(list, fmt.Sprintf("flag %s of reservation %s, which is not known here", report.Printable(word), name))
		case x != nil && x.Lacks != "":
			list = append(list, fmt.Sprintf("flag %s of reservation %s, %s", report.Printable(word), name, x.Lacks))
		}
	}
	return list
}

// lackingReservations says which nodes are reserved, of which no reservation is known, and else where nothing tells of any.
func (d *Dump) lackingReservations(known []Reservation) []diag.Remark {
	if remarks := d.UnknownReservations(known); remarks != nil {
		return remarks
	}
	if len(d.All(KindReservations)) == 0 && len(d.All(KindPastReservations)) == 0 {
		return []diag.Remark{diag.Notef("which nodes are reserved for a time is not known: the site has no scontrol show reservation, and starts may come later than is said").Joined(diag.NotKnown, "which nodes are reserved, by which starts may come later (scontrol show reservation)")}
	}
	return nil
}

// UnknownReservations says which nodes are reserved, as Slurm says, by none of those that are known.
func (d *Dump) UnknownReservations(known []Reservation) []diag.Remark {
	list := d.ReservedByUnknown(known)
	if list == nil {
		return nil
	}
	return []diag.Remark{diag.Warningf("no reservation is known of %s that Slurm says to be reserved, %s: nothing starts there right now, forecasts have jobs start there which it may keep away, and which jobs it attracts (MAGNETIC), so that they go first, is not known (scontrol show reservation tells it)", report.Count(len(list), "node"), report.First(list))}
}

// ReservedByUnknown returns the nodes that are reserved, as Slurm says, by none of the reservations that are known.
func (d *Dump) ReservedByUnknown(known []Reservation) (list []string) {
	for _, n := range d.reserved() {
		node, name := n["nodename"], reservationOf(n)
		isKnown := func(b Reservation) bool {
			return slices.Contains(b.Nodes, node) && (name == "" || name == b.Name)
		}
		if !slices.ContainsFunc(known, isKnown) {
			list = append(list, node)
		}
	}
	return list
}

// UnknownGuests says of a MAGNETIC reservation that nothing tells whom it lets in, as where it is of groups, or sacctmgr alone has it.
func UnknownGuests(name string) diag.Remark {
	return diag.Warningf("reservation %s is MAGNETIC, and nothing tells whom it lets in (Users and Accounts of scontrol show reservation): it attracts nobody here", report.Printable(name))
}

// reserved returns the nodes that Slurm says to be in a reservation.
func (d *Dump) reserved() (nodes []Row) {
	for _, n := range d.Records(KindNodes) {
		if isReserved(n) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// reservationOf returns the reservation that a node is said to be in, "" where its name is not told.
func reservationOf(node Row) string {
	if name := cmp.Or(node["reservationname"], node["resvname"]); name != "(null)" && name != "N/A" {
		return name
	}
	return ""
}

// isReserved reports whether Slurm says that a node is in a reservation: by its name, by a flag of the state (for
// maintenance another one), or by the sign that sinfo has for that.
func isReserved(node Row) bool {
	isFlag := func(word string) bool { return slices.Contains([]string{"RESERVED", "MAINT", "MAINTENANCE"}, word) }
	return strings.Contains(node["state"], "$") || slices.ContainsFunc(slurm.NodeStateWords(node["state"]), isFlag) || reservationOf(node) != ""
}

// one returns a reservation, nil with a remark where its times cannot be read.
func (all *reservationReader) one(name, from, to, nodes, flags string, zone *time.Location) (*Reservation, error) {
	b := &Reservation{Name: name}
	start, wrong := time.ParseInLocation(TimeLayout, from, zone)
	end, alike := time.ParseInLocation(TimeLayout, to, zone)
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
			b.Repeats = flag
		case flag == "FLEX":
			b.IsFlex = true
		case flag == "MAGNETIC":
			b.IsMagnetic = true
		case flag == "MAINT":
			b.IsMaint = true
		case flag == "TIME_FLOAT":
			b.Lacks = "its begin moves with the time (TIME_FLOAT)"
		}
	}
	if len(b.Nodes) == 0 {
		b.Lacks = "nothing tells its nodes"
	}
	return b, nil
}

// join adds what the database tells of a reservation, which scontrol may have printed while it lasted.
func (all *reservationReader) join(b Reservation) {
	at := slices.IndexFunc(all.list, func(x Reservation) bool { return x.Name == b.Name && x.Start == b.Start })
	if at < 0 {
		if now := slices.IndexFunc(all.list, func(x Reservation) bool { return x.Name == b.Name }); now >= 0 { // the database does not tell them
			b.Guests = all.list[now].Guests
		}
		b.IsPast = true
		all.list = append(all.list, b)
		return
	}
	all.list[at].End = b.End // where it was changed or over later
	if old := &all.list[at]; len(old.Nodes) == 0 {
		old.Nodes, old.Lacks, old.CPUs = b.Nodes, b.Lacks, b.CPUs
	}
}
