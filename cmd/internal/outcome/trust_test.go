package outcome

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestInversions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		list := make([]int64, r.IntN(30))
		for i := range list {
			list[i] = int64(r.IntN(20))
		}
		want := int64(0)
		for i := range list {
			for _, later := range list[i+1:] {
				if list[i] > later {
					want++
				}
			}
		}
		if got := inversions(slices.Clone(list), make([]int64, len(list))); got != want {
			t.Fatalf("%v: %d, want %d", list, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3}, []float64{3, 2, 1}, 0}, {[]float64{1, 1}, []float64{2, 2}, 1}, {[]float64{1, 2}, []float64{2, 3}, .5},
	} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("%v %v: %v, want %v", test.a, test.b, got, test.want)
		}
	}
}
