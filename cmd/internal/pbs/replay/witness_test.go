package replay

import (
	"context"
	"testing"
)

// At each recorded start, in the state that the record has then, the rules give that start: they allow it, choose
// its vnodes, and would have started nobody before it who kept waiting. Nothing is known of the cycles but what the
// logs tell. What is left are, in V3, exclusive jobs that PBS places on vnodes that are not free, and moments at which
// the recording scheduler stood still for a minute (Q3y, Q4y) or which a per mille of usage decides.
func TestDecide(t *testing.T) {
	for _, test := range []struct {
		name           string
		starts         int
		may, there, by int // at most, starts that differ
		late           int // at most, jobs that would have started sooner
	}{
		{"P1x", 302, 0, 0, 1, 1}, {"P2", 300, 2, 2, 0, 0}, {"P3", 302, 0, 4, 0, 2}, {"P4", 231, 0, 0, 0, 0}, {"P4b", 231, 0, 0, 0, 0}, {"P5", 457, 0, 0, 0, 0},
		{"P6", 272, 0, 0, 0, 0}, {"P6r", 291, 1, 2, 2, 10}, {"L1", 683, 0, 0, 0, 0}, {"Q1", 291, 0, 0, 0, 3}, {"Q3y", 267, 0, 1, 4, 18}, {"Q4y", 219, 1, 4, 10, 16},
		{"V1", 249, 0, 1, 1, 4}, {"V2", 220, 0, 0, 1, 1}, {"V3", 217, 4, 4, 0, 1}, {"V4", 170, 0, 0, 0, 0}, {"V4m", 169, 0, 0, 0, 1}, {"V5", 235, 0, 0, 1, 1}, {"V6", 223, 0, 0, 0, 0},
	} {
		r := openRun(t, test.name)
		starts, may, there, by, late := 0, 0, 0, 0, 0
		err := Decide(context.Background(), r.work, r.plan, r.cluster, r.options, func(d *Decision) {
			late += count(d.Since != 0)
			if d.At == 0 {
				return
			}
			starts++
			may, there, by = may+count(!d.IsAllowed), there+count(!d.IsThere), by+count(!d.IsFirst)
			if !d.IsKnown {
				t.Errorf("%s: it is not known where %s ran", test.name, r.work.Jobs[d.Job].ID)
			}
			if !d.IsThere || !d.IsFirst {
				t.Logf("%s %s at %d on %v: %s; chosen %v, passed %v", test.name, r.work.Jobs[d.Job].ID, d.At, d.Recorded, d.Reason, d.Chosen, d.Passed)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if starts != test.starts || may > test.may || there > test.there || by > test.by || late > test.late {
			t.Errorf("%s: of %d starts %d are not allowed, %d elsewhere, %d before others; %d jobs are late", test.name, starts, may, there, by, late)
		}
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
