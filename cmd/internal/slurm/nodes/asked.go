package nodes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/forecast"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// ask finds out which partitions alone are asked about, and what becomes of a job that is not there yet; nil where none is asked for.
func (r *reader) ask(ctx context.Context, q nodes.Question, m *nodes.Machine) (asked *forecast.Wish, err error) {
	switch {
	case q.Job != "":
		if asked, err = r.WishOfJob(q.Job); err != nil {
			return nil, err
		}
		m.Only = strings.Split(asked.Named, ",")
		m.Asked, err = r.place(ctx, q, asked)
		return asked, err
	case q.Submit == "":
		if q.Queue != "" {
			m.Only, err = r.Lists(q.Queue)
		}
		return nil, err
	}
	if asked, err = r.WishOf(q.Queue, q.User, q.Submit); err != nil {
		return nil, err
	}
	if asked.Named != "" {
		m.Only = strings.Split(asked.Named, ",")
	}
	if m.Asked, err = r.place(ctx, q, asked); err != nil {
		return nil, err
	}
	if usual := r.UsualPartition(); asked.Named == "" && usual != "" {
		of, err := r.WishOf(usual, q.User, q.Submit)
		if err != nil {
			return nil, err
		}
		if m.Asked.Default, err = r.place(ctx, q, of); err != nil {
			return nil, err
		}
	}
	return asked, nil
}

// place says what becomes of what is asked for, in the first of its partitions that has room, of those in which jobs start.
func (r *reader) place(ctx context.Context, q nodes.Question, asked *forecast.Wish) (*nodes.Asked, error) {
	held := "" // what it waits for where there is room for it
	x := &nodes.Asked{Text: q.Submit, IsListed: asked.ID != "", Queue: asked.Named, Places: []string{}, Never: true, Refused: asked.Refused}
	if x.IsListed {
		x.Text = asked.Text()
	}
	partitions := slices.DeleteFunc(slices.Clone(asked.Partitions), func(p int) bool { return isClosed(asked, p) })
	if x.Now = asked.Held; x.Now != "" {
		partitions = asked.Partitions
	} else if len(partitions) == 0 && len(asked.Partitions) > 0 {
		partitions = asked.Partitions
		x.Now = closing(asked)
	} else {
		x.Later = asked.Waits
	}
	x.IsBarred = x.Now != ""
	for _, p := range partitions {
		last := int64(1 << 40) // when no reservation lasts any more, but its own
		if asked.IsReserved() {
			last = asked.Begin
		}
		x.Never = x.Never && asked.PlaceIn(sched.NewMachine(r.Setup.Cluster), p, last, 1) == nil
		if x.Fits && held == "" {
			continue
		}
		shares := asked.PlaceIn(r.machine, p, asked.Begin, asked.Limit(p))
		if shares == nil {
			continue
		}
		why := ""
		if !x.IsBarred && x.Refused == "" && x.Later == "" {
			becomes, err := asked.Judge(ctx, p)
			if err != nil {
				return nil, err
			}
			if !becomes.Starts {
				why = becomes.Reason
			}
		}
		if x.Fits && why != "" { // it waits in an earlier one as well, which is said
			continue
		}
		x.Fits, x.Places, held = true, []string{}, why
		for _, share := range shares {
			x.Places = append(x.Places, r.Setup.Nodes[share.Node].Name)
		}
	}
	if held != "" {
		x.Now = "waits for " + held
	}
	if x.Fits || x.Never || x.IsBarred || x.Refused != "" || x.Later != "" {
		return x, nil
	}
	if !asked.Preempts() {
		return x, limit(ctx, x, asked, partitions)
	}
	for _, p := range partitions {
		becomes, err := asked.Judge(ctx, p)
		if err != nil {
			return nil, err
		}
		if len(becomes.Preempts) > 0 {
			x.Now, x.Preempts, x.Places = becomes.String(), becomes.Preempts.IDs(), becomes.Nodes
			break
		}
	}
	return x, nil
}

