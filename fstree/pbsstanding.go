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
		e := t.Entity(id)
		s.NormShares[i] = float64(e.TreePercentage)
		s.EffectiveUsage[i] = float64(e.TreeUsage)
		s.Fairshare[i] = e.Factor()
	}
	s.EffectiveUsage[0], s.Fairshare[0] = math.NaN(), math.NaN()
	return s
}

// pbsTree returns the tree as PBS would hold it, each node after "unknown" one
// place later. Shares above 2147483647 are cut to it.
func (a *Associations) pbsTree() *Tree {
	t := &Tree{derived: &derivation{}}
	t.reserve(len(a.list) + 1)
	t.push(RootName, none, 0, -1)
	t.push(UnknownName, Root, 1, 0)
	t.treePct[Root] = 1
	for i, x := range a.list[1:] {
		parent := ID(x.Parent)
		if parent != Root {
			parent++
		}
		t.push(x.Name, parent, int32(i), int32(min(x.Shares, math.MaxInt32)))
	}
	for i, x := range a.list {
		id := ID(i)
		if i > 0 {
			id++
		}
		switch {
		case x.User && x.Usage > 0:
			t.usage[id] = x.Usage
		default:
			t.usage[id] = x.Usage + StartUsage
		}
	}
	return t
}
