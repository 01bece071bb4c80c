package replay

import (
	"context"
	"fmt"
	"testing"
)

// A record that is judged in spans gives what it does in one piece, however many are judged at a time. What is left is of
// sites where eligible_time stands still (P4 and Q4y), as far as it did so before the rules are asked for a span: here
// jobs wait for a fourth of the whole record.
func TestDecideSpans(t *testing.T) {
	for _, test := range []struct {
		name string
		most int // decisions that differ
	}{{"P1x", 0}, {"P2", 0}, {"P4", 25}, {"P5", 0}, {"P6", 0}, {"P6r", 0}, {"L1", 0}, {"Q1", 0}, {"Q3y", 0}, {"Q4y", 33}, {"V1", 0}, {"V2", 0}, {"V3", 0}, {"V4", 0}, {"V4m", 0}, {"V5", 0}, {"V6", 0}} {
		r := openRun(t, test.name)
		list := func(span, warmUp, workers int) (found []string) {
			o := r.options
			o.span, o.warmUp, o.Workers = span, warmUp, workers
			err := Decide(context.Background(), r.work, r.plan, r.cluster, o, func(d *Decision) { found = append(found, fmt.Sprintf("%+v", *d)) })
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		want := list(1_000_000, 0, 1)
		first := list(60, 50, 1)
		if len(first) != len(want) {
			t.Errorf("%s: %d decisions in spans, %d in one piece", test.name, len(first), len(want))
		}
		differ := 0
		for i := range min(len(want), len(first)) {
			if first[i] != want[i] {
				if differ++; differ < 4 {
					t.Logf("%s: in spans %s\nin one piece %s", test.name, first[i], want[i])
				}
			}
		}
		if differ > test.most {
			t.Errorf("%s: %d decisions of %d differ", test.name, differ, len(want))
		}
		for i, found := range list(60, 50, 3) {
			if found != first[i] {
				t.Fatalf("%s: three at a time judge %s, one %s", test.name, found, first[i])
			}
		}
	}
}
