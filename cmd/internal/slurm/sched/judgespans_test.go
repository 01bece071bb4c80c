package sched

import (
	"context"
	"fmt"
	"testing"
)

// A record that is judged in spans gives what it does in one piece, however many are judged at a time, and whether or not jobs
// are put into their order before a span.
func TestDecideSpans(t *testing.T) {
	s, jobs := yearOf(1500, shape{16, 40, 1.1, 40, 0})
	recorded := recordingOf(t, s, jobs)
	limited := *s
	limited.QOS = append([]QOS(nil), s.QOS...)
	limited.QOS[0].Limits.UserJobs = 10 // so that much differs
	for _, of := range []*Setup{s, &limited} {
		list := func(spans, workers int, isWhole bool) (found []string) {
			r := recorded
			r.spans, r.warmUp, r.Workers, r.isWhole = spans, 50, workers, isWhole
			err := Decide(context.Background(), of, r, func(d *Decision) {
				d.Job = nil
				found = append(found, fmt.Sprintf("%+v", *d))
			})
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		want, first := list(1, 1, false), list(7, 1, false)
		if len(first) != len(want) {
			t.Fatalf("%d decisions in spans, %d in one piece", len(first), len(want))
		}
		differ := 0
		for i := range want {
			if first[i] != want[i] {
				if differ++; differ < 4 {
					t.Logf("in spans %s\nin one piece %s", first[i], want[i])
				}
			}
		}
		if most := len(want) / 500; differ > most {
			t.Errorf("%d decisions of %d differ", differ, len(want))
		}
		for i, found := range list(7, 3, true) {
			if found != first[i] {
				t.Fatalf("three at a time, all in their order, judge %s, one %s", found, first[i])
			}
		}
	}
}