// sayLacks says what keeps what is asked for from starting, of all nodes together.
func (r *reader) sayLacks(m *nodes.Machine, asked *forecast.Wish) {
	x := m.Asked
	switch {
	case x.Fits || len(x.Preempts) > 0:
	case x.IsBarred:
		x.Lacks = "it " + x.Now
	case x.Never:
		x.Lacks = r.neverHas(asked)
	default:
		x.Lacks = r.lacks(m.Nodes, asked)
	}
	sayLimit(x)
	sayLimit(x.Default)
	if x.Refused == "" && !x.Never {
		x.Unknown = report.Clauses(r.partlyReserved(x, asked), r.unknown(m))
	}
	if of := x.Default; of != nil && of.Refused == "" && !of.Never {
		usual := *asked
		usual.Partitions = []int{r.Setup.PartitionNamed(of.Queue)}
		of.Unknown = r.partlyReserved(of, &usual)
	}
	if of := x.Default; of != nil && of.Never && of.Now == "" {
		usual := *asked
		usual.Partitions = []int{r.Setup.PartitionNamed(of.Queue)}
		of.Lacks = r.neverHas(&usual)
	}
	if by := asked.RefusedBy; x.Never && x.Lacks == "" && len(by) > 0 {
		x.Lacks = fmt.Sprintf("%s would refuse it: %s (--queue NAME says why)", report.Count(len(by), "partition"), strings.Join(by, ", "))
	}
}

// partlyReserved says on which of the nodes with room for what is asked for a reservation has some of the cores, which are not told apart
// from those that are free; "" for none.
func (r *reader) partlyReserved(x *nodes.Asked, asked *forecast.Wish) string {
	if x.IsBarred {
		return ""
	}
	ends := asked.Begin
	for _, p := range asked.Partitions {
		ends = max(ends, asked.Begin+asked.Limit(p))
	}
	var texts []string
	for _, k := range r.ofSomeCores(asked, ends) {
		own := slices.DeleteFunc(slices.Clone(k.Nodes), func(node string) bool { return !slices.Contains(x.Places, node) })
		if len(own) > 0 {
			texts = append(texts, fmt.Sprintf("that is not sure on %s, where reservation %s has %s that count as free here", report.First(own), report.Printable(k.Name), k.Cores()))
		}
	}
	return report.Clauses(texts...)
}

// ofSomeCores returns the reservations of some cores of their nodes that last at some time from when what is asked for begins and before
// another time, where what is asked for is of no reservation itself.
func (r *reader) ofSomeCores(asked *forecast.Wish, until int64) (list []dump.Reservation) {
	for _, k := range r.Site.Reservations {
		if k.IsOfSomeCores && !k.IsPast && k.Start < until && k.End > asked.Begin && !asked.IsReserved() {
			list = append(list, k)
		}
	}
	return list
}

// partlyReservedOn says of a node with room for what is asked for what of that may be of a reservation of some of its cores; "" for nothing.
func (r *reader) partlyReservedOn(node string, asked *forecast.Wish) string {
	for _, k := range r.ofSomeCores(asked, asked.Begin+1) {
		if slices.Contains(k.Nodes, node) {
			return "not sure: reservation " + k.Name + " has " + k.Cores()
		}
	}
	return ""
}

// unknown says which nodes would have room for a part of what is asked for but for a reservation that is not known, and that others may
// begin of which nothing is known either; "" where all of those that have begun are known.
func (r *reader) unknown(m *nodes.Machine) string {
	const most = 8 // that are named
	if !slices.ContainsFunc(r.Setup.Reservations, func(k sched.Reservation) bool { return k.Name == setup.UnknownReservation }) {
		return ""
	}
	later, now := "", ""
	if m.Asked.Fits {
		later = "whether a reservation begins there before it would end is not known"
	}
	var names []string
	for _, n := range m.Nodes {
		if len(n.Bars) == 1 && n.Bars[0] == (nodes.Bar{What: "reservation", Has: setup.UnknownReservation}) {
			names = append(names, n.Name)
		}
	}
	if names != nil {
		now = "not counted: " + report.Some(names, most) + ", kept by a reservation that is not known"
	}
	if text := report.Clauses(later, now); text != "" {
		return text + " (scontrol show reservation tells it)"
	}
	return ""
}

// limit says what limit keeps what is asked for from starting in every one of some partitions, beside that there is no room.
func limit(ctx context.Context, x *nodes.Asked, asked *forecast.Wish, partitions []int) error {
	for _, p := range partitions {
		becomes, err := asked.Judge(ctx, p)
		if err != nil {
			return err
		}
		word, _, _ := strings.Cut(becomes.Reason, " (")
		if becomes.Starts || !sched.IsLimit(word) && becomes.Reason != sched.WaitsForLicences {
			x.Now = ""
			break
		}
		x.Now = "waits for " + becomes.Reason
	}
	return nil
}

// sayLimit adds to what there is no room for what limit keeps it from starting besides.
func sayLimit(x *nodes.Asked) {
	if x != nil && x.Now != "" && !x.Fits && !x.IsBarred && len(x.Preempts) == 0 {
		x.Lacks = strings.TrimPrefix(x.Lacks+"; with room, it would not start either: it "+x.Now, "; ")
	}
}

