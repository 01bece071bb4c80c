package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/accrual"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
	"fairshare/fstree"
)

// Usage as straight lines is what a scheduler computes that charges each job at each
// cycle.
func TestUsageIsWhatCyclesCharge(t *testing.T) {
	for _, samples := range []*accrual.Samples{nil, accrual.NewSamples(-30)} {
		usageIsWhatCyclesCharge(t, samples)
	}
}

// usageIsWhatCyclesCharge compares them, with reports that are always as old, or those of samples.
func usageIsWhatCyclesCharge(t *testing.T, samples *accrual.Samples) {
	const nodes, jobs, period = 5, 30, 5000
	r := rand.New(rand.NewPCG(1, 2))
	tree, _ := fstree.ParseResourceGroup("g 10 root 10\na 11 g 5\nb 12 g 5\n", 0)
	at := &situation{work: &work.Work{}, entities: &entities{Names: []string{"a", "b"}}}
	u := &usage{at: at, isOn: true, accrues: true, tree: tree, lag: 30, samples: samples.Clone(), runs: make([]runCharge, jobs)}
	u.config.DecayTime, u.config.DecayFactor = period, .5
	u.base, u.rate, u.offset = make([]float64, tree.Len()), make([]float64, tree.Len()), make([]float64, tree.Len())
	for i := range u.base {
		u.base[i] = 1
	}
	for _, name := range at.entities.Names {
		id, _ := tree.Lookup(name)
		u.ids, u.paths = append(u.ids, id), append(u.paths, tree.Path(id))
	}
	type plain struct{ start, rate, charged float64 }
	running := map[int32]*plain{}
	charged := slices.Clone(u.base)
	for i := range jobs {
		at.entities.Of = append(at.entities.Of, int32(i%2))
	}
	last, next := 0., int32(0)
	for now := 1.; now < 40_000; now += 1 + float64(r.IntN(600)) {
		for job := range running {
			if r.IntN(6) == 0 {
				u.stop(job)
				delete(running, job)
			}
		}
		u.accrue(now)
		reported := now - 30
		if samples != nil {
			reported = samples.Before(now)
		}
		for job, p := range running {
			used := p.rate * max(0, reported-p.start)
			for _, id := range u.paths[at.entities.Of[job]] {
				charged[id] += used - p.charged
			}
			p.charged = used
		}
		if diff := math.Floor(now) - last; diff > period {
			for range int(math.Ceil(diff/period)) - 1 {
				for id := range charged {
					charged[id] = max(1, charged[id]*.5)
				}
			}
			last = math.Floor(now) - math.Mod(diff, period)
		}
		for id := range charged {
			if got := u.node(id); math.Abs(got-charged[id]) > 1e-6*charged[id] {
				t.Fatalf("at %v node %d has %v, charged %v", now, id, got, charged[id])
			}
		}
		if next < jobs && r.IntN(2) == 0 {
			rate := float64(1 + r.IntN(64))
			u.startAt(next, rate, now+2.5)
			if u.begins(now + 2.5); samples != nil {
				samples.Start(now + 2.5)
			}
			running[next] = &plain{start: now + 2.5, rate: rate}
			next++
		}
	}
	if next < jobs {
		t.Errorf("only %d jobs have run", next)
	}
}

