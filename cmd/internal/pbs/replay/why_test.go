package replay

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// What a job waits for has its amounts wherever vnodes are what it waits for, in whatever state a cycle comes to it.
func TestWaitsForVnodesWithAmounts(t *testing.T) {
	t.Parallel()
	waits := map[string]int{}
	for seed := range uint64(workshop.Part(1000)) {
		s := randomScenario(seed + 40_000)
		w, plan, nodes := s.load(t)
		o := Options{World: s.world(t), Judge: true}
		o.Watch = -1
		e, err := newEngine(w, plan, nodes, o)
		if err != nil {
			t.Fatal(err)
		}
		for range 40 { // as runOne does, which judges the first cycle alone
			if e.isOver() || !e.next() {
				break
			}
			e.admit()
			if e.cycle(); e.err != nil {
				t.Fatal(e.err)
			}
		}
		for _, v := range e.result.Verdicts {
			for _, reason := range []string{WaitsForVnodes, waitsForFree, limitOfVnodes, waitsForSet} {
				if rest, is := strings.CutPrefix(v.Reason, reason); is && !v.Starts { // nor did in an earlier cycle, and was put back
					if waits[reason]++; !strings.Contains(rest, " (") {
						t.Errorf("seed %d: %s waits for %s: %s, %s", seed, w.Jobs[v.Job].ID, v.Reason, v.Asks, v.Free)
					}
				}
			}
		}
	}
	if waits[WaitsForVnodes] < 20 || waits[waitsForFree] < 20 {
		t.Errorf("only %v", waits)
	}
}
