package fstree

// Step is one level on the way from the root to an entity, with the numbers
// that its percentage and tree usage were computed from, as in PP-718's example.
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

// Derive returns, level by level below the root, where an entity's tree
// percentage and tree usage come from.
func (t *Tree) Derive(id ID) []Step {
	t.derive()
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

// TryCharge adds usage to a node and all its ancestors, as Charge does, and
// returns what takes it back. Tree usage stays as it was; Recalculate derives
// it for one entity.
func (t *Tree) TryCharge(id ID, usage float64) (undo func()) {
	t.init()
	var before []float64
	for at := id; at != none; at = t.parent[at] {
		before = append(before, t.usage[at])
	}
	t.Charge(id, usage)
	return func() {
		at := id
		for _, usage := range before {
			t.usage[at] = usage
			at = t.parent[at]
		}
	}
}

// Recalculate returns what the tree knows of a node, with the tree usage that
// follows from the usage of its path as it is now.
func (t *Tree) Recalculate(id ID) Entity {
	e := t.Entity(id)
	var above float32
	for _, at := range t.Path(id) {
		if at != Root {
			above = t.treeUsageBelow(at, above)
		}
	}
	e.TreeUsage = above
	return e
}

// TryShares gives a node other shares, derives all percentages anew, and
// returns what takes that back. Tree usage stays as it was; Recalculate derives
// it for one entity.
func (t *Tree) TryShares(id ID, shares int32) (undo func()) {
	t.derive()
	before := t.shares[id]
	set := func(shares int32) {
		t.shares[id] = shares
		t.calcPercentages()
	}
	set(shares)
	return func() { set(before) }
}
