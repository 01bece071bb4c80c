package fstree

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A tree whose usages have changed judges as one that is made of them does, once it is refreshed, in the memory of the algorithm before as
// well as in its own, and where a walk itself puts rivals in order.
func TestRefresh(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	list := []Association{{Parent: -1}}
	for i := 1; i < 60; i++ {
		parent := int32(r.IntN(i))
		for list[parent].User {
			parent = list[parent].Parent
		}
		list = append(list, Association{Parent: parent, User: i > 20, FromParent: r.IntN(8) == 0, Shares: float64(r.IntN(4))})
	}
	tree, err := NewAssociations(list)
	if err != nil {
		t.Fatal(err)
	}
	var last *Standing
	kept := map[string]*Standing{} // by algorithm, of the usage before
	for range 50 {
		for i := range list {
			list[i].Usage = 0
		}
		for i := len(list) - 1; i > 0; i-- {
			if list[i].User {
				list[i].Usage = r.Float64() * float64(r.IntN(3))
			}
			list[list[i].Parent].Usage += list[i].Usage
		}
		if err := tree.Refresh(); err != nil {
			t.Fatal(err)
		}
		anew, err := NewAssociations(slices.Clone(list))
		if err != nil {
			t.Fatal(err)
		}
		for _, algorithm := range Algorithms {
			want := fmt.Sprint(algorithm.Compute(anew, Options{}).numbers)
			got := algorithm.Compute(tree, Options{})
			if last = algorithm.Compute(tree, Options{Memory: last}); fmt.Sprint(got.numbers) != want || fmt.Sprint(last.numbers) != want {
				t.Fatalf("%s: %v and %v, want %v", algorithm.Name, got.numbers, last.numbers, want)
			}
			if kept[algorithm.Name] = algorithm.Compute(tree, Options{Memory: kept[algorithm.Name]}); fmt.Sprint(kept[algorithm.Name].numbers) != want {
				t.Fatalf("%s: %v in the memory of the usage before, want %v", algorithm.Name, kept[algorithm.Name].numbers, want)
			}
		}
		for _, merge := range []bool{true, false} {
			plain, want := anew.levels(Options{}), anew.fairTree(merge, Options{})
			plain.best = nil
			if walk(anew, plain, walkRules{merge: merge, inherit: true, empty: !merge}); fmt.Sprint(plain.numbers) != fmt.Sprint(want.numbers) {
				t.Fatalf("where the walk sorts, fairshare is %v, and not %v", plain.Fairshare, want.Fairshare)
			}
		}
	}
	list[9].Usage = math.NaN()
	var wrong *AssociationError
	if err := tree.Refresh(); !errors.As(err, &wrong) || wrong.Index != 9 {
		t.Errorf("NaN is taken for a usage: %v", err)
	}
}

// The order of a list that stands in it already is that which linking its members comes to, and no sum of whole usages needs more than a
// double.
func TestOrderOfLists(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	inOrder, whole := 0, 0
	for range 2000 {
		list := []Association{{Parent: -1}}
		factor := []float64{1, .1, 1 << 50, 1 << 60}[r.IntN(4)]
		for i := 1; i < 1+r.IntN(8); i++ {
			list = append(list, Association{Parent: int32(r.IntN(i)), Shares: 1, Usage: factor * float64(r.IntN(20))})
		}
		a, err := NewAssociations(list)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := slices.Collect(a.Preorder), slices.Collect(a.linkedOrder); !slices.Equal(got, want) {
			t.Fatalf("%v: %v, want %v", list, got, want)
		}
		if a.isPreorder() {
			inOrder++
		}
		if a.isWhole() {
			whole++
			if a.sumExactly(&sumMemory{}); len(a.longUsage) > 0 {
				t.Fatalf("%v: %v", list, a.longUsage)
			}
		}
	}
	if inOrder < 200 || whole < 200 || inOrder > 1900 || whole > 1900 {
		t.Errorf("%d lists are in order, and %d whole", inOrder, whole)
	}
}
