package forecast

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/qstat"
	pbssite "fairshare/cmd/internal/pbs/site"
	pbswitness "fairshare/cmd/internal/pbs/witness"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/witness/witnesstest"
	"fairshare/cmd/internal/work"
	"fairshare/cmd/internal/workshop"
	"fairshare/usagefile"
)

const day, hour = 24 * 3600, 3600

const moments, replays = "../../../../testdata/moments", "../../../../testdata/replay"

// open returns a site as a folder has it, with some settings as if it had these.
func open(tb testing.TB, dir string, hasList bool, settings ...string) *Site {
	tb.Helper()
	in := site.NewInput(nil)
	place, _, err := pbssite.Find(context.Background(), site.Names{Argument: dir, WantsJobs: hasList}, in)
	if err != nil {
		tb.Fatal(err)
	}
	at, _, err := place.Site()
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := pbssite.SetFormula(at, "", nil); err != nil {
		tb.Fatal(err)
	}
	if at, err = at.WithReplayed(settings); err != nil {
		tb.Fatal(err)
	}
	plan, _, err := order.NewPlan(at, order.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	logs, _, err := pbssite.FindLogs([]string{dir}, "UTC", in)
	if err != nil {
		tb.Fatal(err)
	}
	s, _, err := Read(place, at, plan, logs, time.UTC)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// openMoment returns a recorded run as it was at a moment: the list of jobs and the usage are of
// the moment, and the logs are read up to it.
func openMoment(tb testing.TB, run *Site, at int64, prefix string) *Site {
	tb.Helper()
	s := *run
	var err error
	if s.Past, s.Reservations, err = run.upTo(at); err != nil {
		tb.Fatal(err)
	}
	if s.Now, _, err = qstat.ReadNow(s.Past, packed(prefix+".json.gz"), time.UTC); err != nil {
		tb.Fatal(err)
	}
	text, err := os.ReadFile(prefix + ".usage")
	if err != nil {
		tb.Fatal(err)
	}
	s.At, s.Usage = at, usagefile.Parse(string(text))
	return &s
}

// pastMoment returns a recorded run as it was at a moment of testdata.
func pastMoment(tb testing.TB, run, moment string) *Site {
	tb.Helper()
	at, err := strconv.ParseInt(moment, 10, 64)
	if err != nil {
		tb.Fatal(err)
	}
	return openMoment(tb, open(tb, filepath.Join(replays, run, "snapshot"), false), at, filepath.Join(moments, run, moment))
}

// packed returns what a packed file has.
func packed(name string) file.Source {
	return file.Source{Name: name, Open: func() (io.ReadCloser, error) {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		plain, err := file.Plain(f)
		return struct {
			io.Reader
			io.Closer
		}{plain, f}, err
	}}
}

// forecastOf returns the forecast of a site.
func forecastOf(s *Site, o forecast.Options) (*forecast.Forecast, error) {
	st, scheduler := s.Begin()
	return forecast.MakeOf(context.Background(), st, scheduler, o)
}

// readTruth returns when the jobs of a moment really started.
func readTruth(tb testing.TB, name string) map[string]float64 {
	tb.Helper()
	f, err := os.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	truth := map[string]float64{}
	for _, row := range rows[1:] {
		at, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			tb.Fatal(err)
		}
		truth[row[0]] = at
	}
	return truth
}

// measured are the figures of forecasts that are compared with what really came.
type measured struct{ forecast.CheckResult }

func named(name string) *measured { return &measured{forecast.CheckResult{Name: name}} }

// measure adds the forecasts of a moment to the figures.
func (c *measured) measure(f *forecast.Forecast, truth map[string]float64) (found int) {
	bound := float64(f.At + f.Horizon)
	for _, j := range f.Jobs {
		if at, ok := truth[j.ID]; ok && j.Held == "" {
			found++
			c.Forecast.Add(j.Low, j.Median, j.High, at, bound)
			c.Requested.Add(j.Requested, j.Requested, j.Requested, at, bound)
		}
	}
	return found
}

func (c *measured) String() string {
	f, r, n := c.Forecast, c.Requested, float64(max(1, c.Forecast.N))
	return fmt.Sprintf("%-5s %5d  mae %5.2f classic %5.2f ratio %.2f  bias %+5.2f  hold %3.0f%% (before %2.0f%%, after %2.0f%%)  pinball %.2f of %.2f ratio %.2f", c.Name, f.N,
		f.MeanError(), r.MeanError(), f.MeanError()/r.MeanError(), f.Bias/n, 100*float64(f.Held())/n, 100*float64(f.Before)/n, 100*float64(f.After)/n, f.MeanPinball(), r.MeanPinball(), f.MeanPinball()/r.MeanPinball())
}

// TestMoments: forecasts at moments of recorded runs are as good as the document on them says.
// FORECAST_MOMENTS names a folder of moments that moments.py has made, to be measured instead.
func TestMoments(t *testing.T) {
	if root := os.Getenv("FORECAST_MOMENTS"); root != "" {
		measureMade(t, root)
		return
	}
	all := named("all")
	for run, most := range map[string]float64{"P1x": .6, "P5": .85, "Q1": .6, "V1": .7, "V6": .8} {
		if run != "P1x" && run != "V1" && !workshop.TestsAll() {
			continue
		}
		of := named(run)
		recorded := open(t, filepath.Join(replays, run, "snapshot"), false)
		names, _ := filepath.Glob(filepath.Join(moments, run, "*.csv"))
		if len(names) < 4 {
			t.Fatalf("%s: %d moments", run, len(names))
		}
		for _, name := range names {
			prefix := strings.TrimSuffix(name, ".csv")
			at, err := strconv.ParseInt(filepath.Base(prefix), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			f, err := forecastOf(openMoment(t, recorded, at, prefix), forecast.Options{Runs: 24, Seed: 1, Horizon: forecast.DefaultHorizon})
			if err != nil {
				t.Fatal(err)
			}
			truth := readTruth(t, name)
			if found := of.measure(f, truth) + all.measure(f, truth); found < len(truth) {
				t.Errorf("%s: %d of %d jobs are forecast", prefix, found/2, len(truth))
			}
		}
		t.Log(of)
		if ratio := of.Forecast.Error / of.Requested.Error; ratio > most {
			t.Errorf("%s: the median is off by %.2f of the classic estimate, not %.2f at most", run, ratio, most)
		}
		if of.Forecast.Pinball > .55*of.Requested.Pinball {
			t.Errorf("%s: pinball loss %v of %v", run, of.Forecast.Pinball, of.Requested.Pinball)
		}
	}
	t.Log(all)
	if held := float64(all.Forecast.Held()) / float64(all.Forecast.N); held < .7 || held > .9 {
		t.Errorf("%.0f %% of intervals held", 100*held)
	}
}

// measureMade prints how good forecasts are at the moments of a folder.
func measureMade(t *testing.T, root string) {
	runs := runsAsked(24)
	all := named("all")
	dirs, _ := filepath.Glob(filepath.Join(root, "*"))
	for _, dir := range dirs {
		of := named(filepath.Base(dir))
		run := open(t, filepath.Join(replays, of.Name, "snapshot"), false)
		same, cycles := 0, 0
		made, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, moment := range made {
			s := open(t, filepath.Join(moment, "snapshot"), true)
			f, err := forecastOf(s, forecast.Options{Runs: runs, Seed: 1, Horizon: forecast.DefaultHorizon})
			if err != nil {
				t.Fatal(err)
			}
			truth := readTruth(t, filepath.Join(moment, "truth.csv"))
			if is, wants := compareFirst(t, s, run, file.At(filepath.Join(moment, "snapshot/job/qstat_f_F_json.out")), truth); maps.Equal(is, wants) {
				same++
			}
			cycles++
			one := named(filepath.Base(moment))
			for _, c := range []*measured{one, of, all} {
				c.measure(f, truth)
			}
			t.Log("  ", one)
		}
		t.Logf("%v  first cycles as recorded %d of %d", of, same, cycles)
	}
	t.Log(all)
}

// runsAsked returns how often to draw: as often as the variable RUNS says, if it is set.
func runsAsked(otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv("RUNS")); err == nil {
		return n
	}
	return otherwise
}

// begins returns which jobs start in the first cycle in which any does, within the seconds that its
// starts are logged later.
func begins(starts map[string]float64) map[string]bool {
	const together = 15 // seconds
	first := math.Inf(1)
	for _, at := range starts {
		first = min(first, at)
	}
	set := map[string]bool{}
	for id, at := range starts {
		if at <= first+together && !math.IsInf(at, 1) {
			set[id] = true
		}
	}
	return set
}

// knowing returns when the jobs start that wait at a moment if all that came later is known: who
// came, and how long each job ran.
func knowing(tb testing.TB, s, run *Site, list file.Source) map[string]float64 {
	tb.Helper()
	whole := *s
	whole.Past = run.Past
	var err error
	if whole.Now, _, err = qstat.ReadNow(run.Past, list, time.UTC); err != nil {
		tb.Fatal(err)
	}
	of := stand(&whole)
	past := of.past
	all := work.New(run.Past, nil)
	lengths := map[string]int64{}
	var jobs, others []*work.Job
	for _, j := range all.Jobs {
		lengths[j.ID] = j.Runs[len(j.Runs)-1]
		if j.Arrival > s.At {
			others = append(others, j)
		}
	}
	there := of.jobs
	slices.SortStableFunc(there, func(a, b *listedJob) int { return int(a.Phase) - int(b.Phase) })
	var awaited []int32
	for i, j := range there {
		if j.Phase == forecast.Held {
			continue
		}
		length := j.Elapsed + max(1, j.Walltime)
		if known, ok := lengths[j.ID]; ok {
			length = max(j.Elapsed+1, known)
		}
		jobs = append(jobs, j.WithRun(length))
		if j.Phase == forecast.Waits {
			awaited = append(awaited, int32(i))
		}
	}
	for i, j := range others {
		came := past.NewJob(j.Job, j.Arrival, 0, lengths[j.ID])
		others[i] = came.Again(j.ID, j.Came, lengths[j.ID], j.Array)
	}
	draft := past.Draft(of.At, append(jobs, others...))
	started, err := newPBS(&whole, past).Starts(context.Background(), draft, forecast.Target{Jobs: awaited, Until: float64(of.At + 2*day)})
	if err != nil {
		tb.Fatal(err)
	}
	by := map[string]float64{}
	for i, at := range started.At {
		by[there[i].ID] = at
	}
	return by
}

// TestFirstCycles: once all is known that came between a moment and the first start after it, that
// cycle starts exactly the jobs that were recorded to start, at most of the moments. The witness, which has the record
// alone, says the same of those moments.
func TestFirstCycles(t *testing.T) {
	same, all, alike := 0, 0, 0
	for _, name := range []string{"P1x", "P5", "Q1", "V1", "V6"} {
		run := open(t, filepath.Join(replays, name, "snapshot"), false)
		names, _ := filepath.Glob(filepath.Join(moments, name, "*.csv"))
		differs := differing(t, name)
		for _, csv := range names {
			moment := strings.TrimSuffix(filepath.Base(csv), ".csv")
			s := pastMoment(t, name, moment)
			is, wants := compareFirst(t, s, run, packed(strings.TrimSuffix(csv, ".csv")+".json.gz"), readTruth(t, csv))
			isSame, isWitnessed := maps.Equal(is, wants), true
			for id := range wants {
				isWitnessed = isWitnessed && !differs[id]
			}
			if isSame == isWitnessed {
				alike++
			}
			if all++; isSame {
				same++
			} else {
				t.Logf("%s %s: %v start, recorded %v", name, moment, slices.Sorted(maps.Keys(is)), slices.Sorted(maps.Keys(wants)))
			}
		}
	}
	t.Logf("%d of %d, and the witness says so of %d", same, all, alike)
	if same < 21 || alike < 21 || all < 24 {
		t.Errorf("%d of %d, and the witness says so of %d", same, all, alike)
	}
}

// differing returns the jobs of a recorded run at whose starts the rules would have started others, as the witness says.
func differing(tb testing.TB, run string) map[string]bool {
	tb.Helper()
	dir := filepath.Join(replays, run, "snapshot")
	in := site.NewInput(nil)
	place, _, err := pbssite.Find(context.Background(), site.Names{Argument: dir}, in)
	if err != nil {
		tb.Fatal(err)
	}
	at, _, err := place.Site()
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := pbssite.SetFormula(at, "", nil); err != nil {
		tb.Fatal(err)
	}
	logs, _, err := pbssite.FindLogs([]string{dir}, "UTC", in)
	if err != nil {
		tb.Fatal(err)
	}
	record, err := pbswitness.Beside(place, at, nil, logs, filepath.Join(replays, run, "usage.begin"), time.UTC)
	if err != nil {
		tb.Fatal(err)
	}
	return witnesstest.Differing(tb, record)
}

func compareFirst(tb testing.TB, s, run *Site, list file.Source, truth map[string]float64) (is, wants map[string]bool) {
	starts := knowing(tb, s, run, list)
	for id := range starts {
		if _, isRecorded := truth[id]; !isRecorded {
			delete(starts, id)
		}
	}
	return begins(starts), begins(truth)
}
