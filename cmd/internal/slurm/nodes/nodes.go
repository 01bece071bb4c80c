// Package nodes says what the nodes of a Slurm site have, who runs there, and what keeps each from a job, by the
// placement of package sched.
package nodes

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/forecast"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// reader makes the nodes of a site.
type reader struct {
	*forecast.Site
	machine *sched.Machine
	jobs    map[int32][]nodes.Job
	idle    map[int32]int32     // cpus that nobody uses, of nodes that take no job just now
	known   int                 // of the times in which nodes take no job, how many are the site's own: settings have added the others
	told    map[string]dump.Row // what scontrol show node prints of each
}

// Read returns the nodes of a site with what is asked of them.
func Read(ctx context.Context, now *setup.Site, zone *time.Location, q nodes.Question) (*nodes.Machine, []diag.Remark, error) {
	s, remarks := forecast.ReadNodes(now, zone)
	was := s.Setup
	if len(q.Settings) > 0 {
		var changed *forecast.Site
		var err error
		if changed, remarks, err = s.Under(q.Settings, remarks); err != nil {
			return nil, remarks, err
		}
		s = changed
		for _, x := range s.Setup.Outages[len(was.Outages):] {
			if x.From > s.At {
				remarks = append(remarks, diag.Notef("what is set of %s begins later, and changes nothing of what is there now", s.Setup.Nodes[x.Node].Name))
			}
		}
		remarks = append(remarks, q.SayIdle(namesOf(q.Settings), isOfPlaces)...)
	}
	r := &reader{Site: s, machine: s.Setup.Machine(), jobs: map[int32][]nodes.Job{}, idle: map[int32]int32{}, told: map[string]dump.Row{}, known: len(was.Outages)}
	for _, row := range s.World.Records(dump.KindNodes) {
		r.told[row["nodename"]] = row
	}
	r.run()
	r.hold()
	m := &nodes.Machine{At: s.At, Zone: zone, Called: "node", Queue: "partition", Parts: "tasks", Known: slices.Sorted(maps.Keys(s.Users()))}
	var asked *forecast.Wish
	var err error
	switch {
	case q.Submit != "":
		if asked, err = s.WishOf(q.Queue, q.User, q.Submit); err != nil {
			return nil, remarks, err
		}
		if asked.Named != "" {
			m.Only = strings.Split(asked.Named, ",")
		}
	case q.Queue != "":
		if m.Only, err = s.Lists(q.Queue); err != nil {
			return nil, remarks, err
		}
	}
	if asked != nil {
		if m.Asked, err = r.place(ctx, q, asked); err != nil {
			return nil, remarks, err
		}
		remarks = append(remarks, asked.Unlooked()...)
		if usual := s.UsualPartition(); asked.Named == "" && usual != "" {
			of, err := s.WishOf(usual, q.User, q.Submit)
			if err != nil {
				return nil, remarks, err
			}
			if m.Asked.Default, err = r.place(ctx, q, of); err != nil {
				return nil, remarks, err
			}
		}
	}
	for i := range s.Setup.Nodes {
		if isGone(was, s.Setup, i) {
			continue
		}
		n := r.node(i)
		if asked != nil {
			r.judge(&n, i, asked)
		}
		m.Nodes = append(m.Nodes, n)
	}
	switch {
	case asked == nil || m.Asked.Fits || len(m.Asked.Preempts) > 0:
	case m.Asked.Now != "":
		m.Asked.Lacks = "it " + m.Asked.Now
	case m.Asked.Never:
		m.Asked.Lacks = r.neverHas(asked)
	default:
		m.Asked.Lacks = r.lacks(m.Nodes, asked)
	}
	if asked != nil {
		if of := m.Asked.Default; of != nil && of.Never && of.Now == "" {
			usual := *asked
			usual.Partitions = []int{s.Setup.PartitionNamed(of.Queue)}
			of.Lacks = r.neverHas(&usual)
		}
		if by := asked.RefusedBy; m.Asked.Never && m.Asked.Lacks == "" && len(by) > 0 {
			m.Asked.Lacks = fmt.Sprintf("%s would refuse it: %s (--queue NAME says why)", report.Count(len(by), "partition"), strings.Join(by, ", "))
		}
	}
	return m, remarks, nil
}

// namesOf returns what settings set.
func namesOf(settings []string) (names []string) {
	for _, setting := range settings {
		name, _, _ := strings.Cut(setting, "=")
		names = append(names, strings.TrimSpace(name))
	}
	return names
}

// isOfPlaces reports whether a setting is of nodes, of reservations, or of what partitions have of nodes.
func isOfPlaces(name string) bool {
	of, _, _ := strings.Cut(strings.ToLower(name), ".")
	return of == "node" || of == "nodes" || of == "reservation" || of == "partition" && strings.HasSuffix(strings.ToLower(name), ".nodes")
}

