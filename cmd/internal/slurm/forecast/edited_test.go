package forecast

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/slurm/order"
)

// drawnOf returns when each job starts in the runs of a forecast.
func drawnOf(f *forecast.Forecast) map[string][]float64 {
	drawn := map[string][]float64{}
	for _, j := range f.Jobs {
		drawn[j.ID] = j.Drawn
	}
	return drawn
}

// A print of a site that was edited is in force as what --set changes is: each job starts at the same times in the same runs, also where a
// limit lets some start never that wait otherwise.
func TestEditedAsSet(t *testing.T) {
	const file, row = "sacctmgr-P-qos.txt", "normal|100|00:00:00|||cluster|||1.000000|||||||||||cpu=80|"
	open := func(dir string) *Site {
		now, _, err := order.OpenNow(dir, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := Read(now, nil, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	site := open(changed(t, "t2_busy", nil))
	o := forecast.Options{Runs: 6, Horizon: 2 * 86400, Seed: 1}
	never := 0
	for _, limit := range []string{"cpu=64", "cpu=48", "cpu=20", "node=1"} {
		edited := open(changed(t, "t2_busy", map[string]func(string) string{
			file: func(text string) string {
				return strings.Replace(text, row, strings.Replace(row, "cpu=80", limit, 1), 1)
			},
		}))
		settings := []string{"qos.normal.MaxTRESPU=" + limit}
		if !strings.HasPrefix(limit, "cpu=") {
			settings[0] += ",cpu=-1"
		}
		set, _, err := site.Under(settings, nil)
		if err != nil {
			t.Fatal(err)
		}
		st, scheduler := edited.Begin()
		inFile, err := forecast.MakeOf(t.Context(), st, scheduler, o)
		if err != nil {
			t.Fatal(err)
		}
		asked, err := forecast.MakeAgainst(t.Context(), set, site, o)
		if err != nil {
			t.Fatal(err)
		}
		want, got := drawnOf(inFile), drawnOf(asked)
		for id, at := range want {
			if at == nil {
				never++
			}
			if !slices.Equal(at, got[id]) {
				t.Errorf("%s: job %s starts at %v by the file and at %v by --set", limit, id, at, got[id])
			}
		}
		if len(want) != len(got) || len(want) == 0 {
			t.Errorf("%s: %d jobs by the file and %d by --set", limit, len(want), len(got))
		}
	}
	if never == 0 {
		t.Error("no limit lets a job start never")
	}
}
