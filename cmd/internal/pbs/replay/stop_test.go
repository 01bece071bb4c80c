package replay

import (
	"math"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// A replay that is for the starts of some jobs has them all, though it ends with the last one, also
// where a job was requeued for another one after it had started.
func TestStop(t *testing.T) {
	t.Parallel()
	scenarios, requeued := max(60, workshop.Part(400)), 0 // of fewer, none has a job that is requeued
	for seed := range uint64(scenarios) {
		s := randomScenario(seed)
		o := Options{World: s.world(t)}
		w, plan, nodes := s.load(t)
		_, whole := resultOf(t, w, plan, nodes, o)
		o.Stop = &Stop{Until: math.Inf(1)}
		for i := range w.Jobs {
			o.Stop.Jobs = append(o.Stop.Jobs, int32(i))
		}
		_, r := resultOf(t, w, plan, nodes, o)
		for i, j := range w.Jobs {
			first := whole.Start[i]
			if earlier := whole.Earlier[int32(i)]; len(earlier) > 0 {
				requeued++
				first = float64(earlier[0].Start)
			}
			if math.Abs(r.First[i]-first) > 1 {
				t.Fatalf("seed %d: %s starts at %.1f, not at %.1f", seed, j.ID, r.First[i], first)
			}
		}
	}
	if requeued < scenarios/40 {
		t.Errorf("only %d jobs were requeued", requeued)
	}
}
