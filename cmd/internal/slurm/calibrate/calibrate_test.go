package calibrate

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/calibrate"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/set"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/slurm/study"
	slurmwitness "fairshare/cmd/internal/slurm/witness"
	"fairshare/cmd/internal/witness"
)

// recordUnder returns the site of a recording, and the record that Slurm's rules make of its work under
// other settings.
func recordUnder(t *testing.T, settings ...string) (*sched.Setup, *record.Record) {
	t.Helper()
	const of = "../../../../testdata/slurm-replay/S2a/"
	setup, _, err := setup.Open(of + "site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	record, err := record.Read(setup, []file.Source{file.At(of + "sacct.txt.gz")}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	hidden, _, err := set.ChangeSetup(setup, settings)
	if err != nil {
		t.Fatal(err)
	}
	jobs := record.Work()
	if _, err := sched.Run(context.Background(), hidden, jobs, sched.Options{Swept: record.Swept}); err != nil {
		t.Fatal(err)
	}
	byID := map[int]*sched.Job{}
	for _, j := range jobs {
		byID[j.ID] = j
	}
	for _, x := range record.Jobs {
		var nodes []string
		j := byID[x.Job.ID]
		for _, share := range j.Shares {
			nodes = append(nodes, setup.Nodes[share.Node].Name)
		}
		x.Start, x.End, x.NodeList = j.Start, j.End, strings.Join(nodes, ",")
		record.Last = max(record.Last, x.End)
	}
	return setup, record
}

// Of records that were made under settings that the site does not say, the settings are found; where
// nothing is hidden, none is.
func TestInfer(t *testing.T) {
	for _, hidden := range []string{"", "qos.normal.MaxJobsPU=2", "SchedulerType=sched/builtin", "PriorityWeightFairshare=0"} {
		t.Run(hidden, func(t *testing.T) {
			t.Parallel()
			var settings []string
			if hidden != "" {
				settings = []string{hidden}
			}
			setup, record := recordUnder(t, settings...)
			on, _ := study.New(setup, record)
			found, err := Infer(context.Background(), setup, record, on, func(judging *sched.Setup) witness.Record {
				return slurmwitness.New(judging, record, time.UTC)
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v", found)
			isLimit := strings.HasPrefix(hidden, "qos.")
			if has := slices.ContainsFunc(found.Limits, func(l calibrate.LimitFit) bool { return l.Setting == hidden && !l.IsSet }); has != isLimit || len(found.Limits) > 0 && !isLimit {
				t.Errorf("limits: %+v", found.Limits)
			}
			if len(found.Fits) == 0 || strings.Join(found.Fits[0].Settings, ",") != hidden {
				t.Errorf("the rules do not hold best under what is hidden: %+v", found.Fits)
			}
			for _, fit := range found.Fits {
				t.Logf("%v: %.4f of %d", fit.Settings, fit.Judged.Share(), fit.Judged.Starts)
				if share := fit.Judged.Share(); strings.Join(fit.Settings, ",") == hidden && share < .99 || hidden != "" && len(fit.Settings) == 0 && share > .9 {
					t.Errorf("%v: the rules hold at %.3f of the starts", fit.Settings, share)
				}
			}
			if found.Freed.Starts < 50 || found.Submitted.Half > 1 {
				t.Errorf("starts come %+v after an end and %+v after a submission", found.Freed, found.Submitted)
			}
		})
	}
}

// A limit is one of a QOS if nobody has passed it.
func TestSetting(t *testing.T) {
	for _, test := range []struct {
		limit calibrate.Limit
		want  string
	}{
		{calibrate.Limit{Scope: "normal", Kind: "PU", All: 4, Most: 4, Names: 2}, "qos.normal.MaxJobsPU=4"},
		{calibrate.Limit{Scope: "normal", Kind: "PA", CPUs: true, All: 96, Most: 96, Names: 2}, "qos.normal.MaxTRESPA=cpu=96"},
		{calibrate.Limit{Scope: "low", Kind: "Grp", CPUs: true, Own: map[string]int64{"": 64}, Most: 64, Names: 1}, "qos.low.GrpTRES=cpu=64"},
		{calibrate.Limit{Scope: "normal", Kind: "PU", All: 4, Most: 5, Names: 2}, ""},
		{calibrate.Limit{Scope: "", Kind: "PU", All: 4, Most: 4, Names: 2}, ""},
		{calibrate.Limit{Scope: "normal", Kind: "PU", Own: map[string]int64{"ann": 4, "bob": 3}, Most: 4, Names: 2}, ""},
	} {
		if got, ok := setting(test.limit); got != test.want || ok != (got != "") {
			t.Errorf("%+v: %q, want %q", test.limit, got, test.want)
		}
	}
}