func TestLimitsOfSomebodysOwn(t *testing.T) {
	l, err := newLimits(&pbs.Site{Sched: pbs.Sched{Server: pbs.Attributes{
		"max_run": "[u:PBS_GENERIC=3],[u:bob=5], [o:PBS_ALL=9]", "max_run_res.ncpus": `[g:"bio lab"=8]`, "resources_available.mem": "4gb", "max_run_soft": "[u:bob=1]",
	}}}, false)
	if err != nil {
		t.Fatal(err)
	}
	need := func(resource string) float64 { return map[string]float64{"ncpus": 2, "mem": 1 << 20}[resource] }
	find := func(checks []check, name, resource string) *check {
		for i, c := range checks {
			if c.counter.limit.name == name && c.counter.limit.resource == resource {
				return &checks[i]
			}
		}
		t.Fatalf("no limit of %s on %q", name, resource)
		return nil
	}
	bob, ann := l.of("workq", "bob", "bio lab", "p", need), l.of("workq", "ann", "g", "p", need)
	if c := find(bob, "bob", ""); c.counter.limit.most != 5 || !c.isOwn() {
		t.Errorf("bob: %+v", c.counter.limit)
	}
	if c := find(ann, "ann", ""); c.counter.limit.most != 3 {
		t.Errorf("ann: %+v", c.counter.limit)
	}
	if c := find(bob, "bio lab", "ncpus"); c.counter.limit.most != 8 || c.need != 2 {
		t.Errorf("group: %+v", c)
	}
	if c := find(ann, "PBS_ALL", "mem"); c.counter.limit.most != 4<<20 || c.isOwn() {
		t.Errorf("memory: %+v", c.counter.limit)
	}
	if find(bob, "PBS_ALL", "").counter != find(ann, "PBS_ALL", "").counter {
		t.Error("what all may run is counted twice")
	}
}

func TestEstimatedLatency(t *testing.T) {
	var jobs []asked
	for i := range 40 { // each alone, and logged 3 s after it came
		jobs = append(jobs, asked{id: string(rune('A' + i)), at: 100 * i, run: 10})
	}
	s := scenario{jobs: jobs}
	w, _, _ := s.load(t)
	for _, j := range w.Jobs {
		j.Start, j.End = j.Start+3, j.End+3
	}
	l := work.EstimateLatency(w)
	if l.First != 3 || l.More != 0 {
		t.Errorf("%+v", l)
	}
	for i, own := range work.OwnLatencies(w, l) {
		if own != 3 {
			t.Errorf("job %d: %v", i, own)
		}
	}
	if got := (work.Latency{First: 2, Job: .1, Most: 2, More: 3}).Of(2, 100); got != 7 {
		t.Errorf("%v", got)
	}
}

// What a cycle waits for jobs that it preempts is no part of how long after it a start is logged.
func TestLatencyOfPreemption(t *testing.T) {
	var jobs []asked
	for i := range 40 {
		jobs = append(jobs, asked{id: string(rune('A' + i)), at: 100 * i, run: 10})
	}
	s := scenario{jobs: jobs}
	w, _, _ := s.load(t)
	for i, j := range w.Jobs {
		late := int64(3)
		if i%10 == 5 { // it starts in the place of a job that leaves 8 s after it came
			w.Preempted = append(w.Preempted, trace.Run{Start: j.Arrival - 50, End: j.Arrival + 8})
			late = 12
		}
		j.Start, j.End = j.Start+late, j.End+late
	}
	l := work.EstimateLatency(w)
	if l.First != 3 || l.Requeue != 9 || l.Suspend != 9 { // the record tells of no job that was suspended
		t.Errorf("%+v", l)
	}
	for i, own := range work.OwnLatencies(w, l) {
		if own != 3 {
			t.Errorf("job %d: %v", i, own)
		}
	}
	l.Suspend = 4
	for _, test := range []struct {
		suspended, requeued int
		want                float64
	}{{0, 0, 0}, {1, 0, 4}, {3, 0, 6}, {0, 1, 9}, {0, 2, 1.4 * 9}, {2, 7, 1.4 * 9}, {9, 1, 12}} {
		if got := l.Yield(test.suspended, test.requeued); got != test.want {
			t.Errorf("%d suspended and %d requeued: %v, want %v", test.suspended, test.requeued, got, test.want)
		}
	}
}

// A job of whom the record shows that it started 2 s sooner than those leave whom it preempted starts so where it preempts
// somebody, and else as all others do: never before the cycle that starts it.
func TestNoStartBeforeItsCycle(t *testing.T) {
	for _, test := range []struct{ queue, want string }{{"workq", "A 3, B 103"}, {"expressq", "A 3, B 54"}} {
		s := scenario{config: "preemptive_sched: true\npreempt_prio: \"express_queue, normal_jobs\"\n", queues: express, settings: []string{"sched.preempt_order=S"}, jobs: []asked{
			{id: "A", run: 97, wants: "1:ncpus=4"},
			{id: "B", at: 50, run: 10, wants: "1:ncpus=4", queue: test.queue},
		}}
		own := []float64{math.NaN(), -2}
		if got := s.starts(t, Options{Latency: work.Latency{First: 3, Suspend: 6}, Own: own}); got != test.want {
			t.Errorf("%s: %s, want %s", test.queue, got, test.want)
		}
	}
}

