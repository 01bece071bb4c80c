package fstree

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

// Suppose charges a node as Charge does, calls f, and puts the usage back.
// Tree usage is not derived anew meanwhile; Fresh does that for one entity.
func (t *Tree) Suppose(id ID, usage float64, f func()) {
	path := t.Path(id)
	before := make([]float64, len(path))
	for i, at := range path {
		before[i] = t.usage[at]
	}
	t.Charge(id, usage)
	f()
	for i, at := range path {
		t.usage[at] = before[i]
	}
}

// Fresh is what the tree knows of a node, with the tree usage derived from the
// usage of its path as that is now.
func (t *Tree) Fresh(id ID) Entity {
	e := t.Entity(id)
	var above float32
	for _, at := range t.Path(id) {
		if at == Root {
			continue
		}
		above = t.treeUsageBelow(at, above)
	}
	e.TreeUsage = above
	return e
}
