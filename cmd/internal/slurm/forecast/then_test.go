package forecast

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/workshop"
)

// pastOf returns the past of a recorded run, as a table tells it.
func pastOf(tb testing.TB, run string, from []file.Source) *history {
	tb.Helper()
	now, _, err := setup.OpenPast(filepath.Join(recordings, run, "site.tgz"))
	if err != nil {
		tb.Fatal(err)
	}
	s, _, err := ReadPast(now, from, time.UTC)
	if err != nil {
		tb.Fatal(err)
	}
	h, _, err := s.History("")
	if err != nil {
		tb.Fatal(err)
	}
	return h.(*history)
}

// Forecasts of the past are far better than requested time limits, and their intervals hold.
func TestCheck(t *testing.T) {
	runs := []string{"S1a"}
	if workshop.TestsAll() {
		runs = []string{"S1a", "S2a", "S3a"}
	}
	for _, run := range runs {
		b, err := forecast.Check(context.Background(), pastOf(t, run, table(run)), forecast.Past{Options: forecast.Options{Runs: 12, Seed: 1, Horizon: forecast.DefaultHorizon}})
		if err != nil {
			t.Fatal(err)
		}
		all := b.All
		kept, told := 0, 0 // of the rows of single forecasts, which the sums are of
		for _, each := range b.Each {
			if isStarted := !math.IsInf(each.Start, 1); isStarted || each.IsMissed {
				told++
				if !each.IsMissed {
					kept++
				}
			}
		}
		if told != all.Forecast.N+all.Forecast.Missed || kept != all.Forecast.Held() || len(b.Each) != all.Forecast.N+b.Untold {
			t.Errorf("%s: %d forecasts, of %d of which it is known, %d held; sums have %d, %d and %d", run, len(b.Each), told, kept, all.Forecast.N+b.Untold, all.Forecast.N+all.Forecast.Missed, all.Forecast.Held())
		}
		held := float64(all.Forecast.Held()) / float64(all.Forecast.N)
		t.Logf("%s: %d forecasts at %d moments off by %.2f h, as requested %.2f h, %.0f %% held, pinball %.2f h, as requested %.2f h", run, all.Forecast.N, len(b.Moments), all.Forecast.MeanError(), all.Requested.MeanError(), 100*held, all.Forecast.MeanPinball(), all.Requested.MeanPinball())
		if len(b.Moments) < 6 || all.Forecast.N < 200 || all.Forecast.MeanError() > .6*all.Requested.MeanError() || all.Forecast.MeanPinball() > .4*all.Requested.MeanPinball() || held < .7 {
			t.Errorf("%s is not as good as it was", run)
		}
	}
}

// A forecast of the past reads nothing that is later than its moment: not what was in use either, and not
// when jobs that wait are cancelled.
func TestNothingLaterInCheck(t *testing.T) {
	const run = "S3a"
	at := momentsOf(t, run)[3].at
	other := changedAfter(t, run, at)
	was, is := pastOf(t, run, table(run)), pastOf(t, run, []file.Source{other})
	made := func(h *history) (*forecast.Forecast, *Site) {
		st, scheduler, err := h.Then(context.Background(), at)
		if err != nil || st == nil {
			t.Fatal(st, err)
		}
		f, err := forecast.MakeOf(context.Background(), st, scheduler, forecast.Options{Runs: 3, Seed: 1, Horizon: 4 * 24 * 3600})
		if err != nil {
			t.Fatal(err)
		}
		return f, scheduler.(*Site)
	}
	a, siteThen := made(was)
	b, siteOfOther := made(is)
	if len(a.Jobs) < 10 || len(a.Jobs) != len(b.Jobs) || a.Past != b.Past {
		t.Fatalf("%d jobs, once later times were changed %d", len(a.Jobs), len(b.Jobs))
	}
	for i, j := range a.Jobs {
		if to := b.Jobs[i]; j.ID != to.ID || !slices.Equal(j.Starts, to.Starts) || j.Requested != to.Requested || j.Usual != to.Usual || j.Place != to.Place || j.Reason != to.Reason {
			t.Errorf("%s: %v, once later times were changed %v", j.ID, j.Starts, to.Starts)
		}
	}
	used := 0.
	for i, x := range siteThen.Setup.Tree {
		if y := siteOfOther.Setup.Tree[i]; x.Usage != y.Usage {
			t.Errorf("%s has used %v, once later times were changed %v", x.Name, x.Usage, y.Usage)
		}
		used = max(used, x.Usage)
	}
	if used == 0 {
		t.Error("nobody has used anything")
	}
}

// What is in use now by jobs that are not in the list, licences too, and what jobs have that are suspended now, is not in use at moments
// of the past: neither in forecasts of these nor where the record is judged.
func TestInUseThen(t *testing.T) {
	const run = "S1a"
	m := momentsOf(t, run)[3]
	read := func() *Site {
		now, _, err := order.OpenNow(m.dir, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		now.Setup.Licences = []sched.Licence{{Name: "matlab", Total: 4, InUse: 3}}
		for i := range now.Queue {
			if now.Queue[i].State == "RUNNING" {
				now.Queue[i].State = "SUSPENDED"
				break
			}
		}
		s, _, err := Read(now, table(run), time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	isOfNow := func(s *sched.Setup) bool {
		return s.Licences[0].Elsewhere > 0 || len(s.Suspended) > 0 || s.Elsewhere != nil
	}
	s := read()
	h, _, err := s.past()
	if err != nil {
		t.Fatal(err)
	}
	_, scheduler, err := h.Then(context.Background(), m.at-7200)
	if err != nil || scheduler == nil {
		t.Fatal(scheduler, err)
	}
	judged, _, err := s.Past("")
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]*sched.Setup{"forecasts of the past": scheduler.(*Site).Setup, "the judge": judged} {
		if isOfNow(of) {
			t.Errorf("%s: %d licences and what %d suspended jobs have are in use as now", name, of.Licences[0].Elsewhere, len(of.Suspended))
		}
	}
	if of := s.Setup; of.Licences[0].Elsewhere != 3 || len(of.Suspended) != 1 || of.Elsewhere == nil {
		t.Errorf("at the moment of the site %d licences and what %d suspended jobs have are in use", of.Licences[0].Elsewhere, len(of.Suspended))
	}
}

// The usage at a moment of the past is what sshare printed then, from the usage at the begin and the jobs.
func TestUsageThen(t *testing.T) {
	for _, run := range []string{"S1a", "S3a"} {
		h := pastOf(t, run, table(run))
		for _, m := range momentsOf(t, run)[1:] {
			now, _, err := order.OpenNow(m.dir, time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			known := h.record.UpTo(m.at)
			tree := h.used(known, m.at)
			printed, computed := now.Setup.Tree[0].Usage, tree[0].Usage
			t.Logf("%s at %d: sshare %.0f, computed %.0f", run, m.at, printed, computed)
			const part = .03 // of a sweep that is not made yet
			if math.Abs(printed-computed) > part*printed {
				t.Errorf("%s at %d: sshare printed a usage of %.0f, and it is %.0f", run, m.at, printed, computed)
			}
		}
	}
}
