package fstree

import (
	"errors"
	"iter"
)

// ErrTooDeep is returned by LoadUsage for input that only a hostile hand
// makes: a very deep tree with many records that name its groups.
var ErrTooDeep = errors.New("too many usage records name groups of a very deep tree")

// Steps to ancestors that LoadUsage takes one by one before it defers them,
// and deferred sums it works out before it gives up.
const (
	maxSteps   = 50_000_000
	maxFlushes = 100
)

// LoadUsage adds the records of a usage file, as PBS's read_usage: an
// entity's record replaces its usage and is added to each ancestor, also when
// it is a second one; a group's record replaces the group's total. Names that
// the tree lacks join "unknown", or are passed over when trimming.
func (t *Tree) LoadUsage(records iter.Seq2[string, float64], trim bool) error {
	t.init()
	if records == nil {
		return nil
	}
	defer t.derived.isDone.Store(false)
	l := usageLoader{tree: t}
	last := Root
	for name, usage := range records {
		id, ok := t.near(last, name)
		last = id
		if !ok {
			if trim {
				continue
			}
			id = t.AddUnknown(name)
			last = id
		}
		if t.IsGroup(id) && !l.flush() {
			return ErrTooDeep
		}
		t.usage[id] = usage
		if !t.IsGroup(id) {
			l.charge(t.parent[id], usage)
		}
	}
	l.flush()
	return nil
}

// near finds a name where PBS's files have it most often: beside the node of
// the record before.
func (t *Tree) near(last ID, name string) (ID, bool) {
	for _, id := range [2]ID{last - 1, last + 1} {
		if id >= 0 && int(id) < len(t.name) && t.name[id] == name {
			return id, true
		}
	}
	return t.Lookup(name)
}

// usageLoader adds usage to ancestors in PBS's order of additions, which
// decides the last bit of a sum. In a tree so deep that this would take
// quadratic time it defers the additions to one pass from the leaves up,
// which gives the same sums as long as they are exact.
type usageLoader struct {
	tree     *Tree
	steps    int
	deferred []float64 // per node, to be added to it and its ancestors
	waiting  bool
	flushes  int
}

func (l *usageLoader) charge(id ID, usage float64) {
	t := l.tree
	if l.steps < maxSteps {
		for ; id != none; id = t.parent[id] {
			t.usage[id] += usage
			l.steps++
		}
		return
	}
	for len(l.deferred) < t.Len() {
		l.deferred = append(l.deferred, 0)
	}
	l.deferred[id] += usage
	l.waiting = true
}

// flush carries the deferred sums to the root and reports whether it still
// may.
func (l *usageLoader) flush() bool {
	if !l.waiting {
		return true
	}
	l.waiting = false
	l.flushes++
	for i := len(l.deferred) - 1; i >= 0; i-- {
		if d := l.deferred[i]; d != 0 {
			l.deferred[i] = 0
			l.tree.usage[i] += d
			if p := l.tree.parent[i]; p != none {
				l.deferred[p] += d
			}
		}
	}
	return l.flushes <= maxFlushes
}

// SetUsage sets one node's usage and leaves its ancestors alone, as pbsfs -s.
func (t *Tree) SetUsage(id ID, usage float64) {
	t.init()
	t.usage[id] = usage
}

// Records yields what the usage file keeps: the entities whose usage is not
// 1, without "unknown", in the order of PBS's rec_write_usage (a node, then
// its siblings, then its children).
func (t *Tree) Records() iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		t.init()
		families := []ID{Root}
		for len(families) > 0 {
			first := families[len(families)-1]
			families = families[:len(families)-1]
			for id := first; id != none; id = t.sibling[id] {
				switch {
				case t.IsGroup(id):
					families = append(families, t.child[id])
				case t.usage[id] != StartUsage && id != Unknown:
					if !yield(t.name[id], t.usage[id]) {
						return
					}
				}
			}
		}
	}
}

// ResetUsage sets every node's usage to what it begins with, as if there were no
// usage file.
func (t *Tree) ResetUsage() {
	t.init()
	t.derived.isDone.Store(false)
	for id := range t.usage {
		t.usage[id] = StartUsage
	}
}
