package replay

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Places come into their order whether they nearly stand in it or not.
func TestSortNearly(t *testing.T) {
	t.Parallel()
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 29))
		all := make([]place, r.IntN(60))
		for i := range all {
			all[i] = place{level: int32(r.IntN(2)), value: uint32(r.IntN(40)), entity: int32(i)}
			if r.IntN(8) == 0 {
				all[i].preempted = float64(1 + r.IntN(3))
			}
		}
		if slices.SortFunc(all, place.compare); seed%2 == 0 && len(all) > 0 {
			for range r.IntN(4) {
				all[r.IntN(len(all))].value += uint32(r.IntN(5))
			}
		} else {
			r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
		}
		seen := make([]bool, len(all))
		sortNearly(all)
		for i, p := range all {
			if seen[p.entity] {
				t.Fatalf("seed %d: place %d stands there twice", seed, p.entity)
			}
			if seen[p.entity] = true; i > 0 && all[i-1].compare(p) > 0 {
				t.Fatalf("seed %d: %v stands before %v", seed, all[i-1], p)
			}
		}
	}
}
