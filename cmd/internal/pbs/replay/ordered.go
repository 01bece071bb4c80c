package replay

import (
	"cmp"
	"slices"

	"fairshare/cmd/internal/pbs/cycle"
)

// place is a value among others in the order in which a cycle looks at jobs, with all on which that depends.
type place struct {
	level     int32
	value     uint32 // the lower, the earlier
	preempted float64
	entity    int32
	shared    *sharedValue // nil where nobody has it any more
}

// placeOf returns where a value is in the order.
func placeOf(shared *sharedValue) place {
	return place{shared.level, cycle.PackValue(shared.value), shared.preempted, shared.entity, shared}
}

// compare is the order in which a cycle looks at jobs, as far as levels, what was preempted and values give it.
func (p place) compare(other place) int {
	switch {
	case p.level != other.level:
		return cmp.Compare(p.level, other.level)
	case p.preempted != other.preempted:
		return cycle.CompareMarks(p.preempted, other.preempted)
	}
	return cmp.Compare(p.value, other.value)
}

// isHandedOut reports whether a value is among those that were handed out in this cycle.
func (f *front) isHandedOut(shared *sharedValue) bool {
	return f.next == len(f.ordered) || f.next > 0 && placeOf(shared).compare(f.ordered[f.next-1]) <= 0
}

// evaluateAll evaluates the values of all jobs that wait, most of which are what they were in the cycle before. isOff says that some
// cannot be evaluated.
func (v *values) evaluateAll(f *front) (isOff bool, err error) {
	f.isMixed = f.isMixed || len(f.turned) > 0 // nobody has asked for the order since
	f.turned, v.list = f.turned[:0], v.list[:0]
	for i := range f.ordered {
		p := &f.ordered[i]
		if p.shared == nil {
			continue
		}
		v.entity(p.entity)
		if v.turned[p.entity] <= f.asOf && !v.at.eachValue {
			continue
		}
		f.turned = append(f.turned, int32(i))
		if p.shared.isListed = len(p.shared.groups) > 0; p.shared.isListed {
			v.list = append(v.list, p.shared)
		} else {
			p.shared = nil
			f.gone++
		}
	}
	for _, shared := range v.come {
		if !shared.isListed && len(shared.groups) > 0 {
			shared.isListed = true
			f.turned = append(f.turned, int32(len(f.ordered)))
			f.ordered, v.list = append(f.ordered, place{entity: shared.entity, shared: shared}), append(v.list, shared)
		}
	}
	v.come = v.come[:0]
	failed, err := v.evaluateShared(v.list)
	for _, i := range f.turned {
		if p := &f.ordered[i]; p.shared != nil {
			*p = placeOf(p.shared)
		}
	}
	if f.asOf = v.at.cycles; len(failed) > 0 || err != nil {
		f.asOf = 0
		for _, shared := range v.list {
			shared.cycle = 0
		}
		return true, err
	}
	if f.gone > len(f.ordered)/2 {
		f.order()
	}
	return false, nil
}

// order puts values in order.
func (f *front) order() {
	const few = 4 // times as many stay as turned: only then it takes less to put these between them
	isGone := func(p place) bool { return p.shared == nil }
	switch {
	case f.isMixed || few*len(f.turned) > len(f.ordered):
		if f.gone > 0 {
			f.ordered = slices.DeleteFunc(f.ordered, isGone)
		}
		sortNearly(f.ordered)
	case len(f.turned) > 0:
		changed, kept := f.changed[:0], int(f.turned[0])
		for k, at := range f.turned {
			if p := f.ordered[at]; !isGone(p) {
				changed = append(changed, p)
			}
			end := len(f.ordered)
			if k+1 < len(f.turned) {
				end = int(f.turned[k+1])
			}
			kept += copy(f.ordered[kept:], f.ordered[at+1:end])
		}
		slices.SortFunc(changed, place.compare)
		clear(f.ordered[kept:])
		f.ordered, f.changed = merge(f.ordered[:kept], changed), changed
	}
	f.isMixed, f.turned, f.gone = false, f.turned[:0], 0
}

// sortNearly puts places in order of which most stand where they belong, or close by, as values do that change little from one
// cycle to the next.
func sortNearly(all []place) {
	const most = 8 // steps for each of them: where it takes more, they are not nearly in order
	left := most * len(all)
	for i := 1; i < len(all); i++ {
		p := all[i]
		k := i
		for ; k > 0 && p.compare(all[k-1]) < 0; k-- {
			all[k] = all[k-1]
		}
		all[k] = p
		if left -= i - k; left < 0 {
			slices.SortFunc(all, place.compare)
			return
		}
	}
}

// merge puts places between others that are in order, as they are themselves.
func merge(ordered, others []place) []place {
	from, to := len(ordered), len(ordered)+len(others)
	ordered = slices.Grow(ordered, len(others))[:to]
	for _, p := range slices.Backward(others) {
		at, _ := slices.BinarySearchFunc(ordered[:from], p, place.compare)
		to -= copy(ordered[to-(from-at):to], ordered[at:from])
		from = at
		to--
		ordered[to] = p
	}
	return ordered
}

// steadiness is in which place in the tree the terms of an entity are the same numbers. PBS rounds tree usage to six decimals.
type steadiness struct {
	percentage  float32
	least, most float64 // tree usage
}

// holds reports whether an entity has its place there.
func (s *steadiness) holds(percentage, usage float32) bool {
	return percentage == s.percentage && s.least <= float64(usage) && float64(usage) <= s.most
}

// steadyTerms returns which variable is tree usage, where the formula has no other term of the tree than that and the percentage;
// else it is negative.
func (v *values) steadyTerms() (usage int) {
	usage = -1
	for i, from := range v.sources {
		switch name := v.variables[i].Name; {
		case from != fromTree || name == "fairshare_perc" || name == "fair_share_perc":
		case name == "fairshare_tree_usage":
			usage = i
		default:
			return -1
		}
	}
	return usage
}

// settle finds out where the terms of an entity that were just derived stay what they are.
func (v *values) settle(number int32, percentage float32) {
	if v.usageTerm >= 0 {
		const nearly = .49e-6 // half of the last decimal, and less by more than products are off by
		usage := v.numbers[v.usageTerm][number]
		v.steady[number] = steadiness{percentage, usage - nearly, usage + nearly}
	}
}
