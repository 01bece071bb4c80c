package replay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// Shaken work is the same but for some seconds: no job is lost, arrays stay together,
// what ran at the begin still does, and the same seed shakes alike.
func TestShaken(t *testing.T) {
	for _, name := range []string{"A", "P4", "P5"} {
		w := openRun(t, name).work
		const seconds = 10
		shaken := w.Shaken(rand.New(rand.NewPCG(1, 1)), seconds)
		again := w.Shaken(rand.New(rand.NewPCG(1, 1)), seconds)
		if len(shaken.Jobs) != len(w.Jobs) {
			t.Fatalf("%s: %d jobs of %d", name, len(shaken.Jobs), len(w.Jobs))
		}
		seen := make([]bool, len(w.Jobs))
		arrays := map[int32]int64{}
		moved := 0
		for i, j := range shaken.Jobs {
			from := w.Jobs[shaken.Origin(i)]
			if seen[from.Number] || j.ID != from.ID || int(j.Number) != i {
				t.Fatalf("%s: job %d is %s, of %s", name, i, j.ID, from.ID)
			}
			seen[from.Number] = true
			by := j.Arrival - from.Arrival
			if by < -seconds || by > seconds || j.WasRunning && by != 0 || j.Arrival < w.First || j.Deleted != trace.Unknown && j.Arrival > j.Deleted {
				t.Errorf("%s: %s arrives %d s later", name, j.ID, by)
			}
			if by != 0 {
				moved++
			}
			if known, ok := arrays[j.Array]; ok && j.Array > 0 && known != j.Arrival {
				t.Errorf("%s: %s leaves its array", name, j.ID)
			}
			arrays[j.Array] = j.Arrival
			for k, run := range j.Runs {
				if d := run - from.Runs[k]; d < -seconds || d > seconds || run < min(1, from.Runs[k]) {
					t.Errorf("%s: %s runs %d s, not %d", name, j.ID, run, from.Runs[k])
				}
			}
			if i > 0 && j.Came < shaken.Jobs[i-1].Came {
				t.Errorf("%s: %s comes before %s", name, j.ID, shaken.Jobs[i-1].ID)
			}
			if other := again.Jobs[i]; other.ID != j.ID || other.Arrival != j.Arrival || !slices.Equal(other.Runs, j.Runs) {
				t.Errorf("%s: %s is shaken otherwise with the same seed", name, j.ID)
			}
		}
		if moved < len(w.Jobs)/2 {
			t.Errorf("%s: only %d of %d jobs are shaken", name, moved, len(w.Jobs))
		}
	}
}

// A replay's jobs have the runs before the last, and the pauses in which they were
// suspended, so that nobody occupies what he does not have.
func TestOccupations(t *testing.T) {
	jobs := []asked{{id: "0", run: 100, wants: "1:ncpus=4"}, {id: "2", at: 10, run: 20, wants: "1:ncpus=4", queue: "expressq"}}
	for _, row := range []struct {
		name     string
		settings []string
		want     string
	}{
		{"suspended", nil, "0: runs 0-120 pauses [10-30] earlier []"},
		{"queued again", []string{"sched.preempt_order=R"}, "0: runs 30-130 pauses [] earlier [0-10]"},
	} {
		s := scenario{config: "preemptive_sched: true\n", queues: express, settings: row.settings, jobs: jobs}
		w, plan, nodes := s.load(t)
		r, err := Run(context.Background(), w, plan, nodes, Options{Ask: outcome.Ask{Watch: -1}})
		if err != nil {
			t.Fatal(err)
		}
		replayed := r.Jobs()
		spans := func(list []trace.Run) []string {
			out := []string{}
			for _, run := range list {
				out = append(out, fmt.Sprintf("%d-%d", run.Start-zero, run.End-zero))
			}
			return out
		}
		j := replayed[0]
		got := fmt.Sprintf("0: runs %d-%d pauses %v earlier %v", j.Start-zero, j.End-zero, spans(j.Pauses()), spans(j.Earlier()))
		if got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
		if most := w.Trace.OccupancyOf(replayed).Largest(); most != 4 {
			t.Errorf("%s: %d cpus are in use of 4", row.name, most)
		}
	}
	// One that waits again in the end occupies nothing after its run.
	s := scenario{config: "preemptive_sched: true\n", queues: express, settings: []string{"sched.preempt_order=R"}, jobs: jobs}
	w, plan, nodes := s.load(t)
	r, err := Run(context.Background(), w, plan, nodes, Options{Ask: outcome.Ask{Watch: -1, Until: zero + 20}})
	if err != nil {
		t.Fatal(err)
	}
	if j := r.Jobs()[0]; j.State != trace.Waiting || j.Start != trace.Unknown || len(j.Earlier()) != 1 {
		t.Errorf("a job that waits again: %+v, earlier %v", j, j.Earlier())
	}
	// None of the recordings occupies more than there is.
	for _, name := range []string{"P2", "P5", "P6"} {
		run := openRun(t, name)
		r, err := Run(context.Background(), run.work, run.plan, run.cluster, run.options)
		if err != nil {
			t.Fatal(err)
		}
		if most := run.work.Trace.OccupancyOf(r.Jobs()).Largest(); float64(most) > run.cluster.Total("ncpus") {
			t.Errorf("%s: %d cpus are in use", name, most)
		}
	}
}

// A job that has no end in the record runs for its walltime, which no figure of run
// times takes in.
func TestUnknownEnd(t *testing.T) {
	s := scenario{jobs: []asked{{id: "0", walltime: 50}, {id: "1", at: 5, run: 10}}}
	w, plan, nodes := s.load(t)
	r, err := Run(context.Background(), w, plan, nodes, Options{Ask: outcome.Ask{Watch: -1}})
	if err != nil {
		t.Fatal(err)
	}
	j := r.Jobs()[0]
	if _, hasRun := j.Run(); j.Start != zero || j.End != zero+50 || hasRun {
		t.Errorf("from %d to %d, its run counts: %v", j.Start-zero, j.End-zero, hasRun)
	}
}

// A trace that tells how long jobs ran and not how long they waited.
func TestLengthAlone(t *testing.T) {
	const swf = "1 0 -1 60 4 -1 -1 4 600 -1 1 u g -1 q -1 -1 -1\n2 1 -1 60 4 -1 -1 4 600 -1 1 u g -1 q -1 -1 -1\n"
	tr, err := trace.ReadSWF(textSource(swf), trace.Keep{Requests: true})
	if err != nil {
		t.Fatal(err)
	}
	_, plan, nodes := scenario{}.load(t)
	r, err := Run(context.Background(), work.New(tr, nil), plan, nodes, Options{Ask: outcome.Ask{Watch: -1}})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Jobs()[1]; got.Start != 60 || got.End != 120 {
		t.Errorf("the second runs from %d to %d, want 60 to 120", got.Start, got.End)
	}
}
