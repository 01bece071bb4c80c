package sched

import (
	"slices"
)

// Machine is what is free on the nodes of a cluster.
type Machine struct {
	*Cluster
	cpus   []int32
	memory []int64
	gres   []int32 // by node, then by kind
}

// NewMachine returns a cluster on which nothing runs.
func NewMachine(c *Cluster) *Machine {
	m := &Machine{Cluster: c}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		m.cpus = append(m.cpus, n.CPUs)
		m.memory = append(m.memory, n.Memory)
		m.gres = append(m.gres, n.GRES...)
	}
	return m
}

// copyFrom makes a machine equal to another one of the same cluster.
func (m *Machine) copyFrom(from *Machine) {
	m.Cluster = from.Cluster
	m.cpus = append(m.cpus[:0], from.cpus...)
	m.memory = append(m.memory[:0], from.memory...)
	m.gres = append(m.gres[:0], from.gres...)
}

// take gives a job what it has of its nodes.
func (m *Machine) take(r *Request, shares []Share) { m.move(r, shares, -1) }

// free takes from a job what it has of its nodes.
func (m *Machine) free(r *Request, shares []Share) { m.move(r, shares, 1) }

// hold gives a job that runs what it has of its nodes.
func (m *Machine) hold(j *Job) { m.moveJob(j, -1) }

// release takes from a job that has run what it has of its nodes.
func (m *Machine) release(j *Job) { m.moveJob(j, 1) }

func (m *Machine) moveJob(j *Job, sign int32) {
	if j.Has == nil {
		m.move(j.Request, j.Shares, sign)
		return
	}
	for at, s := range j.Shares {
		m.moveUse(int(s.Node), &j.Has[at], sign)
	}
}

// moveUse moves what is in use of a node.
func (m *Machine) moveUse(node int, of *Use, sign int32) {
	m.cpus[node] += sign * of.CPUs
	if !m.HasNoMemory {
		m.memory[node] += int64(sign) * of.Memory
	}
	for k, n := range of.GRES {
		m.gres[node*len(m.GRES)+k] += sign * n
	}
}

func (m *Machine) move(r *Request, shares []Share, sign int32) {
	for _, s := range shares {
		i := int(s.Node)
		m.cpus[i] += sign * s.CPUs
		if !m.HasNoMemory {
			m.memory[i] += int64(sign) * r.memoryOn(&m.Nodes[i], s.CPUs)
		}
		for k := range m.GRES {
			m.gres[i*len(m.GRES)+k] += sign * r.gresOn(k, r.runsOn(&m.Nodes[i], s.CPUs))
		}
	}
}

// memoryOn returns the memory that a job has of a node on which it is given some CPUs.
func (r *Request) memoryOn(n *Node, cpus int32) int64 {
	switch {
	case r.AllMemory:
		return n.Memory
	case r.NodeMemory > 0:
		return r.NodeMemory
	}
	return r.CPUMemory * int64(r.runsOn(n, cpus))
}

// threads returns how many CPUs the cores of a node have, and how many of them the tasks of a job run on.
func (r *Request) threads(n *Node) (all, used int32) {
	all = max(1, n.Threads)
	if used = all; r.Threads > 0 {
		used = min(all, r.Threads)
	}
	return all, used
}

// runsOn returns on how many of some CPUs of a node the tasks of a job run.
func (r *Request) runsOn(n *Node, cpus int32) int32 {
	if n.Threads <= 1 {
		return cpus
	}
	all, used := r.threads(n)
	return cpus / all * used
}

// given returns how many CPUs of a node a job is given for the tasks that run on some: those of whole cores.
func (r *Request) given(n *Node, cpus int32) int32 {
	if n.Threads <= 1 {
		return cpus
	}
	all, used := r.threads(n)
	return (cpus + used - 1) / used * all
}

// usable returns on how many CPUs of a node the tasks of a job could run, 0 for none.
func (m *Machine) usable(r *Request, i int) int32 {
	return m.usableOf(r, i, m.cpus[i], m.memory[i], m.gresOf(i))
}

// gresOf returns what is free of each kind of GRES on a node.
func (m *Machine) gresOf(i int) []int32 {
	k := len(m.GRES)
	return m.gres[i*k : (i+1)*k]
}

