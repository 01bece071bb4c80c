package fstree

import "slices"

// Step is one level on the way from the root to an entity, with the numbers
// that its percentage and tree usage were computed from (PP-718's example).
type Step struct {
	Name        string
	Shares      int32
	LevelShares int32 // its own and its siblings'
	Usage       float64
	AllUsage    float64 // the root's

	GroupPercentage, TreePercentage float32
	Used                            float32 // usage / all usage
	TreeUsage                       float32
	ParentUsage                     float32 // the parent's tree usage
}

// Derive tells, level by level below the root, where an entity's tree
// percentage and tree usage come from. CalcPercentages and CalcUsage have run.
func (t *Tree) Derive(id ID) []Step {
	var steps []Step
	for _, at := range t.Path(id) {
		p := t.parent[at]
		if p == none {
			continue
		}
		s := Step{
			Name: t.name[at], Shares: t.shares[at], Usage: t.usage[at], AllUsage: t.usage[Root],
			GroupPercentage: t.groupPct[at], TreePercentage: t.treePct[at],
			Used: float32(t.usage[at] / t.usage[Root]), TreeUsage: t.treeUsage[at], ParentUsage: t.treeUsage[p],
		}
		for c := t.child[p]; c != none; c = t.sibling[c] {
			s.LevelShares += t.shares[c]
		}
		steps = append(steps, s)
	}
	return steps
}

// Clone is a copy of the tree that can be changed on its own.
func (t *Tree) Clone() *Tree {
	c := *t
	c.name = slices.Clone(t.name)
	c.parent = slices.Clone(t.parent)
	c.child = slices.Clone(t.child)
	c.sibling = slices.Clone(t.sibling)
	c.cresgroup = slices.Clone(t.cresgroup)
	c.shares = slices.Clone(t.shares)
	c.usage = slices.Clone(t.usage)
	c.groupPct = slices.Clone(t.groupPct)
	c.treePct = slices.Clone(t.treePct)
	c.treeUsage = slices.Clone(t.treeUsage)
	c.byName.slots = slices.Clone(t.byName.slots)
	return &c
}