// The victims of a start are those who leave between its event and it, however many others have gone before; a start
// long after its event shows nothing.
func TestOwnLatenciesBesideManyVictims(t *testing.T) {
	s := scenario{jobs: []asked{{id: "A", run: 10}, {id: "B", at: 1000, run: 10}, {id: "C", at: 2000, run: 10}}}
	w, _, _ := s.load(t)
	for at := w.Jobs[0].Arrival + 5; at < w.Jobs[1].Arrival; at += 5 {
		w.Preempted = append(w.Preempted, trace.Run{Start: at - 5, End: at})
	}
	b, c := w.Jobs[1], w.Jobs[2]
	w.Preempted = append(w.Preempted, trace.Run{Start: b.Arrival - 50, End: b.Arrival + 8})
	b.Start, b.End = b.Start+12, b.End+12
	for i := int64(1); i < 200; i++ { // each cycle waits 5 s, so that all of the time is accounted for
		w.Preempted = append(w.Preempted, trace.Run{Start: c.Arrival - 50, End: c.Arrival + 5*i})
	}
	c.Start, c.End = c.Start+1000, c.End+1000
	own := work.OwnLatencies(w, work.Latency{First: 3, Requeue: 5})
	if own[0] != 0 || own[1] != 7 || !math.IsNaN(own[2]) {
		t.Errorf("%v", own)
	}
}

// A job that is released after a hold has gained eligible_time all the while.
func TestEligibleSinceQueued(t *testing.T) {
	s := scenario{formula: "eligible_time", jobs: []asked{
		{id: "0", run: 300, wants: "1:ncpus=4"},
		{id: "1", at: 50, run: 10, wants: "1:ncpus=4"},
		{id: "2", at: 200, run: 10, wants: "1:ncpus=4", more: []string{
			"10 Q;2;user=u group=g queue=workq ctime=1772434810 qtime=1772434810 etime=1772434810 Resource_List.select=1:ncpus=4 Resource_List.ncpus=4 Resource_List.walltime=60"}},
	}}
	if got := s.starts(t, Options{}); got != "0 0, 2 300, 1 310" {
		t.Error(got)
	}
}

// The clock of eligible_time stands still while a limit of the job's own keeps it, and
// not under one of the whole queue.
func TestEligibleStandsUnderOwnLimit(t *testing.T) {
	for limit, want := range map[string]string{
		"server.max_run=[u:PBS_GENERIC=1]":    "0 0, 2 290, 1 400, 3 510",
		"queue.workq.max_run=[o:PBS_ALL=100]": "0 0, 1 290, 2 400, 3 510",
	} {
		s := scenario{formula: "eligible_time", settings: []string{limit}, nodes: "4", jobs: []asked{
			{id: "0", run: 290, wants: "1:ncpus=4", walltime: 290}, // of user u
			{id: "1", at: 10, run: 110, wants: "1:ncpus=4"},        // kept by its own limit
			{id: "2", at: 100, run: 110, wants: "1:ncpus=4", user: "v"},
			{id: "3", at: 390, run: 10, wants: "1:ncpus=4", user: "w"},
		}}
		if got := s.starts(t, Options{}); got != want {
			t.Errorf("%s: %s, want %s", limit, got, want)
		}
	}
}

