package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// countedTaus counts pairs one by one, by the definitions.
func countedTaus(at []int32, jobs []Pair) (tau, tauB float64) {
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
			if at[j] < at[i] {
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
		var at []int32
		for _, place := range random.Perm(n) {
			at = append(at, int32(place))
			jobs = append(jobs, Pair{float32(random.IntN(n)), float32(random.IntN(n/2 + 1))})
		}
		wantTau, wantB := countedTaus(at, jobs)
		if got := float64(*Tau(slices.Clone(at))); math.Abs(got-wantTau) > 1e-12 {
			t.Errorf("tau of %v: %v, want %v", at, got, wantTau)
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
	if tau := Tau([]int32{1}); tau != nil {
		t.Errorf("of one job: %v", *tau)
	}
	if tau := TauB([]Pair{{1, 1}, {1, 2}}); tau != nil {
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

// Only an order in which no pair is the other way round is said to be the same in all pairs, however many jobs there are.
func TestInOrder(t *testing.T) {
	places := make([]int32, 400)
	for i := range places {
		places[i] = int32(2 * i) // others have come in
	}
	const all = "all pairs keep their order, shifted by jobs that are newly considered or no more"
	if got := InOrder(Tau(places)); got != all {
		t.Errorf("of an order that others shift: %s", got)
	}
	places[7], places[8] = places[8], places[7]
	tau := Tau(places)
	if got, want := InOrder(tau)+", "+TauText(tau), "over 99.9% of all pairs keep their order, over 0.999"; got != want {
		t.Errorf("of one pair among many: %s, want %s", got, want)
	}
	for i := range places {
		places[i] = int32(len(places) - i)
	}
	if got, want := InOrder(Tau(places)), "0.0% of all pairs keep their order"; got != want {
		t.Errorf("of the reverse: %s, want %s", got, want)
	}
}
