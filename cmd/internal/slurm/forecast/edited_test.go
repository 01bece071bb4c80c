package forecast

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/workshop"
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
	const qos, normal = "sacctmgr-P-qos.txt", "normal|100|00:00:00|||cluster|||1.000000|||||||||||cpu=80|"
	const associations = "sacctmgr-P-assoc.txt"
	ofNormal := func(limit string) string { return strings.Replace(normal, "cpu=80", limit, 1) }
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
	if !workshop.TestsAll() {
		o.Runs = 2
	}
	never := 0
	for _, x := range []struct{ file, old, text, setting string }{
		{qos, normal, ofNormal("cpu=64"), "qos.normal.MaxTRESPU=cpu=64"},
		{qos, normal, ofNormal("cpu=48"), "qos.normal.MaxTRESPU=cpu=48"},
		{qos, normal, ofNormal("cpu=20"), "qos.normal.MaxTRESPU=cpu=20"},
		{qos, normal, ofNormal("node=1"), "qos.normal.MaxTRESPU=node=1,cpu=-1"},
		{associations, "hpc|chem|||30|||cpu=128|", "hpc|chem|||30|||cpu=40|", "chem.GrpTRES=cpu=40"},
		{associations, "hpc|chem|erin||40||||||||", "hpc|chem|erin||40|||||||1|", "chem/erin.MaxJobs=1"},
		{associations, "hpc|chem|erin||40|||||||", "hpc|chem|erin||40||||||cpu=9000|", "chem/erin.GrpTRESMins=cpu=9000"},
	} {
		edited := open(changed(t, "t2_busy", map[string]func(string) string{x.file: func(text string) string {
			return strings.Replace(text, x.old, x.text, 1)
		}}))
		set, _, err := site.Under([]string{x.setting}, nil)
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
				t.Errorf("%s: job %s starts at %v by the file and at %v by --set", x.setting, id, at, got[id])
			}
		}
		if len(want) != len(got) || len(want) == 0 {
			t.Errorf("%s: %d jobs by the file and %d by --set", x.setting, len(want), len(got))
		}
	}
	if never == 0 {
		t.Error("no limit lets a job start never")
	}
}
