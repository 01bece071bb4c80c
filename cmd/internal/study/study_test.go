package study

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/replay"
	"fairshare/cmd/internal/snapshot"
	"fairshare/cmd/internal/trace"
	"fairshare/usagefile"
)

// recordings are runs of a real scheduler.
const recordings = "../../../testdata/replay/"

// openRun returns the study of a recorded run under the policy in force.
func openRun(tb testing.TB, name string) (*Inputs, *Study) {
	tb.Helper()
	check := func(err error) {
		if err != nil {
			tb.Helper()
			tb.Fatal(err)
		}
	}
	snap, err := snapshot.Open(recordings+name+"/snapshot", nil)
	check(err)
	in := &Inputs{Nodes: snap.Nodes(), Lists: snap.Jobs()}
	in.Site, _, err = snap.Files().Read()
	check(err)
	in.Taken, _ = snap.Taken()
	_, in.IsKnown, err = in.Site.SetFormula("")
	check(err)
	text, err := os.ReadFile(recordings + name + "/usage.begin")
	check(err)
	in.Usage = usagefile.Parse(string(text))
	if _, err := os.Stat(recordings + name + "/priority.csv"); err == nil {
		in.Lists = append(in.Lists, file.At(recordings+name+"/priority.csv"))
	}
	logs, _, err := snapshot.Logs(recordings+name+"/snapshot", nil)
	check(err)
	keep, err := in.Keep()
	check(err)
	t, err := trace.Read(logs, time.UTC, keep)
	check(err)
	return in, newStudy(tb, in, t)
}

// openTrace returns the study of a trace on a cluster under a formula, without a tree.
func openTrace(tb testing.TB, swf, spec, formula string) (*Inputs, *Study) {
	tb.Helper()
	in := &Inputs{Site: &pbs.Site{Sched: pbs.Sched{Formula: formula}}, IsKnown: true, ClusterSpec: spec}
	t, err := trace.ReadSWF(source(swf), trace.Keep{Requests: true})
	if err != nil {
		tb.Fatal(err)
	}
	return in, newStudy(tb, in, t)
}

func newStudy(tb testing.TB, in *Inputs, t *trace.Trace) *Study {
	tb.Helper()
	s, _, err := in.Study(t)
	if err != nil {
		tb.Fatal(err)
	}
	p, _, err := InForce(in.Site, true)
	if err == nil {
		_, err = s.Use([]*Policy{p})
	}
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// add adds policies to a study.
func (s *Study) add(tb testing.TB, in *Inputs, changes ...Changes) {
	tb.Helper()
	for _, c := range changes {
		p, _, err := c.New(in.Site)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := s.Use(append(s.Policies, p)); err != nil {
			tb.Fatal(err)
		}
	}
}

func (s *Study) mustRun(tb testing.TB) []*Measured {
	tb.Helper()
	all, err := s.Run(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// Three jobs on one node of 4 cpus: 1 and 2 take it one after the other, 3 needs one cpu
// and comes last. In the record the third started at once where 2 waited.
const smallTrace = `1 0 0 100 4 -1 -1 4 100 -1 1 ann chem -1 a -1 -1 -1
2 10 90 100 4 -1 -1 4 100 -1 1 bob chem -1 a -1 -1 -1
3 20 180 50 1 -1 -1 1 50 -1 1 cy bio -1 b -1 -1 -1
`

func TestGains(t *testing.T) {
	in, s := openTrace(t, smallTrace, "4", "ncpus")
	s.Options.Latency, s.Options.Own = replay.Latency{}, nil
	s.add(t, in, Changes{Formula: "10-ncpus"})
	all := s.mustRun(t)
	var waits []string
	for _, m := range all {
		waits = append(waits, fmt.Sprintf("%.0f %.0f %.0f", m.Wait(0), m.Wait(1), m.Wait(2)))
	}
	// With few cpus first, 3 runs from 100 on and 2 waits for its end.
	if diff := cmp.Diff([]string{"0 90 180", "0 90 180", "0 140 80"}, waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
	c := s.Compare(all)
	if g, want := c.Gains[1], (Gains{Sooner: 1, Same: 2, SoonerBy: 100, Hours: (-100 + 50) / 3600.}); math.Abs(g.Hours-want.Hours) > 1e-9 || g.Sooner != want.Sooner || g.Same != want.Same || g.SoonerBy != want.SoonerBy || g.Later != 0 {
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
	_, s := openTrace(t, smallTrace, "4", "ncpus")
	s.Options.Latency, s.Options.Own = replay.Latency{}, nil
	texts := map[string]float64{
		"mean(wait)": 90, "max(wait)": 180, "min(wait, user=cy)": 180, "sum(wait, group=chem)": 90, "count(wait)": 3, "count(wait, queue=nobody)": 0,
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
	all := s.mustRun(t)
	for i, text := range order {
		for row, m := range all {
			got, want := m.Figures[i][0], texts[text]
			if math.Abs(got-want) > 1e-9 || math.IsNaN(got) != math.IsNaN(want) {
				t.Errorf("row %d: %s is %v, want %v", row, text, got, want)
			}
		}
	}
}

// A job that never starts counts as waiting to the end of the replay, since it has
// started as recorded.
func TestNeverStarts(t *testing.T) {
	in, s := openTrace(t, smallTrace, "4", "ncpus")
	s.add(t, in, Changes{Settings: []string{"server.max_run=[u:bob=0]"}})
	all := s.mustRun(t)
	if wait, until := all[2].Wait(1), all[2].First.Result.Until; wait < 200 || wait != math.Floor(until)-10 {
		t.Errorf("bob waits %v, to %v", wait, until)
	}
	if all[2].Figures[0][0] != 2 {
		t.Errorf("%v jobs have started, want 2", all[2].Figures[0][0])
	}
}

// The same study comes to the same on any number of processors, and shaken runs differ.
func TestRunsAreReproducible(t *testing.T) {
	run := func(seed uint64) [][]float64 {
		in, s := openRun(t, "A")
		s.Runs, s.Seed = 6, seed
		s.add(t, in, Changes{Formula: "ncpus"}, Changes{Formula: in.Site.Sched.Formula})
		all := s.mustRun(t)
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
	_, s := openRun(t, "P2")
	alone := s.mustRun(t)
	s.Runs = 3
	several := s.mustRun(t)
	for i := range s.Figures {
		if a, b := alone[1].Figures[i][0], several[1].Figures[i][0]; a != b {
			t.Errorf("%v: %v alone, %v as the first of three", s.Figures[i], a, b)
		}
	}
}

// An interrupted study has what was complete.
func TestInterrupted(t *testing.T) {
	_, s := openRun(t, "P2")
	s.Runs = 50
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	all, err := s.Run(ctx)
	if err != nil || !all[1].IsCut || all[1].Runs < 1 || all[1].Runs >= 50 {
		t.Errorf("%d runs, cut %v (%v)", all[1].Runs, all[1].IsCut, err)
	}
}

func TestCheckNames(t *testing.T) {
	_, s := openTrace(t, smallTrace, "4", "ncpus")
	for text, want := range map[string]string{
		"mean(wait, user=ann)": "", "mean(wait, size=\"1 cpu\")": "",
		"mean(wait, user=nan)": "no job has it: there is no user nan; did you mean ann? There are ann, bob, cy", "mean(wait, size=1)": `no job has it: there is no size "1"; there are 1 cpu, 2 to 8`,
	} {
		f, err := figure.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := s.CheckNames([]figure.Figure{f}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// source is a text as a file.
func source(text string) file.Source {
	return file.Source{Name: "text", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}
