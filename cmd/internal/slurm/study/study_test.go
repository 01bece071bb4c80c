package study_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/set"
	"fairshare/cmd/internal/slurm/setup"
	slurmstudy "fairshare/cmd/internal/slurm/study"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/study/studytest"
	"fairshare/cmd/internal/trace"
)

const recordings = "../../../../testdata/slurm-replay/"

// open returns a recorded site and its jobs, with what happened to its nodes and what was reserved.
func open(t *testing.T, run string) (*sched.Setup, *record.Record) {
	t.Helper()
	table := recordings + run + "/sacct.txt.gz"
	if _, err := os.Stat(table); err != nil {
		table = recordings + run + "/sacct.json.gz"
	}
	site, _, err := setup.OpenPast(recordings + run + "/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := record.Read(site.Setup, []file.Source{file.At(table)}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := record.ReadWorld(site, nil, jobs, time.UTC); err != nil {
		t.Fatal(err)
	}
	if run == "S6a" { // its sacctmgr was asked without MaxJobsAccruePU
		site.Setup, _, err = set.ChangeSetup(site.Setup, []string{"qos.acc6.MaxJobsAccruePU=3"})
		if err != nil {
			t.Fatal(err)
		}
	}
	return site.Setup, jobs
}

// studyOf returns the study of a recorded site under the policy in force and others.
func studyOf(t *testing.T, run string, settings ...string) *slurmstudy.Study {
	t.Helper()
	on, _ := slurmstudy.New(open(t, run))
	policies := []*study.Changes{nil}
	for _, setting := range settings {
		policies = append(policies, &study.Changes{Settings: []string{setting}})
	}
	if _, err := on.Use(policies); err != nil {
		t.Fatal(err)
	}
	return on
}

