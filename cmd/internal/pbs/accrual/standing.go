package accrual

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"

	"fairshare/fstree"
)

// Standing is where a group or an entity of a tree stands: its part of all usage beside the one
// that its shares promise, and how that goes on. Seconds count from now, NaN is never.
type Standing struct {
	Name    string
	IsGroup bool
	Usage   float64
	Part    float64 // of all usage
	Target  float64 // the part that its shares promise: PBS's tree percentage
	Rate    float64 // how much usage it accrues in a second

	Half    float64 // until half of what is above the target has gone, if it stops and the others go on
	Stopped float64 // until it is at the target, likewise; NaN for one that is below
	GoingOn float64 // until it is at the target, if all go on
	Ahead   float64 // its usage some time from now, if it stops

	Shares  int32
	Fitting float64 // the shares with which the target would be the part that it has used, see Standings
}

// Standings returns the groups and the entities of a tree, groups first, in each those that are
// farthest above their target first. Their usage is that of records; rates are usage in a
// second by entity, and ahead is for how many seconds usage is projected.
//
// One that stops accrues nothing from now on, and all others go on at their rates. With its
// usage u, that of all U and its target T, u - T·U is what it has above its target; it decays
// as usage does, and grows by r - T·R in a second, where r and R are its rate and that of all.
//
// Fitting shares are meant for all children of a group at once: they have the sum that their
// shares have now.
func Standings(tree *fstree.Tree, records iter.Seq2[string, float64], rates map[string]float64, course Course, ahead int64) ([]Standing, error) {
	tree = tree.Clone()
	tree.ResetUsage()
	if err := tree.LoadUsage(records, false); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(rates)) {
		tree.AddUnknown(name)
	}
	nodes := nodesOf(tree, rates)
	root := nodes[fstree.Root]
	var all []Standing
	for id, own := range nodes {
		e := tree.Entity(fstree.ID(id))
		isGroup := tree.IsGroup(fstree.ID(id))
		if id == int(fstree.Root) || id == int(fstree.Unknown) && !isGroup {
			continue // nobody is there
		}
		s := Standing{Name: e.Name, IsGroup: isGroup, Usage: own.usage, Part: own.usage / root.usage, Target: float64(e.TreePercentage), Rate: own.rate, Shares: e.Shares}
		s.Half, s.Stopped = math.NaN(), math.NaN()
		above, goingOn := own.usage-s.Target*root.usage, own.rate-s.Target*root.rate
		if above > 0 {
			stopped := -s.Target * (root.rate - own.rate)
			s.Half, s.Stopped, s.GoingOn = course.Down(above, stopped, above/2), course.Down(above, stopped, 0), course.Down(above, goingOn, 0)
		} else {
			s.GoingOn = course.Down(-above, -goingOn, 0)
		}
		s.Ahead = course.After(own.usage, ahead)
		parent := nodes[own.parent]
		s.Fitting = float64(parent.shares) * own.usage / parent.usage
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Standing) int {
		switch {
		case a.IsGroup && !b.IsGroup:
			return -1
		case b.IsGroup && !a.IsGroup:
			return 1
		}
		return cmp.Or(cmp.Compare(b.Part-b.Target, a.Part-a.Target), cmp.Compare(a.Name, b.Name))
	})
	return all, nil
}

// Targets returns the parts of all usage that a tree promises to some entities.
func Targets(tree *fstree.Tree, names []string) map[string]float64 {
	tree = tree.Clone()
	for _, name := range names {
		if name != "" {
			tree.AddUnknown(name)
		}
	}
	targets := map[string]float64{}
	for _, name := range names {
		if id, ok := tree.Lookup(name); ok && name != "" {
			targets[name] = float64(tree.Entity(id).TreePercentage)
		}
	}
	return targets
}

// node is what is below a node of a tree, or what an entity has.
type node struct {
	parent      fstree.ID
	usage, rate float64
	shares      int64 // of the children
}

// nodesOf returns the nodes of a tree.
func nodesOf(tree *fstree.Tree, rates map[string]float64) []node {
	nodes := make([]node, tree.Len())
	var order, above []fstree.ID // above are the ancestors of a node, by depth
	for id, depth := range tree.Preorder() {
		above = append(above[:depth], id)
		if order = append(order, id); depth > 0 {
			nodes[id].parent = above[depth-1]
		}
		if e := tree.Entity(id); !tree.IsGroup(id) && id != fstree.Unknown {
			nodes[id].usage, nodes[id].rate = e.Usage, rates[e.Name]
		}
	}
	for _, id := range slices.Backward(order) {
		if parent := &nodes[nodes[id].parent]; id != fstree.Root {
			parent.usage += nodes[id].usage
			parent.rate += nodes[id].rate
			parent.shares += int64(tree.Entity(id).Shares)
		}
	}
	return nodes
}
