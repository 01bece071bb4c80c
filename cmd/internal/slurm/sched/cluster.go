// Package sched is Slurm's own scheduler: main passes, backfill cycles, sweeps of
// priorities, limits and placement, each of them readable and testable alone, and an engine
// that runs them over work.
//
// The rules are those that a slurmctld 22.05 was recorded to follow, with the select plugin
// cons_tres (CR_Core_Memory), priority/multifactor and sched/builtin or sched/backfill, see
// testdata/slurm-replay.
package sched

import (
	"math/bits"
	"slices"
)

// Node is a host.
type Node struct {
	Name     string
	CPUs     int32   // none while it is down or drained
	Threads  int32   // CPUs of a core, of which one job has all; 0 as 1
	Memory   int64   // MB
	GRES     []int32 // of each kind of the cluster
	Weight   float64 // nodes with less are taken first
	Features []string
	Sockets  int32 // 0 where nobody says
}

// Partition is a queue over some of the nodes.
type Partition struct {
	Name      string
	Nodes     Set
	Tier      float64 // jobs of a higher one come first, whatever their priority
	MaxTime   int64   // seconds, 0 for no limit
	JobFactor float64

	MinNodes, MaxNodes int32 // of a job, 0 for no limit; a negative MaxNodes for none at all (MaxNodes=0)
	NodeMemory         int64 // MaxMemPerNode: MB that a job may ask for on each of its nodes, 0 for no limit

	IsDefault bool // whether jobs that name no partition go there (Default=YES)

	State string // UP, DRAIN, DOWN or INACTIVE, as it is now; "" for UP, and where the site is one of another time
}

// StartsNone reports whether no job of the partition starts, as it is now.
func (p *Partition) StartsNone() bool { return p.State == "DOWN" || p.State == "INACTIVE" }

// TakesNone reports whether no job can be submitted to the partition, as it is now.
func (p *Partition) TakesNone() bool { return p.State == "DRAIN" || p.State == "INACTIVE" }

// Cluster is the nodes in Slurm's order, which is that of their names, and the partitions.
type Cluster struct {
	Nodes      []Node
	GRES       []string // the kinds, such as gpu and gpu:a100
	IsGRESTold bool     // whether it is told which of them the nodes have
	Partitions []Partition
	Switches   []Switch // of topology/tree, in the order of topology.conf; nil where no switch counts

	HasNoMemory bool // whether memory never runs out: jobs are not given any (SelectTypeParameters without Memory)
}

// PartitionNamed returns the place of a partition in Partitions, -1 if the cluster has none of that name.
func (c *Cluster) PartitionNamed(name string) int {
	return slices.IndexFunc(c.Partitions, func(p Partition) bool { return p.Name == name })
}

// PartitionNames returns the names of all partitions, in their order.
func (c *Cluster) PartitionNames() (names []string) {
	for i := range c.Partitions {
		names = append(names, c.Partitions[i].Name)
	}
	return names
}

// Set is a set of nodes, by their places in the cluster.
type Set []uint64

// NewSet returns an empty set that n nodes fit into.
func NewSet(n int) Set { return make(Set, (n+63)/64) }

// Add puts a node into a set.
func (s Set) Add(i int) { s[i/64] |= 1 << (i % 64) }

// remove takes a node out of a set.
func (s Set) remove(i int) { s[i/64] &^= 1 << (i % 64) }

// Has reports whether a node is in a set.
func (s Set) Has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

// intersect takes all nodes out of a set that are not in another one.
func (s Set) intersect(t Set) {
	for i := range s {
		s[i] &= t[i]
	}
}

// Join puts all nodes of another set into a set.
func (s Set) Join(t Set) {
	for i := range s {
		s[i] |= t[i]
	}
}

// subtract takes all nodes out of a set that are in another one.
func (s Set) subtract(t Set) {
	for i := range s {
		s[i] &^= t[i]
	}
}

// Meets reports whether two sets have a node in common.
func (s Set) Meets(t Set) bool {
	for i := range s {
		if s[i]&t[i] != 0 {
			return true
		}
	}
	return false
}

// cut takes all nodes out of a set that are not in another one, and reports whether it has none left.
func (s Set) cut(t Set) (isEmpty bool) {
	any := uint64(0)
	for i := range s {
		s[i] &= t[i]
		any |= s[i]
	}
	return any == 0
}

// none returns an empty set that n nodes fit into, in the memory of another one.
func (s Set) none(n int) Set {
	if words := (n + 63) / 64; len(s) == words {
		clear(s)
		return s
	}
	return NewSet(n)
}

// gains reports whether a set has one of some nodes that an earlier set lacks.
func (s Set) gains(before, of Set) bool {
	for i := range s {
		if s[i]&^before[i]&of[i] != 0 {
			return true
		}
	}
	return false
}

// within reports whether all nodes of a set are in another one.
func (s Set) within(t Set) bool {
	for i := range s {
		if s[i]&^t[i] != 0 {
			return false
		}
	}
	return true
}

// isEmpty reports whether a set has no node.
func (s Set) isEmpty() bool {
	for _, word := range s {
		if word != 0 {
			return false
		}
	}
	return true
}

// count returns how many nodes a set has.
func (s Set) count() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// all goes through the nodes of a set in their order.
func (s Set) all(yield func(int) bool) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			if !yield(i*64 + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}

func (s Set) clone() Set { return slices.Clone(s) }

// nodesOf returns the nodes of some shares, of so many that there are.
func nodesOf(shares []Share, n int) Set {
	s := NewSet(n)
	for _, x := range shares {
		s.Add(int(x.Node))
	}
	return s
}