func runAll(t *testing.T, on *slurmstudy.Study) []*study.Measured {
	t.Helper()
	all, err := on.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// span is when a job starts and ends.
type span struct{ start, end int64 }

// spansOf returns when the recorded jobs start and end, as the engine by itself runs them under a
// setup, or as they were recorded without one.
func spansOf(t *testing.T, record *record.Record, setup *sched.Setup) []span {
	t.Helper()
	spans := make([]span, len(record.Jobs))
	if setup == nil {
		for i, x := range record.Jobs {
			spans[i] = span{x.Start, x.End}
		}
		return spans
	}
	jobs := record.Work()
	if _, err := sched.Run(context.Background(), setup, jobs, sched.Options{Swept: record.Swept}); err != nil {
		t.Fatal(err)
	}
	for i := range record.Jobs {
		spans[i] = span{jobs[i].Start, jobs[i].End}
	}
	return spans
}

// figuresOf returns the figures of some of the recorded jobs that have come by the last recorded start, by their
// spans. One that starts later has waited until then.
func figuresOf(record *record.Record, spans []span, of func(x *record.Job) bool) trace.Figures {
	last := int64(0)
	for _, x := range record.Jobs {
		last = max(last, x.Start)
	}
	var all trace.Tally
	given := record.Trace().Jobs // with the CPUs that they were given
	for i, x := range record.Jobs {
		start, end := spans[i].start, spans[i].end
		isDeleted := x.Start == 0 && x.CancelAt > 0 && x.CancelAt <= last
		if x.Submit > last || isDeleted || !of(x) {
			continue
		}
		j := &trace.Job{Arrival: x.Submit, Start: last, NCPUs: given[i].NCPUs, State: trace.Running}
		if start > 0 {
			j.Start = min(start, last)
		}
		if end > 0 && x.End > 0 {
			j.End, j.State = j.Start+end-start, trace.Ended
		}
		all.Add(j, func(at int64) bool { return at != trace.Unknown })
	}
	return all.Figures()
}

// The figures of a study are those of the engine by itself.
func TestFigures(t *testing.T) {
	t.Parallel()
	for _, run := range []string{"S1a", "S2a", "S3a"} {
		const setting = "qos.normal.MaxTRESPU=cpu=48"
		on := studyOf(t, run, setting)
		all := runAll(t, on)
		setup, recorded := open(t, run)
		changed, _, err := set.ChangeSetup(setup, []string{setting})
		if err != nil {
			t.Fatal(err)
		}
		kinds := on.Compare(all).Kinds
		for i, s := range []*sched.Setup{nil, setup, changed} {
			spans := spansOf(t, recorded, s)
			want := figuresOf(recorded, spans, func(*record.Job) bool { return true })
			for f, number := range map[string]float64{
				"count(wait)": float64(want.Jobs), "sum(core_hours)": want.CoreHours, "mean(wait)": want.WaitMean, "median(wait)": want.WaitMedian,
				"p90(wait)": want.WaitP90, "p95(wait)": want.WaitP95, "p99(wait)": want.WaitP99, "mean(slowdown)": want.Slowdown,
			} {
				parsed, err := figure.Parse(f)
				if err != nil {
					t.Fatal(err)
				}
				if got := all[i].Figures[on.At(parsed)][0]; math.Abs(got-number) > 1e-9*number {
					t.Errorf("%s, policy %d: %s is %v, want %v", run, i, f, got, number)
				}
			}
			for k, of := range []func(*record.Job) string{
				func(x *record.Job) string { return x.Partition }, func(x *record.Job) string { return x.QOS },
				func(x *record.Job) string { return x.Account }, func(x *record.Job) string { return x.User },
			} {
				for _, p := range kinds[k].Names {
					want := figuresOf(recorded, spans, func(x *record.Job) bool { return of(x) == p.Name })
					if p.Waits[i][0] != want.WaitMean {
						t.Errorf("%s, policy %d: mean wait of %s %s is %v, want %v", run, i, kinds[k].Kind, p.Name, p.Waits[i][0], want.WaitMean)
					}
				}
			}
		}
	}
}

// The first run is the record as it is. The others differ from it, and come to the same again.
func TestRuns(t *testing.T) {
	t.Parallel()
	run := func(runs int, seed uint64) [][]float64 {
		on := studyOf(t, "S2a", "bf_interval=300", "PriorityWeightAge=1000")
		on.Runs, on.Seed = runs, seed
		all := runAll(t, on)
		return slices.Concat(all[1].Figures, all[2].Figures, all[3].Figures)
	}
	one, several := run(1, 1), run(3, 1)
	isShaken := false
	for i := range one {
		if one[i][0] != several[i][0] {
			t.Errorf("figure %d: %v alone, %v as the first of several", i, one[i][0], several[i][0])
		}
		isShaken = isShaken || slices.Min(several[i]) < slices.Max(several[i])
	}
	if !isShaken {
		t.Error("all runs are the same")
	}
	if diff := cmp.Diff(several, run(3, 1)); diff != "" {
		t.Errorf("the same runs again (-first +second):\n%s", diff)
	}
	if cmp.Equal(several, run(3, 2)) {
		t.Error("another seed changes nothing")
	}
}

// What jobs waited for adds up to their waits within the record, and what one waited for to its own. That somebody
// asks changes no start.
func TestCauses(t *testing.T) {
	t.Parallel()
	for _, run := range []string{"S1a", "S3a"} {
		on := studyOf(t, run)
		plain := runAll(t, on)[1].First.Result
		on.Wanted.KeepWhy = true
		on.Wanted.Watch = 100
		result := runAll(t, on)[1].First.Result
		if !slices.Equal(plain.Start, result.Start) {
			t.Errorf("%s: other jobs start if somebody asks why", run)
		}
		waited, told := map[string]float64{}, map[string]float64{}
		reasons := map[string]bool{}
		for i, j := range on.Work.Jobs {
			until := result.Start[i]
			switch {
			case until == 0 && j.Deleted != trace.Unknown:
				until = float64(j.Deleted)
			case until == 0:
				until = result.Until
			}
			waited[on.Work.Trace.Names.List[j.Queue]] += min(until, float64(on.Work.Last)) - float64(j.Arrival)
			if i == int(on.Wanted.Watch) {
				sum := 0.
				for k, step := range result.Steps {
					sum += step.To - step.From
					if k > 0 && step.From != result.Steps[k-1].To {
						t.Errorf("%s: a gap before %v", run, step)
					}
				}
				if sum != until-float64(j.Arrival) {
					t.Errorf("%s: job %s waited %v s, by its reasons %v s", run, j.ID, until-float64(j.Arrival), sum)
				}
			}
		}
		for _, c := range result.Causes {
			told[c.Queue] += c.Seconds
			reasons[c.Reason] = true
		}
		if diff := cmp.Diff(waited, told); diff != "" {
			t.Errorf("%s: seconds by partition (-waited +told):\n%s", run, diff)
		}
		limited := "QOSMaxCpuPerUserLimit (QOS normal)"
		for _, want := range []string{sched.WaitsForPass, sched.WaitsForPriority, sched.WaitsForResources} {
			if !reasons[want] {
				t.Errorf("%s: nobody waits for %s", run, want)
			}
		}
		if hasLimits := run == "S3a"; reasons[limited] != hasLimits {
			t.Errorf("%s: somebody waits for %s: %v", run, limited, !hasLimits)
		}
	}
}

// The queue at a time is what has come and not started by then.
func TestQueueAtATime(t *testing.T) {
	t.Parallel()
	on := studyOf(t, "S2a")
	start := runAll(t, on)[1].First.Result.Start
	at := float64(on.Work.First + 9*3600)
	on.Wanted.Until = at
	result := runAll(t, on)[1].First.Result
	var want, got []string
	for i, j := range on.Work.Jobs {
		if float64(j.Arrival) <= at && (start[i] == 0 || start[i] > at) && (j.Deleted == trace.Unknown || float64(j.Deleted) > at) {
			want = append(want, j.ID)
		}
	}
	last, isAfterDebug := math.Inf(1), false
	for _, w := range result.Waiting {
		got = append(got, w.Job.ID)
		switch isDebug := on.Work.Trace.Names.List[w.Job.Queue] == "debug"; { // whose tier is higher
		case isDebug && isAfterDebug:
			t.Errorf("job %s is of partition debug, and the one before it is not", w.Job.ID)
		case !isDebug && !isAfterDebug:
			isAfterDebug, last = true, math.Inf(1)
		}
		if w.Value > last {
			t.Errorf("job %s has a higher priority than the one before it", w.Job.ID)
		}
		if w.Reason == "" {
			t.Errorf("job %s waits for nothing", w.Job.ID)
		}
		last = w.Value
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || len(got) < 10 {
		t.Errorf("%d jobs wait (-want +got):\n%s", len(got), diff)
	}
}

// Where somebody interrupts, all rows are of the same jobs and of the same time.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	on := studyOf(t, "S2a", "PriorityWeightAge=0")
	studytest.Interrupt(t, &on.Study, 5, 3)
}

// The distance from shares is that of usage which decays from sweep to sweep.
func TestShares(t *testing.T) {
	t.Parallel()
	on := studyOf(t, "S2a", "physics.shares=1000")
	all := runAll(t, on)
	shares := all[1].First.Shares()
	targets := map[string]float64{}
	for _, g := range shares.Groups {
		targets[g.Name] = g.Target
	}
	changed := map[string]float64{}
	for _, g := range all[2].First.Shares().Groups {
		changed[g.Name] = g.Target
	}
	if len(targets) < 3 || !(changed["physics"] > targets["physics"]) || !(shares.Mean > 0 && shares.Mean < 1) {
		t.Errorf("targets %v, with more shares of physics %v; mean distance %v", targets, changed, shares.Mean)
	}
	sum := 0.
	for _, g := range shares.Groups {
		sum += g.Target
	}
	if math.Abs(sum-1) > 1e-6 {
		t.Errorf("the targets add up to %v", sum)
	}
}

func TestWrongPolicies(t *testing.T) {
	t.Parallel()
	on, _ := slurmstudy.New(open(t, "S2a"))
	for _, row := range []struct {
		changes study.Changes
		want    string
	}{
		{study.Changes{Formula: "ncpus"}, "a Slurm site has no formula"},
		{study.Changes{Settings: []string{"bf_window"}}, "bf_window: expected NAME=VALUE"},
		{study.Changes{Settings: []string{"bf_windows=1"}}, "bf_windows=1: bf_windows is not modelled"},
	} {
		if _, err := on.Use([]*study.Changes{&row.changes}); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%+v: %v, want %s", row.changes, err, row.want)
		}
	}
	remarks, err := on.Use([]*study.Changes{{Settings: []string{"bf_interval=30"}}})
	if got := fmt.Sprint(remarks); err != nil || len(remarks) != 1 || !strings.Contains(got, "bf_interval=30 changes nothing") {
		t.Errorf("%s (%v)", got, err)
	}
}

