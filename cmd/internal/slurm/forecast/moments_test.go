package forecast

import (
	"context"
	"encoding/csv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/workshop"
)

const recordings = "../../../../testdata/slurm-replay"

// unpacked returns the files of an archive.
func unpacked(tb testing.TB, name string) map[string]string {
	tb.Helper()
	files := map[string]string{}
	for member, text := range workshop.Members(tb, name) {
		files[strings.TrimPrefix(member, "./")] = text
	}
	return files
}

// runAt is a recorded run at a time.
type runAt struct {
	at     int64
	dir    string
	starts map[string]float64 // of those that waited
}

var asOf = regexp.MustCompile(`^(Configuration data as of )\S+`)

// momentsOf returns the moments of a run as folders, as a site would be at each.
func momentsOf(tb testing.TB, run string) (list []runAt) {
	tb.Helper()
	site, all := unpacked(tb, filepath.Join(recordings, run, "site.tgz")), unpacked(tb, filepath.Join(recordings, run, "moments.tgz"))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		stamp, isJobs := strings.CutSuffix(name, "/jobs.txt")
		if !isJobs {
			continue
		}
		at, err := strconv.ParseInt(stamp, 10, 64)
		if err != nil {
			tb.Fatal(err)
		}
		m := runAt{at, tb.TempDir(), map[string]float64{}}
		files := maps.Clone(site)
		files["jobs.txt"], files["sshare-alP.txt"] = all[name], all[stamp+"/sshare.txt"]
		files["scontrol-show-config.txt"] = asOf.ReplaceAllString(site["scontrol-show-config.txt"], "${1}"+time.Unix(at, 0).UTC().Format("2006-01-02T15:04:05"))
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o600); err != nil {
				tb.Fatal(err)
			}
		}
		rows, err := csv.NewReader(strings.NewReader(all[stamp+"/starts.csv"])).ReadAll()
		if err != nil {
			tb.Fatal(err)
		}
		for _, row := range rows[1:] {
			if start, err := strconv.ParseFloat(row[1], 64); err == nil && start > 0 {
				m.starts[row[0]] = start
			}
		}
		list = append(list, m)
	}
	if len(list) != 8 {
		tb.Fatalf("%s has %d moments", run, len(list))
	}
	return list
}

func table(run string) []file.Source {
	return []file.Source{file.At(filepath.Join(recordings, run, "sacct.txt.gz"))}
}

