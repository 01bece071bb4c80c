package sched

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
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
	isOfLimit := func(a *admission) bool { return a.isEnforced && s.isTold(a, j, isQOSKnown) }
	if s.brokenBy(j, isOfLimit) != nil {
		return nil
	}
	if over := s.exceeds(j); over != nil {
		if !s.enforces() {
			return nil
		}
		return over
	}
	if r.Counted || s.fitsOn(r, p.Nodes) {
		return nil
	}
	if names := s.namedBeside(r, p.Nodes); names != nil {
		return Refusing(unavailable, "it asks for %s, which partition %s does not have (--nodelist)", strings.Join(names, ", "), p.Name)
	}
	return Refusing(unavailable, "no nodes of partition %s, up or down, have what it asks for%s", p.Name, s.blames(r, p.Nodes))
}

// exceeds returns that an entry of a job asks for more nodes or CPUs than its partition has, up or down, for which it waits for
// ever, nil where it does not or nothing tells the nodes of the partition (Slurm's node_scheduler.c, ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE).
func (s *Setup) exceeds(j *Job) *Limit {
	p, r := &s.Partitions[j.Partition], s.requestIn(j.Request, j.Partition)
	is := func(words, format string, args ...any) *Limit {
		text := fmt.Sprintf(format, args...)
		return &Limit{Name: text, Reason: "PartitionConfig", Detail: text, Refusal: words, IsRule: true}
	}
	switch has := s.extentOf(j.Partition); {
	case has.nodes == 0:
		return nil
	case int(r.MinNodes) > has.nodes:
		return is("Node count specification invalid", "partition %s has %s, and it asks for %d", p.Name, report.Count(has.nodes, "node"), r.MinNodes)
	case int64(r.CPUs) > has.cpus:
		return is("More processors requested than permitted", "partition %s has %s, and it asks for %d", p.Name, report.Count(int(has.cpus), "CPU"), r.CPUs)
	}
	return nil
}

// extent is what nodes and CPUs a partition has, and how many of the nodes are up.
type extent struct {
	nodes, up int
	cpus      int64
}

// extentOf returns the extent of a partition.
func (s *Setup) extentOf(partition int) (has extent) {
	s.Partitions[partition].Nodes.all(func(i int) bool {
		cpus := s.Nodes[i].CPUs
		if cpus > 0 {
			has.up++
		} else if i < len(s.Down) {
			cpus = s.Down[i]
		}
		if cpus > 0 {
			has.nodes++
		}
		has.cpus += int64(cpus)
		return true
	})
	return has
}

// LacksUp says that a job asks for more nodes than are up of its partition, or of the one that has most of several; "" where it does not.
func (s *Setup) LacksUp(minNodes int32, partitions []int) string {
	best, of := extent{up: -1}, ""
	for _, p := range partitions {
		if has := s.extentOf(p); has.up > best.up {
			best, of = has, "partition "+s.Partitions[p].Name
		}
	}
	if int(minNodes) <= best.up || of == "" {
		return ""
	}
	if len(partitions) > 1 {
		of += ", which has most,"
	}
	return fmt.Sprintf("it asks for %s, and %s has %d, of which %d are up", report.Count(int(minNodes), "node"), of, best.nodes, best.up)
}

// Unplaceable returns that a job fits on no nodes of its partitions that are up even when all others have ended; nil where it does.
// It is of now where the job would fit if all nodes were up.
func (s *Setup) Unplaceable(j *Job) *Limit {
	up := s.withoutAway(func(a Outage) bool { return a.From == 0 && a.To == ForGood })
	if up.Fits(j) {
		return nil
	}
	text := up.unfit(j)
	if down := up.WantedDown(j.Request); len(down) > 0 {
		text = "it wants " + strings.Join(down, ", ") + " (--nodelist), down or drained"
	}
	limit := &Limit{Name: text, Detail: text, IsRule: true}
	if up.Restored().Fits(j) {
		limit.Reason, limit.IsOfNow = "ReqNodeNotAvail", true
	}
	return limit
}

// LacksGRES returns that a job asks for a kind of generic resources that no node has.
func LacksGRES(kind string) *Limit {
	text := "no node has " + kind
	return &Limit{Name: text, Detail: text, IsRule: true}
}

// unfit says that a job fits on no nodes of its partitions that are up, and which of the things that it asks for is more than they have
// where that is one alone.
func (s *Setup) unfit(j *Job) string {
	of := j.Partitions
	if len(of) == 0 {
		of = []int{j.Partition}
	}
	var names []string
	for _, p := range of {
		names = append(names, s.Partitions[p].Name)
	}
	text := "it fits on no nodes of partition " + strings.Join(names, ", ") + " that are up"
	if lacks := s.LacksUp(j.Request.MinNodes, of); lacks != "" {
		return text + ": " + lacks
	}
	return text + s.blames(s.requestIn(j.Request, of[0]), s.Partitions[of[0]].Nodes)
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
		least(fmt.Sprintf("its CPUs on %s, which is all that it asks for (nodes=%d)", report.Count(int(r.MaxNodes), "node"), r.MaxNodes), func(of *Request) { of.MaxNodes = 0 }),
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
