package study_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/pbs/study/studytest"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/work"
)

func TestGains(t *testing.T) {
	s := studytest.OfTrace(t, studytest.SmallTrace, "4", "ncpus")
	s.Options.Latency, s.Options.Own = work.Latency{}, nil
	studytest.Add(t, s, study.Changes{Formula: "10-ncpus"})
	all := studytest.Run(t, s)
	var waits []string
	for _, m := range all {
		waits = append(waits, fmt.Sprintf("%.0f %.0f %.0f", m.Wait(0), m.Wait(1), m.Wait(2)))
	}
	// With few cpus first, 3 runs from 100 on and 2 waits for its end.
	if diff := cmp.Diff([]string{"0 90 180", "0 90 180", "0 140 80"}, waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
	c := s.Compare(all)
	if g, want := c.Gains[1], (study.Gains{Sooner: 1, Same: 2, SoonerBy: 100, Hours: (-100 + 50) / 3600.}); math.Abs(g.Hours-want.Hours) > 1e-9 || g.Sooner != want.Sooner || g.Same != want.Same || g.SoonerBy != want.SoonerBy || g.Later != 0 {
		t.Errorf("%+v, want %+v", g, want)
	}
	var got []string
	for _, kind := range c.Kinds {
		for _, p := range kind.Names {
			got = append(got, fmt.Sprintf("%s %s %d: %v %v %v sooner %d", kind.Kind, p.Name, p.Jobs, p.Waits[0], p.Waits[1], p.Waits[2], p.Gains[1].Sooner))
		}
	}
	want := []string{
		"queue a 2: [45] [45] [70] sooner 0", "queue b 1: [180] [180] [80] sooner 1",
		"user ann 1: [0] [0] [0] sooner 0", "user bob 1: [90] [90] [140] sooner 0", "user cy 1: [180] [180] [80] sooner 1",
		"group chem 2: [45] [45] [70] sooner 0", "group bio 1: [180] [180] [80] sooner 1",
		"size 2 to 8 2: [45] [45] [70] sooner 0", "size 1 cpu 1: [180] [180] [80] sooner 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Figures of a small trace, as worked out by hand.
func TestFigureValues(t *testing.T) {
	s := studytest.OfTrace(t, studytest.SmallTrace, "4", "ncpus")
	s.Options.Latency, s.Options.Own = work.Latency{}, nil
	texts := map[string]float64{
		"sum(core_hours)": 850. / 3600, "mean(wait)": 90, "max(wait)": 180, "min(wait, user=cy)": 180, "sum(wait, group=chem)": 90, "count(wait)": 3, "count(wait, queue=nobody)": 0,
		"median(wait)": 90, "p75(wait)": 135, "mean(response)": (100 + 190 + 230) / 3., "mean(slowdown)": (1 + 1.9 + 4.6) / 3,
		"started": 3, "mean(wait, queue=nobody)": math.NaN(), "share_distance": math.NaN(),
	}
	// From 0 to 250, without tenths 25 to 225: 4 cpus to 200, then 1.
	texts["utilisation"] = (4*175 + 1*25) / 200. / 4
	var order []string
	for text := range texts {
		f, err := figure.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		order = append(order, text)
		s.Figures = append(s.Figures, f)
	}
	all := studytest.Run(t, s)
	for i, text := range order {
		for row, m := range all {
			got, want := m.Figures[i][0], texts[text]
			if math.Abs(got-want) > 1e-9 || math.IsNaN(got) != math.IsNaN(want) {
				t.Errorf("row %d: %s is %v, want %v", row, text, got, want)
			}
		}
	}
}

// A job that never starts has waited to the last start of the record, and is one that is left waiting.
func TestNeverStarts(t *testing.T) {
	s := studytest.OfTrace(t, studytest.SmallTrace, "4", "ncpus")
	studytest.Add(t, s, study.Changes{Settings: []string{"server.max_run=[u:bob=0]"}})
	all := studytest.Run(t, s)
	if wait := all[2].Wait(1); wait != 200-10 || all[2].First.LeftWaiting() != 1 {
		t.Errorf("bob waits %v, and %v are left waiting", wait, all[2].First.LeftWaiting())
	}
	if all[2].Figures[0][0] != 2 {
		t.Errorf("%v jobs have started, want 2", all[2].Figures[0][0])
	}
}

// The same study comes to the same on any number of processors, and shaken runs differ.
func TestRunsAreReproducible(t *testing.T) {
	run := func(seed uint64) [][]float64 {
		s := studytest.OfRun(t, "A")
		s.Runs, s.Seed = 6, seed
		studytest.Add(t, s, study.Changes{Formula: "ncpus"}, study.Changes{Formula: s.Inputs.Site.Sched.Formula})
		all := studytest.Run(t, s)
		if diff := cmp.Diff(all[1].Figures, all[3].Figures); diff != "" {
			t.Errorf("the same policy differs from itself:\n%s", diff)
		}
		return slices.Concat(all[1].Figures, all[2].Figures)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := run(1)
	runtime.GOMAXPROCS(4)
	if diff := cmp.Diff(one, run(1)); diff != "" {
		t.Errorf("with more processors:\n%s", diff)
	}
	if cmp.Equal(one, run(2)) {
		t.Error("another seed changes nothing")
	}
	isShaken := false
	for _, runs := range one {
		isShaken = isShaken || slices.Max(runs) > slices.Min(runs)
	}
	if !isShaken {
		t.Error("all runs are the same")
	}
}

// The run on the record as it is comes first whatever is shaken.
func TestFirstRunIsTheRecord(t *testing.T) {
	s := studytest.OfRun(t, "P2")
	alone := studytest.Run(t, s)
	s.Runs = 3
	several := studytest.Run(t, s)
	for i := range s.Figures {
		if a, b := alone[1].Figures[i][0], several[1].Figures[i][0]; a != b {
			t.Errorf("%v: %v alone, %v as the first of three", s.Figures[i], a, b)
		}
	}
}

// An interrupted study has what was complete.
func TestInterrupted(t *testing.T) {
	s := studytest.OfRun(t, "P2")
	s.Runs = 50
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	all, err := s.Run(ctx)
	if err != nil || !all[1].IsCut || all[1].Runs < 1 || all[1].Runs >= 50 {
		t.Errorf("%d runs, cut %v (%v)", all[1].Runs, all[1].IsCut, err)
	}
	s.NeedsAll = true
	all, err = s.Run(ctx)
	if err != nil || !all[1].IsCut || all[1].Runs != 0 || len(all[1].Figures[0]) != 0 {
		t.Errorf("where all is needed: %d runs, cut %v, %v (%v)", all[1].Runs, all[1].IsCut, all[1].Figures[0], err)
	}
}

func TestCheckNames(t *testing.T) {
	s := studytest.OfTrace(t, studytest.SmallTrace, "4", "ncpus")
	for text, want := range map[string]string{
		"mean(wait, user=ann)": "", "mean(wait, size=\"1 cpu\")": "",
		"mean(wait, qos=high)": "jobs of this site are chosen by queue, user, group, account, project, size, not by qos",
		"mean(wait, user=nan)": "no job has it: there is no user nan; did you mean ann? There are ann, bob, cy", "mean(wait, size=1)": `no job has it: there is no size "1"; there are 1 cpu, 2 to 8`,
	} {
		f, err := figure.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, err := s.CheckNames([]figure.Figure{f}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A replay that panics, in whatever goroutine, makes an error that says where, also where
// others do not.
func TestFault(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	s := studytest.OfTrace(t, studytest.SmallTrace, "4", "ncpus")
	studytest.Add(t, s, study.Changes{Formula: "-ncpus"})
	s.Runs = 3
	s.Used()[1].Plan = nil // which no replay can do without
	all, err := s.Run(context.Background())
	var fault *diag.FaultError
	if !errors.As(err, &fault) {
		t.Fatalf("%v, %v", all, err)
	}
	if want := "this is a fault of the program: runtime error: invalid memory address or nil pointer dereference"; fault.Error() != want {
		t.Errorf("%q, want %q", fault.Error(), want)
	}
	if !bytes.Contains(fault.Stack, []byte("fairshare/cmd/internal/pbs/replay.")) {
		t.Errorf("the stack does not say where:\n%s", fault.Stack)
	}
}