func forecastOf(tb testing.TB, dir string, from []file.Source, runs int) *forecast.Forecast {
	tb.Helper()
	now, _, err := order.OpenNow(dir, time.UTC)
	if err != nil {
		tb.Fatal(err)
	}
	s, _, err := Read(now, from, time.UTC)
	if err != nil {
		tb.Fatal(err)
	}
	st, scheduler := s.Begin()
	f, err := forecast.MakeOf(context.Background(), st, scheduler, forecast.Options{Runs: runs, Seed: 1, Horizon: forecast.DefaultHorizon})
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// Forecasts of recorded runs are far better than the two estimates that Slurm's users have: that
// everybody lasts as long as requested and nobody else comes, and what Slurm itself has said.
func TestMoments(t *testing.T) {
	workshop.Long(t)
	var all, requested, own, told forecast.Score
	for _, run := range []string{"S1a", "S2a", "S3a"} {
		var ofRun, requestedOfRun forecast.Score
		for i, m := range momentsOf(t, run) {
			if i%3 != 1 && !workshop.TestsAll() {
				continue
			}
			f := forecastOf(t, m.dir, table(run), 12)
			bound := float64(f.At + f.Horizon)
			for _, j := range f.Jobs {
				start, isKnown := m.starts[j.ID]
				if !isKnown || j.Held != "" {
					continue
				}
				for _, s := range []*forecast.Score{&all, &ofRun} {
					s.Add(j.Low, j.Median, j.High, start, bound)
				}
				for _, s := range []*forecast.Score{&requested, &requestedOfRun} {
					s.Add(j.Requested, j.Requested, j.Requested, start, bound)
				}
				if !math.IsInf(j.Estimated, 1) {
					own.Add(j.Low, j.Median, j.High, start, bound)
					told.Add(j.Estimated, j.Estimated, j.Estimated, start, bound)
				}
			}
		}
		if ratio := ofRun.MeanError() / requestedOfRun.MeanError(); ratio > .75 {
			t.Errorf("%s: off by %.2f of what requested time limits are", run, ratio)
		}
		t.Logf("%s: %d forecasts off by %.2f h, as requested %.2f h, %d held, pinball %.2f h, as requested %.2f h", run, ofRun.N, ofRun.MeanError(), requestedOfRun.MeanError(), ofRun.Held(), ofRun.MeanPinball(), requestedOfRun.MeanPinball())
	}
	t.Logf("where Slurm said a time: %d off by %.2f h, Slurm by %.2f h", own.N, own.MeanError(), told.MeanError())
	held := float64(all.Held()) / float64(all.N)
	switch {
	case all.N < 200 || own.N < 60:
		t.Errorf("only %d forecasts, and %d that Slurm made", all.N, own.N)
	case all.MeanError() > .6*requested.MeanError():
		t.Errorf("off by %.2f h, requested time limits by %.2f h", all.MeanError(), requested.MeanError())
	case all.MeanPinball() > .4*requested.MeanPinball():
		t.Errorf("pinball loss of %.2f h, of requested time limits %.2f h", all.MeanPinball(), requested.MeanPinball())
	case own.MeanError() > .5*told.MeanError():
		t.Errorf("off by %.2f h, Slurm itself by %.2f h", own.MeanError(), told.MeanError())
	case held < .7:
		t.Errorf("only %.0f %% of the intervals held", 100*held)
	}
}

// changedAfter returns the table of a run in which what it tells of later times than one is other: rows are
// dropped, and starts, ends and what jobs were given are others.
func changedAfter(t *testing.T, run string, at int64) file.Source {
	t.Helper()
	text, err := table(run)[0].Text(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var changed strings.Builder
	var header []string
	dropped, moved := 0, 0
	isLater := func(text string) bool {
		when, err := time.Parse("2006-01-02T15:04:05", text)
		return err == nil && when.Unix() > at
	}
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimRight(line, "\n"), "|")
		if header == nil {
			header = cells
			changed.WriteString(line)
			continue
		}
		cell := func(name string) *string { return &cells[slices.Index(header, name)] }
		if isLater(*cell("Submit")) && random.IntN(2) == 0 {
			dropped++
			continue
		}
		if isLater(*cell("End")) {
			moved++
			*cell("Elapsed"), *cell("ElapsedRaw") = "", ""
			*cell("End"), *cell("State") = "2026-03-09T00:00:00", "FAILED"
			if random.IntN(3) == 0 {
				*cell("End"), *cell("State") = "Unknown", "RUNNING"
			}
		}
		if isLater(*cell("Start")) {
			*cell("Start"), *cell("AllocTRES"), *cell("NodeList") = "2026-03-08T00:00:00", "billing=7,cpu=7,node=1", "n01"
		}
		changed.WriteString(strings.Join(cells, "|") + "\n")
	}
	if dropped < 20 || moved < 40 {
		t.Fatalf("%d rows dropped, %d moved", dropped, moved)
	}
	name := filepath.Join(t.TempDir(), "sacct.txt")
	if err := os.WriteFile(name, []byte(changed.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file.At(name)
}

// What a table of sacct tells of later times changes no forecast.
func TestNothingLater(t *testing.T) {
	const run = "S3a"
	m := momentsOf(t, run)[3]
	other := changedAfter(t, run, m.at)
	was, is := forecastOf(t, m.dir, table(run), 6), forecastOf(t, m.dir, []file.Source{other}, 6)
	if len(was.Jobs) < 10 || len(was.Jobs) != len(is.Jobs) || was.Past != is.Past {
		t.Fatalf("%d jobs, once later times were changed %d", len(was.Jobs), len(is.Jobs))
	}
	for i, j := range was.Jobs {
		if to := is.Jobs[i]; j.ID != to.ID || !slices.Equal(j.Starts, to.Starts) || j.Requested != to.Requested || j.Usual != to.Usual || j.Place != to.Place || j.Reason != to.Reason {
			t.Errorf("%s: %v, once later times were changed %v", j.ID, j.Starts, to.Starts)
		}
	}
}
