package sched

import (
	"fmt"
	"slices"
)

// Bar is what keeps a node from a job: what it asks for, by the name of sbatch's option, or the state of the node.
type Bar struct {
	What string
	Has  string // what is asked of it and what the node has, "" where there is nothing to say
}

// Take gives a job what it has of its nodes.
func (m *Machine) Take(r *Request, shares []Share) { m.take(r, shares) }

// Hold gives a job that runs what it has of its nodes.
func (m *Machine) Hold(j *Job) { m.hold(j) }

// Free returns the CPUs, the memory in MB and the amount of each kind of gres that a node has free.
func (m *Machine) Free(i int) (cpus int32, memory int64, gres []int32) {
	return max(0, m.cpus[i]), max(0, m.memory[i]), m.gresOf(i)
}

// Bars returns on how many CPUs of a node the tasks of a job could run as it is now, and where on none, what keeps it from
// them. Each thing that the job asks for is tried by itself, so that the rules of placement say it, and where no CPU is free as though
// all were, since what else keeps the node from the job does so as well when the CPUs are free again.
func (m *Machine) Bars(r *Request, i int) (cpus int32, bars []Bar) {
	if cpus = m.usable(r, i); cpus > 0 {
		return cpus, nil
	}
	n := &m.Nodes[i]
	none := Request{MinNodes: 1, CPUs: 1, Tasks: 1, CPUsPerTask: 1, GRES: make([]int32, len(m.GRES))}
	isFull := m.usable(&none, i) == 0
	free := m.cpus[i]
	if isFull {
		free = n.CPUs
	}
	with := func(change func(one *Request)) bool {
		one := none
		one.GRES = slices.Clone(none.GRES)
		change(&one)
		return m.usableOf(&one, i, free, m.memory[i], m.gresOf(i)) > 0
	}
	add := func(what, has string) { bars = append(bars, Bar{what, has}) }
	freeText := fmt.Sprintf("%d of %d free", max(0, m.cpus[i]), n.CPUs)
	if n.CPUs == 0 {
		return 0, []Bar{{"state", ""}}
	}
	if isFull {
		add("cpus", freeText)
	} else if !with(func(one *Request) {
		one.MaxNodes, one.TasksPerNode, one.CPUsPerTask, one.Threads = r.MaxNodes, r.TasksPerNode, r.CPUsPerTask, r.Threads
		one.CPUs, one.Tasks = r.CPUs, r.Tasks
	}) {
		add("cpus", fmt.Sprintf("%d asked, %s", r.leastCPUs(), freeText))
	}
	if !with(func(one *Request) {
		one.NodeMemory, one.CPUMemory, one.AllMemory = r.NodeMemory, r.CPUMemory, r.AllMemory
	}) {
		asked := "all"
		switch {
		case r.NodeMemory > 0:
			asked = fmt.Sprintf("%d MB", r.NodeMemory)
		case r.CPUMemory > 0:
			asked = fmt.Sprintf("%d MB a CPU", r.CPUMemory)
		}
		add("mem", fmt.Sprintf("%s asked, %d of %d MB free", asked, max(0, m.memory[i]), n.Memory))
	}
	for k := range r.GRES {
		least := r.gresOn(k, max(1, r.CPUsPerTask))
		if least > 0 && !with(func(one *Request) { one.GRES[k] = least }) {
			add("gres="+m.GRES[k], fmt.Sprintf("%d asked, %d of %d free", least, max(0, m.gres[i*len(m.GRES)+k]), n.GRES[k]))
		}
	}
	if !with(func(one *Request) { one.Features = r.Features }) {
		add("constraint="+r.Features.String(), "")
	}
	if r.Exclusive && !isFull && !with(func(one *Request) { one.Exclusive = true }) {
		add("exclusive", "others run there")
	}
	if len(bars) == 0 {
		bars = []Bar{{"all of it together", freeText}}
	}
	return 0, bars
}

// leastCPUs returns how many CPUs a job wants of a node at least.
func (r *Request) leastCPUs() int32 {
	if r.MaxNodes == 1 {
		return r.CPUs
	}
	return max(1, r.TasksPerNode) * max(1, r.CPUsPerTask)
}

// PlaceIn returns where a job that asks for a reservation (own, 0 for none) would run in a partition from a time on, by placement and
// reservations alone; nil for nowhere.
func (m *Machine) PlaceIn(s *Setup, r *Request, partition int, at, limit int64, own int32) []Share {
	among := s.Partitions[partition].Nodes.clone()
	exclude(s.Reservations, among, at, at+limit, own)
	confine(s.Reservations, among, at, own)
	return slices.Clone((&placer{}).place(m, s.requestIn(r, partition), among))
}

// Keeping returns the reservations that keep a node between two moments from a job that asks for one of them (own, 0 for none): those
// of others, and its own where the node is not of it.
func (s *Setup) Keeping(node int, start, end int64, own int32) (names []string) {
	for i := range s.Reservations {
		k := &s.Reservations[i]
		isOutside := own != 0 && k.ID == own && !k.IsFlex && !k.Nodes.Has(node)
		if isOutside || k.Nodes.Has(node) && k.overlaps(start, end, own) {
			names = append(names, k.Name)
		}
	}
	return names
}

// RequestIn returns what a job asks for in a partition: whole nodes, where all jobs get them, and no more nodes than
// MaxNodes.
func (s *Setup) RequestIn(r *Request, partition int) *Request { return s.requestIn(r, partition) }
