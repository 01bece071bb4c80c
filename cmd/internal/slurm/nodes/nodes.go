// Package nodes says what the nodes of a Slurm site have, who runs there, and what keeps each from a job, by the
// placement of package sched.
package nodes

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/forecast"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/set"
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
	reasons map[string]string   // why nodes are down or drained
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
	r := &reader{Site: s, machine: s.Setup.Machine(), jobs: map[int32][]nodes.Job{}, idle: map[int32]int32{}, told: map[string]dump.Row{}, known: len(was.Outages), reasons: s.World.Reasons()}
	for _, row := range s.World.Records(dump.KindNodes) {
		r.told[row["nodename"]] = row
	}
	r.run()
	r.hold()
	m := &nodes.Machine{At: s.At, Zone: zone, Called: "node", Queue: "partition", Parts: "tasks", Why: "reason", States: stateNames(), Known: slices.Sorted(maps.Keys(s.Users()))}
	if err := m.CheckStates(q.States); err != nil {
		return nil, remarks, err
	}
	m.Closed = map[string]string{}
	for _, p := range s.Setup.Partitions {
		m.Partitions = append(m.Partitions, p.Name)
		if p.State != "" && p.State != "UP" {
			m.Closed[p.Name] = p.State
		}
	}
	m.Reservations = r.reservations()
	for _, of := range q.Names {
		numbers, err := set.FindNodes(s.Setup, of)
		if err != nil {
			return nil, remarks, &diag.RequestError{Err: err}
		}
		for _, i := range numbers {
			m.Named = append(m.Named, s.Setup.Nodes[i].Name)
		}
	}
	asked, err := r.ask(ctx, q, m)
	if err != nil {
		return nil, remarks, err
	}
	if asked != nil {
		remarks = append(remarks, asked.Unlooked()...)
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
	if asked != nil {
		r.sayLacks(m, asked)
	}
	if q.IsTold(m.Named) {
		r.await(m)
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

// stateBack returns the state of a node that takes jobs: of one which settings have put back, without what kept them away.
func stateBack(state string) string {
	if isUp, isKnown := dump.IsUp(state); isUp || !isKnown {
		return state
	}
	words := slices.DeleteFunc(strings.Split(state, "+"), func(word string) bool {
		isUp, _ := dump.IsUp(word)
		return !isUp
	})
	return cmp.Or(strings.Join(words, "+"), "idle")
}

// node returns a node without what is asked of it.
func (r *reader) node(i int) nodes.Node {
	const kbOfMB = 1024
	of := &r.Setup.Nodes[i]
	cpus, memory, gres := r.machine.Free(i)
	n := nodes.Node{Name: of.Name, Host: of.Name, State: strings.ToLower(r.told[of.Name]["state"]), IsUp: of.CPUs > 0, Jobs: r.jobs[int32(i)], Properties: slices.Clone(of.Features), IsOfAll: true, Comment: r.reasons[of.Name]}
	n.CPUs = nodes.Amount{Free: float64(cpus), All: float64(of.CPUs), Idle: float64(r.idle[int32(i)])}
	switch {
	case r.isFailing(i):
		n.State = "down" // as settings have it
	case r.isAway(i) && !strings.Contains(n.State, "drain") && !strings.Contains(n.State, "down"):
		n.State += "+drain" // as settings have it
	case of.CPUs > 0:
		n.State = stateBack(n.State)
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
	n.Words = stateWords(n.State)
	for _, p := range r.Setup.Partitions {
		if p.Nodes.Has(i) {
			n.Queues = append(n.Queues, p.Name)
		} else {
			n.IsOfAll = false
		}
	}
	return n
}

// reservations returns those that last or are to come, as they are known now: those whose nodes are kept, and those of which Slurm tells
// that are not modelled.
func (r *reader) reservations() (list []nodes.Reservation) {
	told := map[string]dump.Reservation{}
	for _, k := range r.Site.Reservations {
		told[k.Name] = k
		if k.Lacks != "" && !k.IsPast && k.End > r.At {
			list = append(list, nodes.Reservation{Name: k.Name, Start: k.Start, End: k.End, Nodes: append([]string{}, k.Nodes...), Note: "not kept here: " + k.Lacks})
		}
	}
	for i := range r.Setup.Reservations {
		k := &r.Setup.Reservations[i]
		if k.End <= r.At || k.Name == setup.UnknownReservation {
			continue
		}
		of := nodes.Reservation{Name: k.Name, Start: k.Start, End: k.End, Nodes: []string{}, IsOfWhole: true}
		if k.End >= sched.ForGood {
			of.End = 0
		}
		if repeats := told[k.Name].Repeats; repeats != "" {
			of.Note = "comes again: " + repeats
		}
		for n := range r.Setup.Nodes {
			if k.Nodes.Has(n) {
				of.Nodes = append(of.Nodes, r.Setup.Nodes[n].Name)
			}
		}
		list = append(list, of)
	}
	return list
}

// await says of each job that waits for how many of its tasks the nodes that are named have room, or what keeps them from it.
func (r *reader) await(m *nodes.Machine) {
	m.Waiting = []nodes.Waiting{}
	var named []int
	for i := range r.Setup.Nodes {
		if slices.Contains(m.Named, r.Setup.Nodes[i].Name) {
			named = append(named, i)
		}
	}
	for _, asked := range r.WaitingWishes() {
		w := nodes.Waiting{ID: asked.ID, User: asked.User, IsHeld: asked.Held != "" || asked.Waits != "", On: map[string]nodes.Node{}}
		for _, i := range named {
			n := r.node(i)
			r.judge(&n, i, asked)
			w.On[n.Name] = n
		}
		m.Waiting = append(m.Waiting, w)
	}
}