// neverHas says which of the nodes that are wanted by name take no jobs, or how many the partitions have where more are asked for; ""
// where it is neither.
func (r *reader) neverHas(asked *forecast.Wish) string {
	if down := r.Setup.WantedDown(asked.Request); len(down) > 0 {
		for i, name := range down {
			down[i] = name + " is " + strings.ToLower(r.told[name]["state"])
		}
		return "of the nodes that -w names, " + strings.Join(down, ", ")
	}
	return r.Setup.LacksUp(asked.MinNodes, asked.Partitions)
}

// lacks says what the nodes that have room for a part of what is asked for lack together, in the partition that has most;
// "" where that is nothing, or no node has room.
func (r *reader) lacks(list []nodes.Node, asked *forecast.Wish) (what string) {
	best := 0
	for _, p := range asked.Partitions {
		var rooms []int
		for _, n := range list {
			if n.Fits > 0 && slices.Contains(n.Queues, r.Setup.Partitions[p].Name) {
				rooms = append(rooms, n.Fits)
			}
		}
		slices.SortFunc(rooms, func(a, b int) int { return b - a })
		count, tasks := len(rooms), 0
		if most := int(asked.MaxNodes); most > 0 {
			rooms = rooms[:min(most, count)]
		}
		for _, room := range rooms {
			tasks += room
		}
		switch {
		case tasks <= best:
		case count < int(asked.MinNodes):
			best, what = tasks, fmt.Sprintf("nodes with room for a task are %d of the %d that it asks for", count, asked.MinNodes)
		case tasks < int(asked.Tasks):
			best, what = tasks, fmt.Sprintf("the %s with most room have it for %d of %d tasks", report.Count(len(rooms), "node"), tasks, asked.Tasks)
			if len(rooms) == 1 {
				what = fmt.Sprintf("the node with most room has it for %d of %d tasks", tasks, asked.Tasks)
			}
		default:
			return ""
		}
	}
	return what
}

// isClosed reports whether a partition starts no job like one that is asked about.
func isClosed(asked *forecast.Wish, partition int) bool {
	why, _ := asked.ClosedTo(partition)
	return why != ""
}

// closing says why none of the partitions of a job starts it: for ever, unless one of them does so as it is now.
func closing(asked *forecast.Wish) string {
	for _, p := range asked.Partitions {
		if why, isOfNow := asked.ClosedTo(p); isOfNow {
			return "is held: " + why
		}
	}
	const most = 3 // that are told one by one
	var list []string
	for _, p := range asked.Partitions {
		if why, _ := asked.ClosedTo(p); !slices.Contains(list, why) {
			list = append(list, why)
		}
	}
	text := "never starts: " + strings.Join(list[:min(most, len(list))], "; ")
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf("; and so in %d more", more)
	}
	return text
}

// judge says for how many tasks of what is asked for a node has room, or what keeps it from one, in the first of its
// partitions that the node is of and in which jobs start.
func (r *reader) judge(n *nodes.Node, i int, asked *forecast.Wish) {
	what, has := "partition", strings.Join(n.Queues, ",")
	at := slices.IndexFunc(asked.Partitions, func(p int) bool {
		of := &r.Setup.Partitions[p]
		why, isOfNow := asked.ClosedTo(p)
		switch {
		case !of.Nodes.Has(i):
			return false
		case isOfNow:
			what, has = "partition", of.Name+" is "+of.State
		case strings.HasPrefix(why, "partition "):
			what, has = "partition", strings.TrimPrefix(why, "partition ")
		case why != "":
			what, has = "limit", strings.TrimSuffix(why, ", whatever else runs")
		}
		return why == ""
	})
	if at < 0 {
		n.Bars = []nodes.Bar{{What: what, Has: has}}
		return
	}
	p := asked.Partitions[at]
	of := *r.Setup.RequestIn(asked.Request, p)
	of.On, of.With = nil, nil
	cpus, bars := r.machine.Bars(&of, i)
	if r.isAway(i) {
		bars = []sched.Bar{{What: "state"}} // whatever it has free
	}
	if what, why := asked.LeavesOut(i); what != "" {
		n.Bars = append(n.Bars, nodes.Bar{What: what, Has: why})
	}
	for _, b := range bars {
		if b.What == "state" {
			b.Has = n.State
		}
		n.Bars = append(n.Bars, nodes.Bar{What: b.What, Has: b.Has})
	}
	if names := asked.Keeping(i, p); len(names) > 0 {
		n.Bars = append(n.Bars, nodes.Bar{What: "reservation", Has: strings.Join(names, ",")})
	}
	if len(n.Bars) == 0 {
		n.Fits = int(cpus / max(1, asked.CPUsPerTask))
		n.Doubt = r.partlyReservedOn(n.Name, asked)
	}
}
