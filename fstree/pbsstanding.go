package fstree

import "math"

// PBS computes PBS's own algorithm, see Entity, on any tree.
// Norm shares are tree percentages, effective usage is the tree usage, fairshare
// the fairshare_factor. PBS knows no Fairshare=parent: such an association
// has 1 share.
func PBS(a *Associations, o Options) *Standing {
	t := a.from
	if t == nil {
		t = a.ownShares().pbsTree()
	}
	s := newStanding(a.Len(), o)
	for i := range a.list {
		id := ID(i)
		if a.from == nil && i > 0 {
			id++ // past "unknown"
		}
		percentage, usage := t.TreeShare(id)
		s.NormShares[i], s.EffectiveUsage[i] = float64(percentage), float64(usage)
		s.Fairshare[i] = factor(percentage, usage)
	}
	s.EffectiveUsage[0], s.Fairshare[0] = math.NaN(), math.NaN()
	if a.from == nil {
		*t = Tree{} // which is large, so that not even a stack on which the collector still finds it keeps it
	}
	return s
}

// pbsTree returns the tree as PBS would hold it, each node after "unknown" one
// place later, without names. Shares above 2147483647 are cut to it.
func (a *Associations) pbsTree() *Tree {
	n := len(a.list) + 1
	t := &Tree{
		derived: &derivation{}, parent: make([]ID, n), child: make([]ID, n), sibling: make([]ID, n), shares: make([]int32, n),
		usage: make([]float64, n), groupPct: make([]float32, n), treePct: make([]float32, n), treeUsage: make([]float32, n),
	}
	t.treePct[Root], t.parent[Root], t.sibling[Root], t.usage[Root] = 1, none, none, a.list[0].Usage+StartUsage
	t.child[Root], t.sibling[Unknown], t.child[Unknown], t.usage[Unknown] = Unknown, none, none, StartUsage
	for i := 1; i < len(a.list); i++ {
		x, id := &a.list[i], ID(i+1) // past "unknown"
		parent := ID(x.Parent)
		if parent != Root {
			parent++
		}
		t.parent[id], t.child[id], t.sibling[id] = parent, none, t.child[parent]
		t.child[parent] = id
		t.shares[id], t.usage[id] = int32(min(x.Shares, math.MaxInt32)), x.Usage
		if !x.User || x.Usage <= 0 {
			t.usage[id] += StartUsage
		}
	}
	return t
}
