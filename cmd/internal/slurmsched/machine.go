package slurmsched

import (
	"math"
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

func (m *Machine) move(r *Request, shares []Share, sign int32) {
	for _, s := range shares {
		i := int(s.Node)
		m.cpus[i] += sign * s.CPUs
		m.memory[i] += int64(sign) * r.memoryFor(s.CPUs)
		for k := range m.GRES {
			if k < len(r.GRES) {
				m.gres[i*len(m.GRES)+k] += sign * r.GRES[k]
			}
		}
	}
}

// memoryFor returns the memory that a job has of a node on which it has some CPUs.
func (r *Request) memoryFor(cpus int32) int64 {
	if r.NodeMemory > 0 {
		return r.NodeMemory
	}
	return r.CPUMemory * int64(cpus)
}

// usable returns how many CPUs of a node a job could have, 0 for none.
func (m *Machine) usable(r *Request, i int) int32 {
	n := &m.Nodes[i]
	cpus := m.cpus[i]
	if r.Exclusive && cpus < n.CPUs || cpus <= 0 {
		return 0
	}
	if !n.has(r.Features) {
		return 0
	}
	for k, x := range r.GRES {
		if x > m.gres[i*len(m.GRES)+k] {
			return 0
		}
	}
	if r.NodeMemory > 0 {
		if m.memory[i] < r.NodeMemory {
			return 0
		}
	} else if r.CPUMemory > 0 {
		cpus = int32(min(int64(cpus), m.memory[i]/r.CPUMemory))
	}
	each := max(1, r.CPUsPerTask)
	tasks := cpus / each
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
	return tasks * each
}

// suits reports whether a node has the features, and as many CPUs and as much memory, as a job asks for
// on each of its nodes at least, whatever runs there.
func (m *Machine) suits(r *Request, i int) bool {
	n := &m.Nodes[i]
	least := int64(max(1, r.CPUsPerTask)) * int64(max(1, r.TasksPerNode))
	return n.has(r.Features) && int64(n.CPUs) >= least && n.Memory >= r.memoryFor(int32(min(least, math.MaxInt32)))
}

// has reports whether a node has all of some features.
func (n *Node) has(features []string) bool {
	for _, f := range features {
		if !slices.Contains(n.Features, f) {
			return false
		}
	}
	return true
}

func (r *Request) hasGRES() bool {
	return slices.ContainsFunc(r.GRES, func(x int32) bool { return x > 0 })
}

// Fits reports whether a job fits on the nodes of its partition that are there, once all others have
// ended.
func (s *Setup) Fits(j *Job) bool {
	return (&placer{}).place(NewMachine(s.Cluster), j.Request, s.Partitions[j.Partition].Nodes) != nil
}

// Bars returns the limit that keeps a job from running even where no other one runs or has run, as
// squeue calls it, "" for none.
func (s *Setup) Bars(j *Job) string {
	of := *s
	of.Accounts, of.QOS = slices.Clone(s.Accounts), slices.Clone(s.QOS)
	for i := range of.Accounts {
		of.Accounts[i].Used = Used{}
	}
	for i := range of.QOS {
		of.QOS[i].Used = Used{}
	}
	return newLedger(&of).reached(j)
}

// Restored returns a setup in which no node is down or drained.
func (s *Setup) Restored() *Setup {
	of, cluster := *s, *s.Cluster
	cluster.Nodes = slices.Clone(s.Nodes)
	for i, cpus := range s.Down {
		cluster.Nodes[i].CPUs += cpus
	}
	of.Cluster = &cluster
	return &of
}
