package forecast

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/site"
)

// openMoment returns a site as it was at a moment of a recorded run.
func openMoment(tb testing.TB, dir string, hasList bool) *Site {
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

// readTruth returns when the jobs of a moment really started.
func readTruth(tb testing.TB, name string) map[string]float64 {
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

// score is how good forecasts were.
type score struct {
	n                       int
	mae, classic, bias      float64 // hours
	below, above            int
	pinball, classicPinball float64
	lost                    int
}

func loss(q, forecast, at float64) float64 {
	d := (at - forecast) / 3600
	return max(q*d, (q-1)*d)
}

func (s *score) add(j *Job, at, end float64) {
	bound := func(x float64) float64 { return min(x, end) }
	s.n++
	if math.IsInf(j.Median, 1) {
		s.lost++
	}
	s.mae += math.Abs(at-bound(j.Median)) / 3600
	s.bias += (bound(j.Median) - at) / 3600
	s.classic += math.Abs(at-bound(j.Requested)) / 3600
	if at < j.Low {
		s.below++
	}
	if at > j.High {
		s.above++
	}
	for q, x := range map[float64]float64{.1: j.Low, .5: j.Median, .9: j.High} {
		s.pinball += loss(q, bound(x), at) / 3
		s.classicPinball += loss(q, bound(j.Requested), at) / 3
	}
}

func (s *score) String() string {
	n := float64(s.n)
	return fmt.Sprintf("%5d  mae %5.2f classic %5.2f ratio %.2f  bias %+5.2f  hold %3.0f%% (before %2.0f%%, after %2.0f%%)  pinball %.2f of %.2f ratio %.2f lost %d", s.n, s.mae/n, s.classic/n, s.mae/s.classic,
		s.bias/n, 100*float64(s.n-s.below-s.above)/n, 100*float64(s.below)/n, 100*float64(s.above)/n, s.pinball/n, s.classicPinball/n, s.pinball/s.classicPinball, s.lost)
}

// Prints how good forecasts are at the moments of recorded runs, which moments.py has made in
// the folder that FORECAST_MOMENTS names.
func TestMoments(t *testing.T) {
	root := os.Getenv("FORECAST_MOMENTS")
	if root == "" {
		t.Skip("FORECAST_MOMENTS names no folder of moments")
	}
	for name, of := range map[string]*float64{"PRIOR": &tuning.Prior, "CROWD": &tuning.Crowd, "MOST": &tuning.Most, "SPREAD": &tuning.Spread, "LOAD": &tuning.Load, "WIDEN": &tuning.Widen, "LEAST": &tuning.Least} {
		if x, err := strconv.ParseFloat(os.Getenv(name), 64); err == nil {
			*of = x
		}
	}
	runs := 100
	if n, err := strconv.Atoi(os.Getenv("RUNS")); err == nil {
		runs = n
	}
	o := Options{Runs: runs, Seed: 1, Horizon: DefaultHorizon, NoComer: os.Getenv("NOCOMER") != ""}
	all := &score{}
	dirs, _ := filepath.Glob(filepath.Join(root, "*"))
	for _, dir := range dirs {
		of := &score{}
		moments, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, moment := range moments {
			s := openMoment(t, filepath.Join(moment, "snapshot"), true)
			truth := readTruth(t, filepath.Join(moment, "truth.csv"))
			f, err := Make(context.Background(), s, o)
			if err != nil {
				t.Fatal(err)
			}
			one := &score{}
			found := 0
			end := float64(s.At + DefaultHorizon)
			for _, j := range f.Jobs {
				if at, ok := truth[j.ID]; ok && j.Held == "" {
					found++
					for _, s := range []*score{one, of, all} {
						s.add(j, at, end)
					}
				}
			}
			if testing.Verbose() && os.Getenv("EACH") != "" {
				fmt.Printf("   %s load %.2f %d of %d: %v\n", filepath.Base(moment), f.Load, found, len(truth), one)
			}
		}
		fmt.Printf("%-5s %v\n", filepath.Base(dir), of)
	}
	fmt.Printf("%-5s %v\n", "all", all)
}
