package sched

import (
	"fmt"
	"slices"
	"strings"
)

// Refusing returns that slurmctld does not take a job, in sbatch's words and in others that say why.
func Refusing(words, format string, args ...any) *Limit {
	text := fmt.Sprintf(format, args...)
	return &Limit{Name: text, Detail: text, Refusal: words, IsRule: true}
}

// unavailable is what sbatch prints where no nodes, up or down, have what a job asks for.
const unavailable = "Requested node configuration is not available"

// RefusesRequest returns why slurmctld takes no job that asks for as much: all nodes of its partitions together have too few CPUs, which
// EnforcePartLimits alone refuses, or no nodes of them, up or down, have what it asks for; nil where it takes it. One that a limit or
// a list of its partition keeps out, as far as its association and its QOS are known, is not looked at for nodes (Slurm's node_scheduler.c, select_nodes).
func (s *Setup) RefusesRequest(j *Job, isQOSKnown bool) (limit *Limit) {
	all, isTaken := s.Restored(), false
	for _, at := range j.places() {
		switch of := all.refusesIn(s.EntryOf(j, at), isQOSKnown); {
		case of == nil:
			isTaken = true
		case s.Enforces == enforcesAll && of.Refusal != unavailable:
			return of
		case limit == nil:
			limit = of
		}
	}
	if isTaken {
		return nil
	}
	return limit
}

// refusesIn returns why slurmctld does not take an entry of a job for what it asks of the nodes, nil where it does. All nodes are up.
func (s *Setup) refusesIn(j *Job, isQOSKnown bool) *Limit {
	p := &s.Partitions[j.Partition]
	r := s.requestIn(j.Request, j.Partition)
	cpus := int64(0)
	p.Nodes.all(func(i int) bool {
		cpus += int64(s.Nodes[i].CPUs)
		return true
	})
	isOver := func(words, format string, args ...any) *Limit {
		if !s.enforces() {
			return nil
		}
		return Refusing(words, format, args...)
	}
	isOfLimit := func(a *admission) bool { return a.isEnforced && s.isTold(a, j, isQOSKnown) }
	switch nodes := p.Nodes.count(); {
	case s.brokenBy(j, isOfLimit) != nil:
		return nil
	case int(r.MinNodes) > nodes:
		return isOver("Node count specification invalid", "partition %s has %d nodes, and it asks for %d", p.Name, nodes, r.MinNodes)
	case int64(r.CPUs) > cpus:
		return isOver("More processors requested than permitted", "partition %s has %d CPUs, and it asks for %d", p.Name, cpus, r.CPUs)
	case r.Counted || s.fitsOn(r, p.Nodes):
		return nil
	}
	if names := s.namedBeside(r, p.Nodes); names != nil {
		return Refusing(unavailable, "it asks for %s, which partition %s does not have (--nodelist)", strings.Join(names, ", "), p.Name)
	}
	return Refusing(unavailable, "no nodes of partition %s, up or down, have what it asks for%s", p.Name, s.blames(r, p.Nodes))
}

// Blames says which of the things that a job asks for is more than the nodes of its partition have that are up, "" where that is none alone.
func (s *Setup) Blames(j *Job) string {
	return s.blames(s.requestIn(j.Request, j.Partition), s.Partitions[j.Partition].Nodes)
}

// namedBeside returns the nodes that a request names and that are none of some.
func (s *Setup) namedBeside(r *Request, among Set) (names []string) {
	if !r.Named {
		return nil
	}
	r.named().all(func(i int) bool {
		if !among.Has(i) {
			names = append(names, s.Nodes[i].Name)
		}
		return true
	})
	return names
}

// blames says which of the things that a request asks for is more than some nodes have, "" where that is none alone.
func (s *Setup) blames(r *Request, among Set) string {
	least := func(words string, change func(of *Request)) string {
		of := *r
		of.GRES = slices.Clone(r.GRES)
		change(&of)
		if !s.fitsOn(&of, among) {
			return ""
		}
		return words
	}
	memory, cpus := int64(0), int32(0)
	among.all(func(i int) bool {
		memory, cpus = max(memory, s.Nodes[i].Memory), max(cpus, s.Nodes[i].CPUs)
		return true
	})
	var list []string
	for _, text := range []string{
		least(fmt.Sprintf("its memory (a node has at most %d MB)", memory), func(of *Request) { of.NodeMemory, of.CPUMemory, of.AllMemory = 0, 0, false }),
		least("its GPUs or other GRES", func(of *Request) { clear(of.GRES); of.JobGRES, of.TaskGRES = nil, nil }),
		least("its features", func(of *Request) { of.Features, of.Alike = nil, false }),
		least("the nodes that it names or leaves out", func(of *Request) { of.On, of.With, of.Named = nil, nil, false }),
		least(fmt.Sprintf("its tasks, of which a node has %d at most (ntasks-per-node)", r.TasksPerNode), func(of *Request) { of.TasksPerNode = 0 }),
		least(fmt.Sprintf("its CPUs on a node (one has at most %d)", cpus), func(of *Request) { of.CPUs, of.Tasks, of.CPUsPerTask, of.TasksPerNode = r.MinNodes, r.MinNodes, 1, 0 }),
		least("its CPUs on so few nodes", func(of *Request) { of.MaxNodes = 0 }),
	} {
		if text != "" {
			list = append(list, text)
		}
	}
	if list == nil {
		return ""
	}
	return ": they have not enough for " + strings.Join(list, ", or for ")
}