// Cells of a site with other shares, limits or parameters are of another search.
func TestIdentify(t *testing.T) {
	t.Parallel()
	setup, record := open(t, "S2a")
	identity := func(setup *sched.Setup) string {
		on, _ := slurmstudy.New(setup, record)
		var b strings.Builder
		on.Identify(&b)
		return b.String()
	}
	id := identity(setup)
	if identity(setup.Clone()) != id {
		t.Error("the same site is another")
	}
	for _, setting := range []string{"bf_interval=77", "PriorityWeightAge=3", "astro.shares=77", "qos.high.MaxJobsPU=1", "partition.main.tier=9", "default_queue_depth=3", "partition_job_depth=1", "bf_max_job_array_resv=1", "bf_one_resv_per_job=1", "bf_min_age_reserve=60", "qos.high.MinPrioThres=1", "SchedulerType=sched/builtin"} {
		changed, _, err := set.ChangeSetup(setup, []string{setting})
		if err != nil {
			t.Fatal(err)
		}
		if identity(changed) == id {
			t.Errorf("%s does not make another search", setting)
		}
	}
	for name, change := range map[string]func(*sched.Setup){
		"whole nodes":       func(s *sched.Setup) { s.WholeNodes = []bool{true, false, false} },
		"MaxNodes":          func(s *sched.Setup) { s.Partitions[0].MaxNodes = 1 },
		"MayUse":            func(s *sched.Setup) { s.MayUse = [][]string{{"none"}} },
		"SlurmUser":         func(s *sched.Setup) { s.Manager = "manager" },
		"memory":            func(s *sched.Setup) { s.HasNoMemory = true },
		"threads of a core": func(s *sched.Setup) { s.Nodes[0].Threads = 2 },
	} {
		changed := setup.Clone()
		cluster := *changed.Cluster
		cluster.Nodes = slices.Clone(cluster.Nodes)
		cluster.Partitions = slices.Clone(cluster.Partitions)
		changed.Cluster = &cluster
		if change(changed); identity(changed) == id {
			t.Errorf("%s does not make another search", name)
		}
	}
}
