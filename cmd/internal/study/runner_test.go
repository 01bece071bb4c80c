package study_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs/study/studytest"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// late is a scheduler that starts each job some seconds after it comes, but never those that ask
// for more than it likes.
type late struct {
	seconds float64
	most    int64
}

func (late) Impossible() []bool { return nil }

func (late) CPUs() float64 { return 8 }

func (l late) Run(_ context.Context, w *work.Work, _ outcome.Ask, _ func(float64)) (*outcome.Result, error) {
	r := &outcome.Result{Work: w, Start: make([]float64, len(w.Jobs)), End: make([]float64, len(w.Jobs)), Until: 1000}
	for i, j := range w.Jobs {
		if j.NCPUs <= l.most {
			r.Start[i] = float64(j.Arrival) + l.seconds
			r.End[i] = r.Start[i] + float64(j.Runs[len(j.Runs)-1])
		}
	}
	return r, nil
}

// stopped is one that is interrupted at a time.
type stopped struct {
	late
	at float64
}

func (s stopped) Run(ctx context.Context, w *work.Work, ask outcome.Ask, progress func(float64)) (*outcome.Result, error) {
	r, err := s.late.Run(ctx, w, ask, progress)
	r.IsCut, r.Until = true, s.at
	for i, start := range r.Start {
		if start > s.at {
			r.Start[i], r.End[i] = 0, 0
		}
	}
	return r, err
}

// Where somebody interrupts, all rows are of the same jobs and of the same time, and policies that came less than half as far as the
// first one are not told.
func TestStopped(t *testing.T) {
	tr, err := trace.ReadSWF(studytest.Source(studytest.SmallTrace), trace.Keep{Requests: true})
	if err != nil {
		t.Fatal(err)
	}
	on := study.New(work.New(tr, nil)) // jobs come at 0, 10 and 20, and start at 0, 100 and 200
	on.CPUs, on.Runs = 8, 3
	on.Words.Kinds = []string{"queue"}
	on.Policies = []*study.Policy{{Name: "whole", Runner: late{10, 4}}, {Name: "cut", Runner: stopped{late{30, 4}, 140}}, {Name: "short", Runner: stopped{late{0, 4}, 3}}, {Name: "next", Runner: late{0, 4}}}
	all, err := on.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var waits []float64
	for _, m := range all {
		waits = append(waits, m.Figures[on.At(figure.MeanWait)]...)
	}
	if diff := cmp.Diff([]float64{(0 + 90 + 120) / 3., 10, 30}, waits); diff != "" {
		t.Errorf("mean waits until 140 (-want +got):\n%s", diff)
	}
	const until = "interrupted: all figures are of the time until 1970-01-01 00:02:20 UTC, up to which policies 1 and 2 are replayed; not told is what came less than half as far, or follows it: policy 3 until 1970-01-01 00:00:03 UTC and policy 4 until 1970-01-01 00:04:10 UTC"
	if got := on.Caveats(all, time.UTC)[0].Text; got != until {
		t.Errorf("told is %q, want %q", got, until)
	}
	const note = "by the 3 jobs that had come by the time up to which all is replayed, 1970-01-01 00:02:20 UTC, without those deleted before they started; waits are those by then: jobs that still wait then in the first run of each policy are 1 (0 core hours) as observed, 0 under policy 1, 0 under policy 2"
	if got := on.CountedNote(all, time.UTC); got != note {
		t.Errorf("noted is %q, want %q", got, note)
	}
	if got := on.Page(all, on.Compare(all), nil, time.UTC, nil); got.Replay.End != 140 || len(got.Replay.Policies) != 2 || !strings.HasPrefix(got.Replay.Verdict[0], "Interrupted: all figures are of the time until ") {
		t.Errorf("a page to %d of %d policies says first %q", got.Replay.End, len(got.Replay.Policies), got.Replay.Verdict[0])
	}
}

