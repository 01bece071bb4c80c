package fstree_test

import (
	"sync"
	"testing"

	"fairshare/fstree"
)

// Several may read a tree at once and copy it, also when its numbers are not derived yet.
func TestReadAtOnce(t *testing.T) {
	tree, err := fstree.ParseResourceGroup("g 10 root 10\na 11 g 5\nb 12 g 15\n", 0)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := tree.Lookup("b")
	var all sync.WaitGroup
	got := make([]float32, 20)
	for i := range got {
		all.Go(func() {
			of := tree
			if i%2 == 0 {
				of = tree.Clone()
			}
			got[i] = of.Entity(b).GroupPercentage
		})
	}
	all.Wait()
	for i, share := range got {
		if share != .75 {
			t.Errorf("reader %d got %v", i, share)
		}
	}
}
