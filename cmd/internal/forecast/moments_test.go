package forecast

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/site"
	"fairshare/usagefile"
)

const moments, replays = "../../../testdata/moments", "../../../testdata/replay"

// open returns a site as a folder has it.
func open(tb testing.TB, dir string, hasList bool) *Site {
	tb.Helper()
	in := site.NewInput(nil)
	place, _, err := site.Find(context.Background(), site.Names{Argument: dir}, in, hasList)
	if err != nil {
		tb.Fatal(err)
	}
	at, _, err := place.Site()
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := site.SetFormula(at, ""); err != nil {
		tb.Fatal(err)
	}
	plan, _, err := order.NewPlan(at, order.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	logs, _, err := site.FindLogs([]string{dir}, "UTC", in)
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
	if s.Past, err = run.upTo(at); err != nil {
		tb.Fatal(err)
	}
	if s.Now, err = s.Past.ReadNow(packed(prefix+".json.gz"), time.UTC); err != nil {
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

// measure adds the forecasts of a moment to the figures.
func (c *Checked) measure(f *Forecast, truth map[string]float64) (found int) {
	bound := float64(f.At + f.Horizon)
	for _, j := range f.Jobs {
		if at, ok := truth[j.ID]; ok && j.Held == "" {
			found++
			c.Forecast.add(estimate{j.Low, j.Median, j.High}, at, bound)
			c.Requested.add(exactly(j.Requested), at, bound)
		}
	}
	return found
}

func (c *Checked) String() string {
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
	all := &Checked{Name: "all"}
	for run, most := range map[string]float64{"P1x": .6, "P5": .85, "Q1": .6} {
		of := &Checked{Name: run}
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
			f, err := Make(context.Background(), openMoment(t, recorded, at, prefix), Options{Runs: 24, Seed: 1, Horizon: DefaultHorizon})
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
	runs := 24
	if n, err := strconv.Atoi(os.Getenv("RUNS")); err == nil {
		runs = n
	}
	all := &Checked{Name: "all"}
	dirs, _ := filepath.Glob(filepath.Join(root, "*"))
	for _, dir := range dirs {
		of := &Checked{Name: filepath.Base(dir)}
		made, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, moment := range made {
			s := open(t, filepath.Join(moment, "snapshot"), true)
			f, err := Make(context.Background(), s, Options{Runs: runs, Seed: 1, Horizon: DefaultHorizon})
			if err != nil {
				t.Fatal(err)
			}
			truth := readTruth(t, filepath.Join(moment, "truth.csv"))
			one := &Checked{Name: filepath.Base(moment)}
			for _, c := range []*Checked{one, of, all} {
				c.measure(f, truth)
			}
			t.Log("  ", one)
		}
		t.Log(of)
	}
	t.Log(all)
}
