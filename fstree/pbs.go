package fstree

import "math"

// PBS's algorithm. It keeps percentages and tree usage as C float and usage as
// C double; each conversion below stands where PBS's arithmetic has one, and
// keeps the compiler from fusing a multiplication with an addition.

// Update derives every node's tree usage anew from usage as Charge, Decay and SetUsage have
// left it, as PBS does at the start of each cycle: within one, tree usage stays as it is.
// A tree that was just read, or that has new nodes or other shares, needs no call: who reads
// its numbers first has them derived.
func (t *Tree) Update() {
	if !t.derive() {
		t.calcUsage()
	}
}

// calcPercentages derives each node's share of its group and of the tree, as
// PBS's calc_fair_share_perc: sums of shares wrap at 32 bits, and a group
// whose total or whose own percentage is zero has nothing to give.
func (t *Tree) calcPercentages() {
	for p := range t.parent {
		if t.child[p] != none {
			t.calcGroup(ID(p))
		}
	}
}

func (t *Tree) calcGroup(p ID) {
	const unspecified = -1 // PBS's mark for "not counted yet"
	var rest int32         // the shares of this child and its older siblings
	for c := t.child[p]; c != none; c = t.sibling[c] {
		rest += t.shares[c]
	}
	total := int32(unspecified)
	for c := t.child[p]; c != none; c = t.sibling[c] {
		// A sum that happens to be -1 looks uncounted to PBS, which then
		// counts again from this child on.
		if total == unspecified {
			total = rest
		}
		rest -= t.shares[c]
		if float32(total)*t.treePct[p] == 0 {
			t.groupPct[c], t.treePct[c] = 0, 0
			continue
		}
		t.groupPct[c] = float32(t.shares[c]) / float32(total)
		t.treePct[c] = float32(t.groupPct[c] * t.treePct[p])
	}
}

// calcUsage derives every node's fairshare_tree_usage, see Entity, as PBS's
// calc_usage_factor.
func (t *Tree) calcUsage() {
	t.treeUsage[Root] = 0
	for i := 1; i < len(t.parent); i++ {
		t.treeUsage[i] = t.treeUsageBelow(ID(i), t.treeUsage[t.parent[i]])
	}
}

// treeUsageBelow returns a node's tree usage, given its parent's.
func (t *Tree) treeUsageBelow(id ID, parents float32) float32 {
	u := float32(t.usage[id] / t.usage[Root])
	if t.parent[id] != Root {
		gap := float32(parents - u)
		u += float32(gap * t.groupPct[id])
	}
	return u
}

// Factor returns the formula's fairshare_factor, 2^-(tree usage / tree
// percentage): 1 for an entity that has used nothing, 0.5 on target, 0 for
// one that has no share.
func (e Entity) Factor() float64 { return factor(e.TreePercentage, e.TreeUsage) }

func factor(percentage, usage float32) float64 {
	if percentage == 0 {
		return 0
	}
	return math.Exp2(-float64(usage / percentage))
}

// PerShare returns usage / tree percentage, the measure by which PBS compares
// entities, or -1 where the percentage is 0 (as pbsfs prints it).
func (e Entity) PerShare() float64 {
	if e.TreePercentage == 0 {
		return -1
	}
	return e.Usage / float64(e.TreePercentage)
}

// Compare returns a negative number if a deserves to run next, a positive one if
// b does, and 0 if neither does, as PBS's compare_path: from the root down, the
// lower usage per share wins at the first level where the paths part and it
// differs. Neither does if one path ends first.
func (t *Tree) Compare(a, b ID) int {
	pa, pb := t.Path(a), t.Path(b)
	for i := 0; i < len(pa) && i < len(pb); i++ {
		if c := t.CompareNodes(pa[i], pb[i]); c != 0 {
			return c
		}
	}
	return 0
}

// CompareNodes compares two nodes of one level by usage per share, with
// Compare's result. A percentage of zero or less loses to any above zero and ties with
// its like.
func (t *Tree) CompareNodes(a, b ID) int {
	if a == b {
		return 0
	}
	t.derive()
	hasA, hasB := t.treePct[a] > 0, t.treePct[b] > 0
	if !hasA || !hasB {
		switch {
		case hasA:
			return -1
		case hasB:
			return 1
		}
		return 0
	}
	ra := t.usage[a] / float64(t.treePct[a])
	rb := t.usage[b] / float64(t.treePct[b])
	switch {
	case ra < rb:
		return -1
	case ra > rb:
		return 1
	}
	return 0
}

// Decay multiplies every node's usage by a factor, but leaves none below 1,
// as PBS's decay_fairshare_tree. A factor that is no number changes nothing.
func (t *Tree) Decay(factor float32) {
	if factor != factor {
		return
	}
	for i, u := range t.usage {
		u *= float64(factor)
		if !(u >= StartUsage) { // nor NaN
			u = StartUsage
		}
		t.usage[i] = u
	}
}

// Charge adds usage to a node and all its ancestors, as PBS's
// update_usage_on_run does for a job that starts.
func (t *Tree) Charge(id ID, usage float64) {
	t.init()
	for ; id != none; id = t.parent[id] {
		t.usage[id] += usage
	}
}

// OverShare reports whether an entity has used more than its part of all usage,
// as PBS's over_fs_usage.
func (t *Tree) OverShare(id ID) bool {
	t.derive()
	return t.usage[Root]*float64(t.treePct[id]) < t.usage[id]
}
