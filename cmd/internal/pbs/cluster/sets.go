package cluster

import (
	"cmp"
	"slices"
	"strings"
)

// sets are the placement sets of some resources: for each value of each of them the vnodes
// that have it, and the vnodes without any, as PBS's create_placement_sets. A vnode whose
// value is a list is in the set of each.
type sets struct {
	names  []string  // such as "rack=r1"
	list   [][]int32 // in the order of the cluster
	totals [][]float64
	of     [][]int32 // by vnode, the sets in which it is

	tried []int // memory of ordered
}

// setsKey says what placement sets are made of.
type setsKey struct {
	resources string // such as "rack,switch"
	queue     string // whose vnodes they are, "" for those that no queue has for itself
}

// setsOf returns the placement sets within one of which a request is placed, nil where it is placed on all vnodes. Of
// a job in a reservation they are sets of the reservation's vnodes, and node_group_key does not count, as in PBS's
// check_normal_node_path.
func (s *State) setsOf(r *Request) *sets {
	if r.group == "" || r.isGroupOfSite && s.isReserved {
		return nil
	}
	key := setsKey{resources: r.group}
	if s.queues[r.queue] {
		key.queue = r.queue
	}
	if s.sets == nil {
		s.sets = map[setsKey]*sets{}
	}
	of, ok := s.sets[key]
	if !ok {
		of = s.newSets(key)
		s.sets[key] = of
	}
	return of
}

// newSets returns placement sets.
func (c *Cluster) newSets(key setsKey) *sets {
	s := &sets{of: make([][]int32, len(c.Vnodes))}
	for name := range strings.SplitSeq(key.resources, ",") {
		name = strings.TrimSpace(name)
		numbers := map[string]int{}
		for v := range c.Vnodes {
			if c.Vnodes[v].Queue != key.queue {
				continue
			}
			for value := range strings.SplitSeq(c.Vnodes[v].Words[name], ",") {
				value = strings.TrimSpace(value) // "" of a vnode without
				if value == "" && c.checks.Explicit {
					continue
				}
				number, ok := numbers[value]
				if !ok {
					number = len(s.list)
					numbers[value] = number
					s.names = append(s.names, setName(name, value))
					s.list, s.totals = append(s.list, nil), append(s.totals, make([]float64, len(c.Consumables)))
				}
				s.list[number] = append(s.list[number], int32(v))
				s.of[v] = append(s.of[v], int32(number))
				for k, amount := range c.Vnodes[v].Amounts {
					s.totals[number][k] += amount
				}
			}
		}
	}
	return s
}

// setName returns what the placement set of a value of a resource is called.
func setName(resource, value string) string {
	if value == "" {
		return "the vnodes without " + resource
	}
	return resource + "=" + value
}

// ordered returns the sets in the order in which they are tried now: those with the least
// cpus first, then the least memory, then the least free cpus, and the least free memory,
// as PBS's cmp_placement_sets; those that are alike in the order of their first vnodes. Only those
// are among them that count, all where that is nil. The slice is used again.
func (s *sets) ordered(state *State, counts func(set int) bool) []int {
	ncpus, mem := slices.Index(state.Consumables, "ncpus"), slices.Index(state.Consumables, "mem")
	order := s.tried[:0]
	for set := range s.list {
		if counts == nil || counts(set) {
			order = append(order, set)
		}
	}
	s.tried = order
	if len(order) < 2 {
		return order
	}
	free := make([][]float64, len(s.list))
	for _, set := range order {
		free[set] = make([]float64, len(state.Consumables))
		for _, v := range s.list[set] {
			for k, amount := range state.free[v] {
				free[set][k] += amount
			}
		}
	}
	by := func(amounts [][]float64, k, a, b int) int {
		if k < 0 {
			return 0
		}
		return cmp.Compare(amounts[a][k], amounts[b][k])
	}
	if len(state.keys) > 0 {
		first := s.firsts(state)
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(first[a], first[b]) })
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(by(s.totals, ncpus, a, b), by(s.totals, mem, a, b), by(free, ncpus, a, b), by(free, mem, a, b))
	})
	return order
}

// firsts returns of each set where its first vnode is among all, as they are sorted now.
func (s *sets) firsts(state *State) []int {
	at, first := make([]int, len(state.Vnodes)), make([]int, len(s.list))
	for i, v := range state.placer.inOrder() {
		at[v] = i
	}
	for i, vnodes := range s.list {
		first[i] = at[slices.MinFunc(vnodes, func(a, b int32) int { return cmp.Compare(at[a], at[b]) })]
	}
	return first
}

// Group lets a request be placed within one placement set of some resources of the site's, such as
// "rack", unless it asks for sets of its own by place=group.
func (r *Request) Group(resources string) {
	if r.group == "" {
		r.group, r.isGroupOfSite = resources, true
	}
}

// IsGrouped reports whether a request has to be placed within one placement set.
func (r *Request) IsGrouped() bool { return r.group != "" }

// Span lets a request be placed on all vnodes, whatever set they are in: as PBS does with
// one that fits into none.
func (r *Request) Span() { r.group = "" }
