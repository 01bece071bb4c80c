package sched

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// TestTimelinesAreOfWhatRuns runs random sites: what is kept of timelines from one step to the next is what they are of what runs.
func TestTimelinesAreOfWhatRuns(t *testing.T) {
	scenarios, kept, evicted := uint64(workshop.Part(1000)), 0, 0
	for seed := range scenarios {
		s, jobs := deepSite(seed)
		if seed%2 == 0 {
			anyPreemption(rand.New(rand.NewPCG(seed, 31)), s)
		}
		e := newEngine(context.Background(), s, workloadOf(jobs))
		for steps := range 400 {
			next := e.next()
			if next == never {
				break
			}
			e.now = next
			e.step()
			if !e.timelines.isOf {
				continue
			}
			var fresh timelines
			for r, x := range e.timelines.of {
				y := fresh.get(e.freed, r, e.running)
				fresh.extend(y, x.jobs, e.running)
				for node := range e.Nodes {
					if x.first[node] != unknown && x.first[node] != y.now(e.freed, node) {
						t.Fatalf("seed %d, step %d: %d CPUs of node %d are usable, and %d are kept", seed, steps, y.first[node], node, x.first[node])
					}
				}
				if !slices.Equal(x.steps, y.steps) || !slices.Equal(x.opens, y.opens) || !slices.Equal(x.openAt, y.openAt) || !slices.Equal(x.opened, y.opened) {
					t.Fatalf("seed %d, step %d: openings are %v, and %v are kept", seed, steps, y.opens, x.opens)
				}
				kept++
			}
			if was := &e.timelines.ends; !slices.Equal(was.at, fresh.ends.at) || !slices.Equal(was.nodes, fresh.ends.nodes) {
				t.Fatalf("seed %d, step %d: jobs end at %v, and %v is kept", seed, steps, fresh.ends.at, was.at)
			}
			if was := e.timelines.vacant; len(was) > 0 && !slices.Equal(was, fresh.vacantNodes(e.freed)) {
				t.Fatalf("seed %d, step %d: nodes %v are vacant, and %v are kept", seed, steps, fresh.vacant, was)
			}
		}
		evicted += e.result.Evicted
	}
	if kept < int(scenarios)*100 || evicted < int(scenarios)/10 {
		t.Errorf("only %d timelines were kept, and %d jobs taken off their nodes: the test says little", kept, evicted)
	}
}
