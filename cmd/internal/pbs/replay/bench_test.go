package replay

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
	"fairshare/fstree"
)

// load is generated work: jobs of many sizes and users, as much as fills a part of a
// cluster.
type load struct {
	jobs, cpus int
	days, full float64
	atOnce     int // jobs that come at the begin
	users      int // 0 for 400
	express    int // how many of the jobs are of the queue express, evenly spread
}

// expressQueue is the number of the queue whose jobs preempt others.
const expressQueue = 9

// trace returns the work as a trace in the Standard Workload Format gives it.
func (l load) trace(tb testing.TB) *trace.Trace {
	r := rand.New(rand.NewPCG(1, 2))
	sizes := []int{1, 1, 1, 2, 4, 8, 16, 32, 64, 128, 256}
	span := l.days * 86400
	type job struct {
		cpus int
		run  float64
	}
	jobs := make([]job, l.jobs)
	total := 0.
	for i := range jobs {
		jobs[i] = job{min(sizes[r.IntN(len(sizes))], l.cpus/4), 5 + r.ExpFloat64()*r.ExpFloat64()*6000}
		total += float64(jobs[i].cpus) * jobs[i].run
	}
	factor := l.full * float64(l.cpus) * span / total
	var b strings.Builder
	at := 0.
	for i, j := range jobs {
		if i >= l.atOnce {
			at += r.ExpFloat64() * span / float64(l.jobs-l.atOnce)
		}
		run := int(j.run*factor) + 1
		user := int(float64(cmp.Or(l.users, 400)) * r.Float64() * r.Float64())
		walltime := (run*(10+r.IntN(30))/10/300 + 1) * 300
		queue := i % 3
		if l.express > 0 && i%(l.jobs/l.express) == l.jobs/l.express/2 {
			queue = expressQueue
		}
		fmt.Fprintf(&b, "%d %d 0 %d %d -1 -1 %d %d -1 1 %d %d -1 %d -1 -1 -1\n", i+1, int(at), run, j.cpus, j.cpus, walltime, user, user%20, queue)
	}
	from := file.Source{Name: "generated", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(b.String())), nil }}
	t, err := trace.Read([]file.Source{from}, time.UTC, trace.Keep{Requests: true})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// fairSite returns a site of 400 users in 20 groups.
func fairSite(tb testing.TB, formula string, settings ...string) *pbs.Site {
	return fairSiteOf(tb, 400, formula, settings...)
}

// fairSiteOf returns a site of some users in 20 groups.
func fairSiteOf(tb testing.TB, users int, formula string, settings ...string) *pbs.Site {
	var groups strings.Builder
	for g := range 20 {
		fmt.Fprintf(&groups, "g%d %d root 10\n", g, 100+g)
	}
	for user := range users {
		fmt.Fprintf(&groups, "%d %d g%d 10\n", user, 1000+user, user%20)
	}
	tree, problems := fstree.ParseResourceGroup(groups.String(), 10)
	if problems != nil {
		tb.Fatal(problems)
	}
	config, _ := fstree.ParseConfig("fair_share: true\nfairshare_usage_res: ncpus*walltime\nfairshare_decay_time: 24:00:00\n")
	site, _, err := pbs.Files{}.Read()
	if err != nil {
		tb.Fatal(err)
	}
	site.SchedPriv = &pbs.SchedPriv{Tree: tree, Config: config}
	site.Sched.Formula = formula
	if site, err = site.WithReplayed(settings); err != nil {
		tb.Fatal(err)
	}
	return site
}

func planOf(tb testing.TB, site *pbs.Site) *order.Plan {
	plan, _, err := order.NewPlan(site, order.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return plan
}

func BenchmarkReplay(b *testing.B) {
	const byUsage, byAge = "pow(2, -(fairshare_tree_usage/fairshare_perc))", "1000*fairshare_factor + eligible_time/3600 + ncpus/100"
	for _, bench := range []struct {
		name     string
		load     load
		nodes    string
		formula  string
		settings []string
	}{
		{"greedy", load{jobs: 50_000, cpus: 12_800, days: 18, full: .9}, "200x64", byUsage, nil},
		{"age", load{jobs: 50_000, cpus: 12_800, days: 18, full: .9}, "200x64", byAge, nil},
		{"strict", load{jobs: 20_000, cpus: 12_800, days: 7, full: .85}, "200x64", byUsage, []string{"sched.strict_ordering=true", "server.backfill_depth=0"}},
		{"depth10", load{jobs: 20_000, cpus: 12_800, days: 7, full: .95}, "200x64", byUsage, []string{"sched.strict_ordering=true", "server.backfill_depth=10"}},
		{"wide", load{jobs: 50_000, cpus: 93_312, days: 40, full: .85}, "1296x72", byUsage, nil},
		{"onenode", load{jobs: 50_000, cpus: 93_312, days: 40, full: .85}, "93312", byUsage, nil},
		{"limited", load{jobs: 20_000, cpus: 12_800, days: 7, full: .95, atOnce: 20_000}, "200x64", byUsage, []string{"sched.strict_ordering=true", "server.max_run=[o:PBS_ALL=100]"}},
		{"deep", load{jobs: 50_000, cpus: 12_800, days: 18, full: .9, atOnce: 40_000}, "200x64", byUsage, nil},
	} {
		b.Run(bench.name, func(b *testing.B) {
			site := fairSite(b, bench.formula, bench.settings...)
			plan := planOf(b, site)
			nodes, err := cluster.ParseSpec(bench.nodes, cluster.Checks{})
			if err != nil {
				b.Fatal(err)
			}
			w := work.New(bench.load.trace(b), nil)
			b.ReportAllocs()
			for b.Loop() {
				r, err := Run(context.Background(), w, plan, nodes, Options{Lag: 30, Ask: outcome.Ask{Watch: -1}})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(r.Cycles), "cycles")
			}
			b.ReportMetric(float64(b.N*len(w.Jobs))/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}

// BenchmarkDecide judges what the rules themselves have done, of ever more jobs of the same site.
func BenchmarkDecide(b *testing.B) {
	const byAge = "1000*fairshare_factor + eligible_time/3600 + ncpus/100"
	plan := planOf(b, fairSite(b, byAge))
	nodes, err := cluster.ParseSpec("200x64", cluster.Checks{})
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{5_000, 50_000, 500_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			t := load{jobs: n, cpus: 12_800, days: 18 * float64(n) / 50_000, full: .9}.trace(b)
			o := Options{Lag: 30, Ask: outcome.Ask{Watch: -1, KeepVnodes: true}}
			w := work.New(t, nil)
			r, err := Run(context.Background(), w, plan, nodes, o)
			if err != nil {
				b.Fatal(err)
			}
			for i, j := range w.Jobs {
				of := t.Jobs[j.Record]
				length := of.End - of.Start
				of.Start = outcome.Second(r.Start[i])
				of.End = of.Start + length
				t.Places = append(t.Places, trace.Placement{Start: of.Start, Job: int32(j.Record), Vnodes: int32(len(t.ExecVnodes.List))})
				t.ExecVnodes.List = append(t.ExecVnodes.List, r.Vnodes(i))
			}
			recorded := work.New(t, nil)
			b.ReportAllocs()
			for b.Loop() {
				agree, starts := 0, 0
				err := Decide(context.Background(), recorded, plan, nodes, o, func(d *Decision) {
					if d.At > 0 {
						agree, starts = agree+count(d.IsThere), starts+1
					}
				})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(agree)/float64(starts), "agree")
			}
			b.ReportMetric(float64(b.N*n)/b.Elapsed().Seconds(), "starts/s")
		})
	}
}
