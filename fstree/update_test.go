package fstree

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// numbers are the bits of what is derived for every node.
func numbers(t *Tree) (bits [][3]uint32) {
	for i := range t.name {
		bits = append(bits, [3]uint32{math.Float32bits(t.groupPct[i]), math.Float32bits(t.treePct[i]), math.Float32bits(t.treeUsage[i])})
	}
	return bits
}

// afresh returns the bits that PBS's two steps, one after the other, come to on a tree as it
// is now.
func afresh(t *Tree) [][3]uint32 {
	c := t.Clone()
	clear(c.groupPct)
	clear(c.treeUsage)
	clear(c.treePct[1:])
	c.calcPercentages()
	c.calcUsage()
	return numbers(c)
}

func sameBits(t *testing.T, what string, got, want [][3]uint32) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: node %d has %x, want %x", what, i, got[i], want[i])
		}
	}
}

// Who reads a tree first, and who updates it, finds the bits that follow from its shares and
// usage, whatever was done to it before.
func TestUpdate(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/pbsfs/*/sched_priv/resource_group")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d recorded trees, %v", len(files), err)
	}
	for seed, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		tree, _ := ParseResourceGroup(string(text), int32(r.IntN(20)))
		anyone := func() ID { return ID(r.IntN(tree.Len())) }
		for range 40 {
			switch r.IntN(7) {
			case 0:
				tree.Charge(anyone(), r.Float64()*1e6)
			case 1:
				tree.SetUsage(anyone(), 1+r.Float64()*1e9)
			case 2:
				tree.Decay(r.Float32())
			case 3:
				tree.SetShares(anyone(), int32(r.IntN(200)-20))
			case 4:
				tree.AddUnknown(string(rune('a' + r.IntN(26))))
			case 5:
				before := tree.Entity(anyone()).Usage
				tree.TryShares(anyone(), int32(r.IntN(100)))()
				tree.Update()
				tree.TryCharge(anyone(), before)()
				sameBits(t, file+", tried and undone", numbers(tree), afresh(tree))
			case 6:
				if err := tree.LoadUsage(func(yield func(string, float64) bool) { yield("cy", 5) }, false); err != nil {
					t.Fatal(err)
				}
				tree.Entity(Root)
				sameBits(t, file+", just read", numbers(tree), afresh(tree))
			}
			if r.IntN(3) == 0 {
				tree.Update()
				sameBits(t, file, numbers(tree), afresh(tree))
			}
		}
	}
}

// Shares that are tried and taken back leave a tree as it was that nobody has read before.
func TestTrySharesOfAnUnreadTree(t *testing.T) {
	t.Parallel()
	tree, _ := ParseResourceGroup(pp718, 0)
	want := afresh(tree)
	bob, _ := tree.Lookup("bob")
	undo := tree.TryShares(bob, 3)
	tree.Recalculate(bob)
	undo()
	sameBits(t, "tried and undone", numbers(tree), want)
}
