package forecast

import (
	"slices"
	"testing"
)

// Of four jobs one ends at 10, one is still seen at 20, and two end at 30: which part runs longer than a value.
func TestCurve(t *testing.T) {
	c := newCurve([]observation{{30, true}, {20, false}, {10, true}, {30, true}})
	if !slices.Equal(c.x, []float64{10, 30}) || !slices.Equal(c.beyond, []float64{.75, 0}) || c.n != 3 {
		t.Fatalf("%+v", c)
	}
	for x, want := range map[float64]float64{0: 1, 9: 1, 10: .75, 20: .75, 29: .75, 30: 0, 31: 0} {
		if got := c.at(x); got != want {
			t.Errorf("%v of them run longer than %v, want %v", got, x, want)
		}
	}
	// One that is still seen counts among those left, and not as one that ends.
	if c := newCurve([]observation{{10, false}, {20, true}, {30, true}}); !slices.Equal(c.beyond, []float64{.5, 0}) {
		t.Errorf("%+v", c)
	}
}