func TestInterrupted(t *testing.T) {
	site := fairSite(t, "ncpus")
	nodes, err := cluster.ParseSpec("200x64", cluster.Checks{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	w := work.New(load{jobs: 10_000, cpus: 12_800, days: 4, full: .9}.trace(t), nil)
	r, err := Run(ctx, w, planOf(t, site), nodes, Options{Lag: 30, Ask: outcome.Ask{Watch: -1}})
	if err != nil || !r.IsCut || r.Cycles == 0 || slices.Index(r.Start, 0) < 0 {
		t.Errorf("%v %v", err, r.IsCut)
	}
}

func TestTooSmall(t *testing.T) {
	s := scenario{nodes: "2", jobs: []asked{{id: "1", run: 50, wants: "1:ncpus=2"}, {id: "2", run: 50}}}
	w, _, nodes := s.load(t)
	var impossible *work.ImpossibleError
	if _, err := nodes.Check(w); !errors.As(err, &impossible) || err.Error() != "the cluster has 2 cpus, but the jobs have occupied 3 at a time" {
		t.Error(err)
	}
	// For a second an end and a start may share one.
	s.jobs = []asked{{id: "1", run: 50, wants: "1:ncpus=2"}, {id: "2", at: 49, run: 50}, {id: "3", at: 100, run: 5, wants: "1:ncpus=3"}}
	w, _, nodes = s.load(t)
	if remarks, err := nodes.Check(w); err != nil || len(remarks) != 1 || remarks[0].Text != "for a second the jobs have occupied 3 of 2 cpus: some ends and starts share one" {
		t.Error(remarks, err)
	}
}

// FuzzReplay replays logs of any kind: whatever comes, it ends, uses no more than there is,
// and comes to the same as where every cycle looks at everything.
func FuzzReplay(f *testing.F) {
	f.Add("1:ncpus=1", "free", 10, 3600, 1)
	f.Add("2:ncpus=2+1:mem=1gb", "scatter:excl", 10, -1, 2)
	f.Add("1:ncpus=1000000000000000000", "free", 10, 10, 0)
	f.Add("0:ncpus=1", "pack", 10, 10, 3)
	f.Fuzz(func(t *testing.T, wants, place string, run, walltime, depth int) {
		if strings.ContainsAny(wants+place, " \n;\r\t") || !(run > 0 && run < 1e6) {
			t.Skip()
		}
		w := []asked{{id: "1", run: run, wants: wants, place: place, walltime: walltime}, {id: "2", at: 1, run: 10, wants: "1:ncpus=4"}, {id: "3", at: 2, run: run, wants: wants, walltime: walltime}}
		s := scenario{config: "strict_ordering: true\n", jobs: w}
		s.settings = []string{"server.backfill_depth=" + string(rune('0'+max(0, depth)%9))}
		work, plan, nodes := s.load(t)
		quick, result := resultOf(t, work, plan, nodes, Options{})
		mustHold(t, "fuzz", work, nodes, result)
		if plain, _ := resultOf(t, work, plan, nodes, Options{Plain: true}); plain != quick {
			t.Errorf("%s\nall:\n%s", quick, plain)
		}
		fits, _ := nodes.Impossible(work)
		for i, isImpossible := range fits {
			if !isImpossible && result.Start[i] == 0 {
				t.Errorf("%s fits and never starts", work.Jobs[i].ID)
			}
		}
	})
}

// Where jobs run is written out only for who asks: jobs of thousands of chunks take no more memory
// for it than others.
func TestVnodesAreWrittenWhenAsked(t *testing.T) {
	s := scenario{nodes: "n\n     state = free\n     resources_available.host = n\n     resources_available.vnode = n\n     resources_available.ncpus = 4096\n"}
	for i := range 200 {
		s.jobs = append(s.jobs, asked{id: fmt.Sprint(i), at: i, run: 10, walltime: 60, wants: "4096:ncpus=1"})
	}
	w, plan, nodes := s.load(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := Run(context.Background(), w, plan, nodes, Options{Ask: outcome.Ask{Watch: -1, KeepVnodes: true}})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	want := strings.TrimSuffix(strings.Repeat("(n:ncpus=1)+", 4096), "+")
	if got := r.Vnodes(199); got != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > uint64(200*len(want)/4) {
		t.Errorf("%d bytes were allocated for 200 jobs", took)
	}
}
