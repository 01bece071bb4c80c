package compare

import (
	"math"
	"math/rand/v2"
	"testing"
)

// countedTaus counts pairs one by one, by the definitions.
func countedTaus(jobs []Pair) (tau, tauB float64) {
	var places, values, oldTies, newTies, pairs float64
	sign := func(a, b float32) float64 {
		switch {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	}
	for i := range jobs {
		for j := range i {
			a, b := jobs[j], jobs[i]
			pairs++
			if a.Place < b.Place {
				places++
			} else {
				places--
			}
			values += sign(a.Old, b.Old) * sign(a.New, b.New)
			if a.Old == b.Old {
				oldTies++
			}
			if a.New == b.New {
				newTies++
			}
		}
	}
	return places / pairs, values / math.Sqrt((pairs-oldTies)*(pairs-newTies))
}

func TestTaus(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := 2; n < 60; n++ {
		var jobs []Pair
		for _, place := range random.Perm(n) {
			jobs = append(jobs, Pair{int32(place), float32(random.IntN(n)), float32(random.IntN(n/2 + 1))})
		}
		wantTau, wantB := countedTaus(jobs)
		if got := float64(*Tau(jobs)); math.Abs(got-wantTau) > 1e-12 {
			t.Errorf("tau of %v: %v, want %v", jobs, got, wantTau)
		}
		switch got := TauB(jobs); {
		case math.IsNaN(wantB):
			if got != nil {
				t.Errorf("tau-b of %v: %v, want none", jobs, *got)
			}
		case got == nil || math.Abs(float64(*got)-wantB) > 1e-12:
			t.Errorf("tau-b of %v: %v, want %v", jobs, got, wantB)
		}
	}
	if tau := Tau([]Pair{{1, 1, 1}}); tau != nil {
		t.Errorf("of one job: %v", *tau)
	}
	if tau := TauB([]Pair{{1, 1, 1}, {2, 1, 2}}); tau != nil {
		t.Errorf("of one value: %v", *tau)
	}
}

func TestOverlaps(t *testing.T) {
	old, now := make([]int32, 200), make([]int32, 200)
	for i := range old {
		old[i], now[i] = int32(i), int32(199-i)
	}
	got := Overlaps(old, now)
	want := []Overlap{{10, 0}, {100, 0}, {200, 200}}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}