// A study runs any scheduler. Waits are those by the last start of the record, at 200, of each job that has come by
// then: also those of jobs that are started later, or never.
func TestAnyScheduler(t *testing.T) {
	tr, err := trace.ReadSWF(studytest.Source(studytest.SmallTrace), trace.Keep{Requests: true})
	if err != nil {
		t.Fatal(err)
	}
	on := study.New(work.New(tr, nil))
	on.CPUs = 8
	on.Policies = []*study.Policy{{Name: "soon", Runner: late{10, 4}}, {Name: "late", Runner: late{185, 4}}, {Name: "small", Runner: late{0, 1}}}
	on.Figures = []figure.Figure{{Quantity: "left_waiting"}, {Quantity: "left_core_hours"}, {Statistic: "max", Quantity: "wait"}, {Statistic: "min", Quantity: "wait"}}
	on.Figures = append(on.Figures, on.Standard...)
	all, err := on.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		figure string
		want   []float64
		longer []bool
	}{
		{"mean(wait)", []float64{90, 10, (185 + 185 + 180) / 3., (200 + 190 + 0) / 3.}, make([]bool, 4)},
		{"max(wait)", []float64{180, 10, 185, 200}, []bool{false, false, true, true}},
		{"min(wait)", []float64{0, 10, 180, 0}, []bool{false, false, true, false}},
		{"median(wait)", []float64{90, 10, 185, 190}, []bool{false, false, false, true}},
		{"started", []float64{3, 3, 2, 1}, make([]bool, 4)},
		{"left_waiting", []float64{0, 0, 1, 2}, make([]bool, 4)},
		{"left_core_hours", []float64{0, 0, 50 / 3600., 800 / 3600.}, make([]bool, 4)},
	} {
		f, err := figure.Parse(row.figure)
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		var longer []bool
		for _, m := range all {
			got, longer = append(got, m.Figures[on.At(f)][0]), append(longer, m.Longer[on.At(f)])
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.figure, diff)
		}
		if diff := cmp.Diff(row.longer, longer); diff != "" {
			t.Errorf("whether %s is only known to be longer (-want +got):\n%s", row.figure, diff)
		}
	}
	if g := on.Compare(all).Gains[2]; g.Later != 2 || g.Same != 1 {
		t.Errorf("%+v", g)
	}
	note := on.CountedNote(all, time.UTC)
	for _, part := range []string{"by all 3 jobs", "1970-01-01 00:03:20", "0 as observed", "1 (0 core hours) under policy 2"} {
		if !strings.Contains(note, part) {
			t.Errorf("%q does not say %q", note, part)
		}
	}
}

// A condition is open if jobs that are left waiting could turn it round: the longest wait under the second policy is
// 185 seconds or more.
func TestOpenConditions(t *testing.T) {
	tr, err := trace.ReadSWF(studytest.Source(studytest.SmallTrace), trace.Keep{Requests: true})
	if err != nil {
		t.Fatal(err)
	}
	on := study.New(work.New(tr, nil))
	on.CPUs = 8
	on.Policies = []*study.Policy{{Name: "soon", Runner: late{10, 4}}, {Name: "late", Runner: late{185, 4}}}
	for _, row := range []struct {
		text          string
		holds, isOpen bool
	}{
		{"max(wait) > 100s", true, false}, {"max(wait) > 200s", false, true}, {"max(wait) < 200s", true, true},
		{"max(wait) > base", true, false}, {"max(wait) < base", false, false}, {"max(wait) > 20 * base", false, true},
		{"mean(wait) > 1h", false, false}, {"max(wait) - max(wait) > 1", false, false},
	} {
		c, err := figure.ParseCondition(row.text)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range c.Figures {
			on.Ask(f)
		}
		all, err := on.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		verdicts, err := on.Judge(all, []*figure.Condition{c})
		if err != nil {
			t.Fatal(err)
		}
		if v := verdicts[0]; v.Holds != row.holds || v.IsOpen != row.isOpen {
			t.Errorf("%s: holds %v, open %v", row.text, v.Holds, v.IsOpen)
		}
	}
}

// The core hours of the jobs that are left waiting are those of the runs that the record has of them, as those of all jobs are, and
// not of the walltimes that they asked for: with those that started, they come to the whole. What a job asked for counts where the
// record has no end of it, and is said.
func TestHoursLeft(t *testing.T) {
	const hour, asked = 3600, 10 * 3600 // of each job, the second of which never ends
	text := fmt.Sprintf("1 5 0 %d 1 -1 -1 1 %d -1 1 1 1 1 1 1 -1 -1\n2 10 -1 -1 4 -1 -1 4 %d -1 -1 1 1 1 1 1 -1 -1\n3 20 5 %d 2 -1 -1 2 %d -1 1 1 1 1 1 1 -1 -1\n", hour, asked, asked, hour, asked)
	tr, err := trace.ReadSWF(studytest.Source(text), trace.Keep{Requests: true})
	if err != nil {
		t.Fatal(err)
	}
	on := study.New(work.New(tr, nil))
	on.CPUs = 8
	on.Policies = []*study.Policy{{Name: "all", Runner: late{0, 8}}, {Name: "small", Runner: late{0, 1}}, {Name: "none", Runner: late{0, 0}}}
	on.Figures = on.Standard
	all, err := on.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	whole := 3. // core hours that ran in the record
	for i, started := range []float64{3, 3, 1, 0} {
		left := outcome.Left(all[i].First.Counted)
		if started+left.Hours != whole {
			t.Errorf("%d: %+v, and %v started of %v", i, left, started, whole)
		}
	}
	note := on.CountedNote(all, time.UTC)
	for _, part := range []string{"1 (40 core hours asked for) as observed", "2 (2 core hours, and 40 asked for by 1 of which the record has no end) under policy 2", "3 (3 core hours, and 40 asked for by 1 of which the record has no end) under policy 3"} {
		if !strings.Contains(note, part) {
			t.Errorf("%q does not say %q", note, part)
		}
	}
}
