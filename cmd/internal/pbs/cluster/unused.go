package cluster

import (
	"cmp"
	"slices"
	"strings"
)

// sortKey is a key of node_sort_key by what of a vnode is unused or assigned, or by what never changes.
type sortKey struct {
	at    int     // the consumable, -1 for what never changes
	total bool    // whether all that a vnode has of it counts
	sign  float64 // 1 for LOW, -1 for HIGH
	fixed []float64
	used  bool // whether what is assigned counts, else what is unused
}

// findKeys finds the keys of node_sort_key where one of them changes with what runs; then the vnodes are sorted anew
// at each cycle and after each start, as PBS's multi_node_sort, and stay in the order of pbsnodes otherwise.
func (c *Cluster) findKeys(keys []string) {
	if !slices.ContainsFunc(keys, changesWithUse) {
		return
	}
	for _, key := range keys {
		words := strings.Fields(key)
		if len(words) < 2 {
			continue
		}
		k := sortKey{at: slices.Index(c.Consumables, words[0]), sign: 1, total: !changesWithUse(key), used: len(words) > 2 && words[2] == "assigned"}
		if strings.EqualFold(words[1], "HIGH") {
			k.sign = -1
		}
		if k.at < 0 {
			for i := range c.Vnodes {
				k.fixed = append(k.fixed, c.Vnodes[i].keyValue(words[0]))
			}
		}
		c.keys = append(c.keys, k)
	}
}

// SortsAnew reports whether the order of vnodes depends on the starts of a cycle.
func (c *Cluster) SortsAnew() bool { return len(c.keys) > 0 }

// changesWithUse reports whether a key of node_sort_key is about what jobs have of a vnode.
func changesWithUse(key string) bool {
	words := strings.Fields(key)
	return len(words) > 2 && (words[2] == "unused" || words[2] == "assigned")
}

// keyValue returns what a key of node_sort_key sorts a vnode by where jobs do not matter.
func (v *Vnode) keyValue(name string) float64 {
	if name == "sort_priority" {
		return v.Priority
	}
	return amount(v.Words[name])
}

// valueOf returns by how much a key puts a vnode with some amounts free behind others.
func (k *sortKey) valueOf(v *Vnode, number int32, free []float64) float64 {
	switch {
	case k.at < 0:
		return k.sign * k.fixed[number]
	case k.total:
		return k.sign * v.Amounts[k.at]
	case k.used:
		return k.sign * (v.Amounts[k.at] - free[k.at])
	}
	return k.sign * free[k.at]
}

// inOrder returns the vnodes as node_sort_key sorts them with what is free now, less what a request that is being
// placed has already; those that are alike stay as they were, which outside a cycle is as one would begin.
func (p *placer) inOrder() []int32 {
	s := p.s
	order := p.order[:0]
	if order = append(order, s.vnodeOrder...); s.vnodeOrder == nil {
		for v := range s.Vnodes {
			order = append(order, int32(v))
		}
		s.sortByKeys(order, nil)
	}
	p.order = order
	s.sortByKeys(order, p.taken)
	return order
}

// sortByKeys sorts vnodes by node_sort_key with what is free now, less what is taken already.
func (s *State) sortByKeys(order []int32, taken map[int32][]float64) {
	if len(s.keys) == 0 {
		return
	}
	value := func(k *sortKey, v int32) float64 {
		x := k.valueOf(&s.Vnodes[v], v, s.free[v])
		if taken := taken[v]; taken != nil && k.at >= 0 && !k.total {
			if k.used {
				return x + k.sign*taken[k.at]
			}
			return x - k.sign*taken[k.at]
		}
		return x
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		for i := range s.keys {
			if d := cmp.Compare(value(&s.keys[i], a), value(&s.keys[i], b)); d != 0 {
				return d
			}
		}
		return 0
	})
}

// oneByOne places each chunk on the first vnode that has it, with the vnodes sorted anew after each.
func (p *placer) oneByOne() bool {
	p.several = true
	for i := range p.r.Chunks {
		chunk := &p.r.Chunks[i]
		for range chunk.Count {
			order := p.inOrder()
			at := slices.IndexFunc(order, func(v int32) bool { return p.isWithin(v) && !p.s.isClosed(v) && p.fits(v, chunk, 1) > 0 })
			if at < 0 {
				return false
			}
			p.add(Part{order[at], 1, chunk})
		}
	}
	return true
}

// isWithin reports whether a vnode is one of those that count.
func (p *placer) isWithin(v int32) bool { return p.within == nil || slices.Contains(p.within, v) }
