package study

import (
	"math"
	"strings"
	"testing"
)

// A sentence names a policy by what it changes, where that is short, without the formula that all have.
func TestCalled(t *testing.T) {
	s := &Study{Policies: []*Policy{
		{Name: "in force: ncpus", Formula: "ncpus", IsInForce: true},
		{Name: "ncpus, backfill_depth=0 (was 3)", Formula: "ncpus"},
		{Name: "-ncpus", Formula: "-ncpus"},
		{Name: strings.Repeat("PriorityWeightAge=1, ", 5)},
	}}
	for i, want := range []string{"policy 1, the one in force,", "policy 2, backfill_depth=0 (was 3),", "policy 3, -ncpus,", "policy 4"} {
		if got := s.called(i + 1); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// How near a replay comes is rounded up, as it is a bound, and a difference is not.
func TestPercent(t *testing.T) {
	for _, test := range []struct {
		part           float64
		bound, nearest string
	}{{.01234, "1.3 %", "1.2 %"}, {.0125, "1.3 %", "1.3 %"}, {1.304, "131 %", "130 %"}, {0, "0.0 %", "0.0 %"}} {
		if bound, nearest := Percent(test.part, math.Ceil), Percent(test.part, math.Round); bound != test.bound || nearest != test.nearest {
			t.Errorf("%v: %s, %s; want %s, %s", test.part, bound, nearest, test.bound, test.nearest)
		}
	}
}