// usableOf is usable of a node of which so much is free.
func (m *Machine) usableOf(r *Request, i int, free int32, memory int64, gres []int32) int32 {
	n := &m.Nodes[i]
	cpus := r.runsOn(n, free)
	if cpus <= 0 || r.MaxNodes == 1 && cpus < r.CPUs {
		return 0
	}
	if r.Exclusive && free < n.CPUs || r.On != nil && !r.On.Has(i) || !r.Features.MetBy(n.Features) {
		return 0
	}
	if cpus = r.capByGRES(n, gres, cpus); cpus <= 0 {
		return 0
	}
	if r.AllMemory && !m.HasNoMemory && memory < n.Memory {
		return 0
	}
	if r.NodeMemory > 0 {
		if memory < r.NodeMemory {
			return 0
		}
	} else if r.CPUMemory > 0 && !m.HasNoMemory {
		_, used := r.threads(n) // of whole cores
		if r.Exclusive && r.memoryOn(n, n.CPUs) > memory {
			return 0
		}
		if memory < r.CPUMemory*int64(cpus+used-1) { // else it is enough for all of them, which needs no division
			cpus = int32(min(int64(cpus), memory/(r.CPUMemory*int64(used))*int64(used)))
		}
	}
	each := max(1, r.CPUsPerTask)
	tasks := cpus / each
	if r.MaxNodes == 1 {
		tasks = r.mostOn(n, cpus) / each
	}
	if r.TasksPerNode > 0 {
		if tasks < r.TasksPerNode {
			return 0
		}
	}
	if r.MaxNodes == 1 && tasks*each < r.CPUs || tasks == 0 {
		return 0
	}
	if r.Exclusive {
		return cpus
	}
	if r.hasGRES() {
		if r.TasksPerNode > 0 {
			tasks = min(tasks, r.TasksPerNode)
		}
		return min(tasks*each, r.CPUs)
	}
	if r.TasksPerNode > 0 {
		return tasks * each
	}
	return cpus // also those that are not enough for a task more
}

// suits reports whether a node has what a job asks for, and as many CPUs and as much memory as it asks for on each of
// its nodes at least, whatever runs there. Nodes that it does not want do not suit; those beside the ones that it wants
// do.
func (m *Machine) suits(r *Request, i int) bool {
	n := &m.Nodes[i]
	least := int64(max(1, r.CPUsPerTask)) * int64(max(1, r.TasksPerNode))
	if isAny := r.On == nil || r.Named && r.With == nil; !isAny && !r.On.Has(i) || !r.Features.MetBy(n.Features) || int64(r.runsOn(n, n.CPUs)) < least {
		return false
	}
	return m.HasNoMemory && r.NodeMemory == 0 || n.Memory >= r.memoryOn(n, r.given(n, int32(least)))
}

// Fits reports whether a job fits on the nodes of a partition of its that are there, once all others have
// ended.
func (s *Setup) Fits(j *Job) bool {
	return slices.ContainsFunc(s.Entries(j), func(in *Job) bool {
		among := s.Partitions[in.Partition].Nodes
		if k := s.ReservationOf(j); k != nil && !k.IsFlex {
			among = among.clone()
			among.intersect(k.Nodes)
		}
		return s.fitsOn(in.Request, among)
	})
}

// fitsOn reports whether a request fits on some nodes while nothing runs.
func (c *Cluster) fitsOn(r *Request, among Set) bool {
	return (&placer{}).place(NewMachine(c), r, among) != nil
}

// At returns a setup as it was known at a time: without the nodes that were away then, nobody knows until when, and
// with the reservations that were known and not over.
func (s *Setup) At(at int64) *Setup {
	of := s.withoutAway(func(a Outage) bool { return a.From <= at && at < a.To })
	of.Outages, of.Failures = nil, nil
	of.Reservations = slices.DeleteFunc(slices.Clone(s.Reservations), func(k Reservation) bool { return k.Known > at || k.End <= at })
	return of
}

// withoutAway returns a setup in which the nodes of some outages are down.
func (s *Setup) withoutAway(isAway func(Outage) bool) *Setup {
	of, cluster := *s, *s.Cluster
	cluster.Nodes, of.Down = slices.Clone(s.Nodes), slices.Clone(s.Down)
	for _, a := range s.Outages {
		if n := &cluster.Nodes[a.Node]; n.CPUs > 0 && isAway(a) {
			of.Down[a.Node], n.CPUs = n.CPUs, 0
		}
	}
	of.Cluster = &cluster
	return &of
}

// Restored returns a setup in which no node is down or drained, and each partition UP.
func (s *Setup) Restored() *Setup {
	of, cluster := *s, *s.Cluster
	cluster.Nodes = slices.Clone(s.Nodes)
	for i, cpus := range s.Down {
		cluster.Nodes[i].CPUs += cpus
	}
	cluster.Partitions = slices.Clone(s.Partitions)
	for i := range cluster.Partitions {
		cluster.Partitions[i].State = ""
	}
	of.Cluster = &cluster
	return &of
}