// isGone reports whether settings take a node away for good.
func isGone(was, now *sched.Setup, i int) bool {
	has := func(of *sched.Setup) bool { return of.Nodes[i].CPUs > 0 || i < len(of.Down) && of.Down[i] > 0 }
	return has(was) && !has(now)
}

// isAway reports whether a node takes no job just now, by its own state or as settings have it.
func (r *reader) isAway(i int) bool { return r.isIn(r.Setup.Outages, i) }

// isSetAway reports whether that is so as settings have it.
func (r *reader) isSetAway(i int) bool { return r.isIn(r.Setup.Outages[r.known:], i) }

// isIn reports whether a node takes no job just now by some of the times in which nodes take none.
func (r *reader) isIn(away []sched.Outage, i int) bool {
	return slices.ContainsFunc(away, func(x sched.Outage) bool { return x.Node == i && x.From <= r.At && r.At < x.To })
}

// isFailing reports whether settings have a node go down now, so that the jobs there are killed.
func (r *reader) isFailing(i int) bool {
	return slices.ContainsFunc(r.Setup.Failures, func(x sched.Failure) bool { return x.Node == i && x.At <= r.At && r.At < x.To })
}

// run gives the jobs that run what they have.
func (r *reader) run() {
	for _, j := range r.Running() {
		if slices.ContainsFunc(j.Shares, func(x sched.Share) bool { return r.isFailing(int(x.Node)) }) {
			continue // slurmctld kills it
		}
		r.machine.Hold(j.Job)
		end := int64(0)
		if j.Limit > 0 {
			end = max(r.At, j.Start+j.Limit)
		}
		for _, x := range j.Shares {
			r.jobs[x.Node] = append(r.jobs[x.Node], nodes.Job{ID: j.ID, User: j.User, CPUs: float64(x.CPUs), End: end})
		}
	}
}

// hold takes all of nodes that take no job just now.
func (r *reader) hold() {
	for i := range r.Setup.Nodes {
		if r.isAway(i) {
			cpus, _, _ := r.machine.Free(i)
			r.idle[int32(i)] = cpus
			r.machine.Take(&sched.Request{}, []sched.Share{{Node: int32(i), CPUs: cpus}})
		}
	}
}

// node returns a node without what is asked of it.
func (r *reader) node(i int) nodes.Node {
	const kbOfMB = 1024
	of := &r.Setup.Nodes[i]
	cpus, memory, gres := r.machine.Free(i)
	n := nodes.Node{Name: of.Name, Host: of.Name, State: strings.ToLower(r.told[of.Name]["state"]), IsUp: of.CPUs > 0, Jobs: r.jobs[int32(i)], Properties: slices.Clone(of.Features), IsOfAll: true}
	n.CPUs = nodes.Amount{Free: float64(cpus), All: float64(of.CPUs), Idle: float64(r.idle[int32(i)])}
	switch {
	case r.isFailing(i):
		n.State = "down" // as settings have it
	case r.isAway(i) && !strings.Contains(n.State, "drain") && !strings.Contains(n.State, "down"):
		n.State += "+drain" // as settings have it
	}
	if r.isSetAway(i) {
		n.IsUp, n.CPUs.Free, n.CPUs.Idle = false, 0, 0
	}
	if i < len(r.Setup.Down) && of.CPUs == 0 {
		n.CPUs.All = float64(r.Setup.Down[i])
	}
	n.Memory = nodes.Amount{Free: float64(memory) * kbOfMB, All: float64(of.Memory) * kbOfMB}
	for k, kind := range r.Setup.GRES {
		if k >= len(of.GRES) || of.GRES[k] == 0 {
			continue
		}
		switch {
		case kind == "gpu":
			n.GPUs = nodes.Amount{Free: float64(max(0, gres[k])), All: float64(of.GRES[k])}
		default:
			n.Properties = append(n.Properties, "gres="+kind)
		}
	}
	if !n.IsUp {
		n.Memory.Free, n.GPUs.Free = 0, 0
	}
	for _, p := range r.Setup.Partitions {
		if p.Nodes.Has(i) {
			n.Queues = append(n.Queues, p.Name)
		} else {
			n.IsOfAll = false
		}
	}
	return n
}

// place says what becomes of what is asked for, in the first of its partitions that has room, of those in which jobs start.
func (r *reader) place(ctx context.Context, q nodes.Question, asked *forecast.Wish) (*nodes.Asked, error) {
	held := "" // what it waits for where there is room for it
	x := &nodes.Asked{Text: q.Submit, Queue: asked.Named, Places: []string{}, Never: true, Refused: asked.Refused}
	partitions := slices.DeleteFunc(slices.Clone(asked.Partitions), func(p int) bool { return isClosed(asked, p) })
	if len(partitions) == 0 && len(asked.Partitions) > 0 {
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
	if x.Fits || x.Never || x.IsBarred || x.Refused != "" || x.Later != "" || !asked.Preempts() {
		return x, nil
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
	}
}
