package replay

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
	"fairshare/cmd/internal/workshop"
)

// BenchmarkGrowth says how the cost of a replay grows with the work, for sites whose queues are deep, whose arrays are long, or
// that have many jobs. Sizes are small by themselves: FAIRSHARE_SIZE=N multiplies them.
func BenchmarkGrowth(b *testing.B) {
	const byUsage, limited = "pow(2, -(fairshare_tree_usage/fairshare_perc))", "server.max_run=[u:PBS_GENERIC=4]"
	deep := func(b *testing.B, waiting int) load { // so many wait all the time
		return load{jobs: 2 * waiting, cpus: 12_800, days: 7 * float64(waiting) / 20_000, full: 2, atOnce: waiting}
	}
	ofUsers := func(b *testing.B, waiting int) load {
		l := deep(b, waiting)
		l.users = 3000
		return l
	}
	for _, bench := range []struct {
		name     string
		sizes    []int
		work     func(b *testing.B, size int) load
		users    int
		formula  string
		settings []string
	}{
		{"deep", []int{1_000, 2_000}, deep, 400, byUsage, []string{"sched.strict_ordering=true", "server.backfill_depth=10"}},
		{"entities", []int{500, 1_000, 2_000}, ofUsers, 3000, byUsage, nil},
		{"limited", []int{500, 1_000, 2_000}, ofUsers, 3000, byUsage, []string{limited}},
		{"strictentities", []int{1_000, 2_000}, ofUsers, 3000, byUsage, []string{"sched.strict_ordering=true", "server.backfill_depth=10"}},
		{"strictlimited", []int{1_000, 2_000}, ofUsers, 3000, byUsage, []string{"sched.strict_ordering=true", "server.backfill_depth=10", limited}},
		{"express", []int{500, 1_000, 2_000}, func(b *testing.B, waiting int) load {
			l := deep(b, waiting)
			l.express = l.jobs / 50
			return l
		}, 400, byUsage, []string{"sched.preemptive_sched=true"}},
		{"jobs", []int{5_000, 10_000, 20_000}, func(b *testing.B, jobs int) load {
			return load{jobs: jobs, cpus: 12_800, days: 18 * float64(jobs) / 50_000, full: .9}
		}, 400, byUsage, nil},
	} {
		b.Run(bench.name, func(b *testing.B) {
			site := fairSiteOf(b, bench.users, bench.formula, bench.settings...)
			site.Queues = []pbs.Queue{{Name: "0"}, {Name: "1"}, {Name: "2"}, {Name: fmt.Sprint(expressQueue), Priority: 200}}
			workshop.Growth(b, bench.sizes, func(b *testing.B, size int) func() any {
				return replaying(b, site, "200x64", bench.work(b, size).trace(b))
			})
		})
	}
	for _, bench := range []struct {
		name   string
		arrays func(subjobs int) (count, each int)
	}{
		{"array", func(subjobs int) (int, int) { return 1, subjobs }},
		{"arrays", func(subjobs int) (int, int) { return 100, subjobs / 100 }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			site := fairSite(b, byUsage)
			workshop.Growth(b, []int{2_500, 5_000, 10_000}, func(b *testing.B, subjobs int) func() any {
				count, each := bench.arrays(subjobs)
				return replaying(b, site, "10x64", arrays(b, count, each))
			})
		})
	}
}

// replaying returns a replay of a trace, which keeps its result and the work.
func replaying(b *testing.B, site *pbs.Site, spec string, t *trace.Trace) func() any {
	plan := planOf(b, site)
	nodes, err := cluster.ParseSpec(spec, cluster.Checks{})
	if err != nil {
		b.Fatal(err)
	}
	return func() any {
		w := work.New(t, nil)
		r, err := Run(context.Background(), w, plan, nodes, Options{Lag: 30, Ask: outcome.Ask{Watch: -1}})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(r.Cycles), "cycles")
		return r
	}
}

// arrays returns the trace of some arrays of as many subjobs each, of which one runs for an hour at most.
func arrays(b *testing.B, count, each int) *trace.Trace {
	var queued, started, ended strings.Builder
	const hour = 3600
	stamp := func(seconds int) string { return time.Unix(int64(zero+seconds), 0).UTC().Format("01/02/2006 15:04:05") }
	for a := range count {
		common := fmt.Sprintf("user=%d group=g project=p jobname=j queue=0 ctime=%[2]d qtime=%[2]d etime=%[2]d", a%400, zero)
		const asks = "Resource_List.ncpus=1 Resource_List.place=free Resource_List.select=1:ncpus=1 Resource_List.walltime=3600"
		fmt.Fprintf(&queued, "%s;Q;%d[].s;%s array_indices=0-%d %s\n", stamp(0), a+1, common, each-1, asks)
		for i := range each {
			run := 60 + (a*7919+i*104729)%(hour-60)
			fmt.Fprintf(&started, "%s;S;%d[%d].s;%s start=%d %s\n", stamp(0), a+1, i, common, zero, asks)
			fmt.Fprintf(&ended, "%s;E;%d[%d].s;%s start=%d %s end=%d Exit_status=0 run_count=1\n", stamp(run), a+1, i, common, zero, asks, zero+run)
		}
	}
	from := []file.Source{textSource(queued.String() + started.String() + ended.String())}
	t, err := trace.Read(from, time.UTC, trace.Keep{Requests: true})
	if err != nil || len(t.Problems) > 0 {
		b.Fatal(err, t.Problems)
	}
	return t
}
