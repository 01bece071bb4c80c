package replay

import (
	"strings"
	"testing"
)

// A job preempts whom its preempt_targets name, and with NONE nobody: of two jobs that are equal but for their queues
// the one of the queue named goes, although the other one has started last.
func TestPreemptTargets(t *testing.T) {
	for targets, want := range map[string]string{"": "2.s", "queue=lowq": "1.s", "QUEUE=workq": "2.s", "queue=workq,queue=lowq": "2.s", "NONE": ""} {
		r := openRun(t, "R14")
		e, err := newEngine(r.work, r.plan, r.cluster, r.options)
		if err != nil {
			t.Fatal(err)
		}
		numbers := map[string]int32{}
		for i, j := range r.work.Jobs {
			numbers[r.work.Trace.Names.List[j.Queue]] = int32(i)
		}
		words := map[string]string{}
		if targets != "" {
			words["preempt_targets"] = targets
		}
		job := numbers["expressq"]
		r.work.Requests[e.terms[job].request].Words = words
		may := e.preemption.targetsOf(job)
		got := ""
		for _, other := range []struct{ id, queue string }{{"2.s", "workq"}, {"1.s", "lowq"}} {
			if got == "" && (may == nil || may(numbers[other.queue])) {
				got = other.id
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", strings.TrimSpace(targets), got, want)
		}
	}
}
