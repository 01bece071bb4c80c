package fstree

import (
	"errors"
	"fmt"
	"math"
	"testing"
)

// A tree that nobody has made is one of the root and "unknown", who has no shares.
func TestZeroTree(t *testing.T) {
	for _, row := range []struct {
		name string
		do   func(t *Tree) any
		want any
	}{
		{"AddUnknown", func(t *Tree) any { return t.AddUnknown("ann") }, ID(2)},
		{"SetShares", func(t *Tree) any { t.SetShares(Unknown, 3); return t.Entity(Unknown).Shares }, int32(3)},
		{"Len", func(t *Tree) any { return t.Len() }, 2},
		{"IsGroup", func(t *Tree) any { return t.IsGroup(Root) }, true},
		{"Associations", func(t *Tree) any { return t.Associations().Len() }, 2},
		{"Charge", func(t *Tree) any { t.Charge(Unknown, 5); return t.Entity(Root).Usage }, 6.},
		{"SetUsage", func(t *Tree) any { t.SetUsage(Unknown, 5); return t.Entity(Unknown).Usage }, 5.},
		{"TryCharge", func(t *Tree) any { t.TryCharge(Unknown, 5)(); return t.Entity(Unknown).Usage }, 1.},
		{"TryShares", func(t *Tree) any { t.TryShares(Unknown, 5)(); return t.Entity(Unknown).Shares }, int32(0)},
		{"Lookup", func(t *Tree) any { id, ok := t.Lookup("ann"); return fmt.Sprint(id, ok) }, "-1 false"},
		{"Entity", func(t *Tree) any { return t.Entity(Root).Name }, RootName},
		{"Path", func(t *Tree) any { return len(t.Path(Unknown)) }, 2},
		{"Preorder", func(t *Tree) any {
			n := 0
			for range t.Preorder() {
				n++
			}
			return n
		}, 2},
		{"Clone", func(t *Tree) any { return t.Clone().Len() }, 2},
		{"Update", func(t *Tree) any { t.Update(); return t.Entity(Root).TreePercentage }, float32(1)},
		{"Compare", func(t *Tree) any { return t.Compare(Root, Unknown) }, 0},
		{"CompareNodes", func(t *Tree) any { return t.CompareNodes(Unknown, Unknown) }, 0},
		{"Decay", func(t *Tree) any { t.Decay(.5); return t.Entity(Root).Usage }, 1.},
		{"Derive", func(t *Tree) any { return len(t.Derive(Unknown)) }, 1},
		{"LoadUsage", func(t *Tree) any {
			t.LoadUsage(func(yield func(string, float64) bool) { yield("ann", 7) }, false)
			return t.Entity(Root).Usage
		}, 8.},
		{"LoadUsage, trimmed", func(t *Tree) any {
			t.LoadUsage(func(yield func(string, float64) bool) { yield("ann", 7) }, true)
			_, isThere := t.Lookup("ann")
			return isThere
		}, false},
		{"OverShare", func(t *Tree) any { return t.OverShare(Root) }, false},
		{"Recalculate", func(t *Tree) any { return t.Recalculate(Root).Name }, RootName},
		{"Records", func(t *Tree) any {
			n := 0
			for range t.Records() {
				n++
			}
			return n
		}, 0},
		{"ResetUsage", func(t *Tree) any { t.ResetUsage(); return t.Entity(Root).Usage }, 1.},
	} {
		func() {
			defer func() {
				if what := recover(); what != nil {
					t.Errorf("%s panics: %v", row.name, what)
				}
			}()
			if got := row.do(new(Tree)); got != row.want {
				t.Errorf("%s: %v, want %v", row.name, got, row.want)
			}
		}()
	}
}

// A list without a root is an error and no tree.
func TestNoAssociations(t *testing.T) {
	for _, list := range [][]Association{nil, {}} {
		a, err := NewAssociations(list)
		var wrong *AssociationError
		if a != nil || !errors.As(err, &wrong) || wrong.Index != 0 {
			t.Errorf("%v: %v, %v", list, a, err)
		}
	}
	a, err := NewAssociations([]Association{{Parent: -1}})
	if err != nil || a.Len() != 1 || a.Users() != 0 {
		t.Fatalf("a root alone: %v, %v", a, err)
	}
	for _, algorithm := range Algorithms { // which have nobody to judge
		if s := algorithm.Compute(a, Options{}); len(s.Fairshare) != 1 || s.Ranks(a)[0] != 0 {
			t.Errorf("%s of a root alone: %+v", algorithm.Name, s)
		}
	}
}

// Nobody's usage becomes no number, nor less than what everybody begins with, whatever the
// factor of a decay.
func TestOddDecay(t *testing.T) {
	inf := math.Inf(1)
	for _, row := range []struct {
		usage, factor, want float64
	}{
		{100, .5, 50},
		{100, math.NaN(), 100},
		{100, 0, 1},
		{100, -1, 1},
		{1.5, .5, 1},
		{100, -inf, 1},
		{100, inf, inf},
		{inf, 0, 1},
		{inf, .5, inf},
		{math.NaN(), .5, 1},
	} {
		tree := New(0, 1)
		ann := tree.AddUnknown("ann")
		tree.SetUsage(ann, row.usage)
		tree.Decay(float32(row.factor))
		if got := tree.Entity(ann).Usage; got != row.want {
			t.Errorf("%v by %v: %v, want %v", row.usage, row.factor, got, row.want)
		}
	}
}

// An entity is added once; a name that the tree has is that node, whatever it is.
func TestAddUnknownTwice(t *testing.T) {
	tree, problems := ParseResourceGroup("g 10 root 3\nann 11 g 4\n", 0)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	bob := tree.AddUnknown("bob")
	tree.SetUsage(bob, 7)
	tree.SetShares(bob, 5)
	for name, want := range map[string]string{"bob": "bob in 1 with 5", "ann": "ann in 10 with 4", "g": "g in 0 with 3", UnknownName: "unknown in 0 with 0", "cy": "cy in 1 with 1"} {
		id := tree.AddUnknown(name)
		n := tree.Len()
		if again := tree.AddUnknown(name); again != id || tree.Len() != n {
			t.Errorf("%s is %d, then %d, of %d and then %d nodes", name, id, again, n, tree.Len())
		}
		if e := tree.Entity(id); fmt.Sprintf("%s in %d with %d", e.Name, e.Resgroup, e.Shares) != want {
			t.Errorf("%s: %+v, want %s", name, e, want)
		}
	}
	if again := tree.AddUnknown("bob"); again != bob || tree.Entity(bob).Usage != 7 || tree.Len() != 6 {
		t.Errorf("bob is %d, then %d: %+v, of %d nodes", bob, again, tree.Entity(again), tree.Len())
	}
}
