package replay

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
	"fairshare/cmd/internal/workshop"
)

// randomScenario returns a small site of a random policy, and work that fills it.
func randomScenario(seed uint64) scenario {
	r := rand.New(rand.NewPCG(seed, 7))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	s := scenario{known: map[string]work.ListFacts{}, groups: "g1 10 root 3\ng2 11 root 1\nann 20 g1 2\nbob 21 g1 1\ncid 22 g2 1\n"}
	var vnodes strings.Builder
	for v := range 2 + r.IntN(4) {
		fmt.Fprintf(&vnodes, "v%d\n     Mom = h\n     resources_available.host = h%d\n     resources_available.vnode = v%d\n     resources_available.ncpus = %d\n     resources_available.ngpus = %d\n     state = free\n     sharing = %s\n",
			v, v/(1+int(seed%2)), v, 2+2*r.IntN(3), r.IntN(3), pick("default_shared", "default_shared", "default_shared", "default_excl", "ignore_excl", "force_excl"))
	}
	s.nodes = vnodes.String()
	if r.IntN(2) == 0 {
		s.config += "strict_ordering: true\n"
	}
	s.config += pick("", "by_queue: true\n", "round_robin: true\n", "")
	isFair := r.IntN(2) == 0
	if isFair {
		s.config += "fair_share: true\nfairshare_usage_res: ncpus*walltime\nfairshare_decay_time: 00:20:00\n"
	}
	s.formula = pick("", "", "ncpus", "ncpus + eligible_time/100", "10*job_priority + eligible_time", "queue_priority - ncpus")
	s.queues = []pbs.Queue{{Name: "workq", Priority: r.IntN(3) * 10}, {Name: "q", Priority: r.IntN(2) * 10}, {Name: "expressq", Priority: 140 + 20*r.IntN(3)}, {Name: "otherx", Priority: 180}}
	set := func(odds int, setting string, of ...any) {
		if r.IntN(odds) == 0 {
			s.settings = append(s.settings, fmt.Sprintf(setting, of...))
		}
	}
	if r.IntN(3) == 0 {
		s.config += "preemptive_sched: true\n"
	}
	set(2, "server.backfill_depth=%d", r.IntN(4))
	set(1, "server.scheduler_iteration=7200") // what never starts is tried now and then for a month
	set(3, "queue.q.backfill_depth=%d", r.IntN(3))
	set(5, "queue.workq.backfill_depth=%d", r.IntN(3))
	limits := []string{
		"server.max_run=[u:PBS_GENERIC=%d],[g:g2=2]", "server.max_run_res.ncpus=[g:PBS_GENERIC=%d]", "queue.workq.max_run=[o:PBS_ALL=%d]", "queue.q.max_run_res.ncpus=[u:PBS_GENERIC=%d]",
		"server.max_run_soft=[u:PBS_GENERIC=%d],[g:g2=2]", "queue.workq.max_run_res_soft.ncpus=[u:PBS_GENERIC=%d]"}
	if seed%5 == 2 { // those of old, which do not go together with those of now
		limits = []string{
			"server.max_user_run=%d", "server.max_group_res.ncpus=%d", "queue.workq.max_running=%d", "queue.q.max_user_res.ncpus=%d",
			"server.max_user_run_soft=%d", "queue.workq.max_user_res_soft.ncpus=%d"}
	}
	set(4, limits[0], 1+r.IntN(3))
	set(4, limits[1], 4+r.IntN(5))
	set(5, limits[2], 1+r.IntN(3))
	set(5, limits[3], 3+r.IntN(4))
	if seed%8 == 3 {
		s.settings = append(s.settings, fmt.Sprintf("queue.q.resources_available.ncpus=%d", 2+seed/8%5)) // a consumable of a queue
	}
	set(3, "sched.preempt_order=%s", pick("R", "SCR", "S 60 R", "SCR 80 SC 50 S", "D", "C 30 R"))
	set(3, "sched.preempt_prio=%s", pick("express_queue, normal_jobs, fairshare", "server_softlimits, express_queue, normal_jobs", "express_queue, normal_jobs, server_softlimits, queue_softlimits",
		"express_queue, starving_jobs, normal_jobs, starving_jobs+fairshare", "normal_jobs, server_softlimits+queue_softlimits, queue_softlimits"))
	set(3, limits[4], 1+r.IntN(2))
	set(4, limits[5], 1+r.IntN(4))
	if r.IntN(4) == 0 {
		s.config += "help_starving_jobs: true\nmax_starve: 00:05:00\n"
	}
	set(6, "sched.opt_backfill_fuzzy=%s", pick("off", "medium", "high"))
	if s.formula != "" {
		set(4, "server.job_sort_formula_threshold=%d", r.IntN(6))
	}
	// A few shapes of jobs, so that some are alike.
	var wants, places []string
	for range 1 + r.IntN(4) {
		wants = append(wants, pick("1:ncpus=1", "1:ncpus=2", "1:ncpus=4", "2:ncpus=2", "3:ncpus=1", "1:ncpus=1:ngpus=1", "1:ncpus=2+2:ncpus=1", "3:ncpus=2"))
	}
	for range 1 + r.IntN(2) {
		places = append(places, pick("free", "free", "free", "scatter", "pack", "excl", "pack:excl", "exclhost"))
	}
	at, walltimes := 0, 1+r.IntN(4)
	for i := range 10 + r.IntN(30) {
		if r.IntN(3) > 0 {
			at += r.IntN(100)
		}
		j := asked{
			id: fmt.Sprint(i), at: at, run: 1 + r.IntN(600), user: pick("ann", "bob", "cid", "dan"), queue: pick("workq", "workq", "q"),
			wants: pick(wants...), place: pick(places...),
		}
		j.group = map[string]string{"ann": "g1", "bob": "g1", "cid": "g2", "dan": "g2"}[j.user]
		if j.walltime = 150 * (1 + r.IntN(walltimes)); j.run > j.walltime {
			j.run = j.walltime - 1
		}
		if r.IntN(12) == 0 {
			j.walltime = max(1, j.run-r.IntN(100)) // one that overruns
		}
		switch r.IntN(6) {
		case 0:
			j.queue = pick("expressq", "otherx")
		case 1:
			s.known[j.id] = work.ListFacts{Priority: int32(r.IntN(3) - 1)}
		}
		if r.IntN(8) == 0 { // an array
			n := 2 + r.IntN(4)
			if r.IntN(2) == 0 {
				s.known[j.id+"[]"] = work.ListFacts{MaxSubjobs: int32(1 + r.IntN(2))}
			}
			parent := j
			parent.id, parent.run = j.id+"[]", 0
			s.jobs = append(s.jobs, parent)
			for k := range n {
				sub := j
				sub.id, sub.run = fmt.Sprintf("%s[%d]", j.id, k), 1+r.IntN(300)
				s.jobs = append(s.jobs, sub)
			}
			continue
		}
		if r.IntN(15) == 0 { // one that is deleted, whether it waits or runs by then
			j.more = []string{fmt.Sprintf("%d D;%s;requestor=x@y", at+r.IntN(900), j.id)}
			j.run = 0
		}
		s.jobs = append(s.jobs, j)
	}
	s.addWorld(seed)
	s.vary(seed)
	return s
}

// vary lets jobs of every sixth scenario shrink to fit, and without preemption those of another sixth ask for chunks of several kinds.
func (s *scenario) vary(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 9))
	for i := range s.jobs {
		switch j := &s.jobs[i]; {
		case seed%6 == 1 && !strings.Contains(s.config, "preemptive_sched"):
			j.wants = []string{j.wants, "2:ncpus=2+1:ncpus=1:ngpus=1", "1:ncpus=2+1:ncpus=1:ngpus=2", "1:ncpus=1+1:ncpus=3"}[r.IntN(4)]
		case seed%6 == 5 && r.IntN(2) == 0:
			if j.least = 1 + r.IntN(j.walltime); r.IntN(2) == 0 {
				j.most = j.walltime + r.IntN(600)
			}
		}
	}
}

// outcome is all that a replay says of its jobs.
func resultOf(tb testing.TB, w *work.Work, plan *order.Plan, nodes *cluster.Cluster, o Options) (string, *outcome.Result) {
	o.Watch, o.KeepVnodes, o.Latency = -1, true, work.Latency{First: 1, More: 1}
	r, err := Run(context.Background(), w, plan, nodes, o)
	if err != nil {
		tb.Fatal(err)
	}
	var b strings.Builder
	for i, j := range w.Jobs {
		fmt.Fprintf(&b, "%s start %.1f end %.1f on %s, before %v, suspended %v\n", j.ID, r.Start[i]-zero, r.End[i]-zero, r.Vnodes(i), r.Earlier[int32(i)], r.Pauses[int32(i)])
	}
	return b.String(), r
}

// mustHold checks what a replay says by itself: nobody starts before coming, runs end when they
// are to, no vnode gives more than it has, no array runs more subjobs than it may.
func mustHold(tb testing.TB, name string, w *work.Work, nodes *cluster.Cluster, r *outcome.Result) {
	tb.Helper()
	type change struct {
		at int64
		by float64
	}
	use := map[string][]change{} // by vnode and resource, or array
	has := map[string]float64{}
	for _, v := range nodes.Vnodes {
		for resource, text := range v.Words {
			amount, _ := strconv.ParseFloat(text, 64)
			has[v.Name+" "+resource] = amount
		}
	}
	for i, j := range w.Jobs {
		start, end := r.Start[i], r.End[i]
		if start == 0 {
			continue
		}
		if start < j.Came && r.Came == nil || r.Came != nil && !(start >= r.Came[i]) {
			tb.Errorf("%s: %s starts at %.1f and comes at %.1f", name, j.ID, start-zero, j.Came-zero)
		}
		type span struct{ from, to int64 }
		from := int64(start)
		var runs []span
		suspended := int64(0)
		for _, p := range r.Pauses[int32(i)] {
			if p.Start >= from && p.End < math.MaxInt64 {
				runs = append(runs, span{from, p.Start})
				suspended += p.End - p.Start
				from = p.End
			}
		}
		if end == 0 {
			continue // suspended in the end
		}
		runs = append(runs, span{from, int64(end)})
		isReserved := strings.HasPrefix(w.Trace.Names.List[j.Queue], "R") // and ends with its reservation
		if end < start {
			tb.Errorf("%s: %s ends at %.1f and starts at %.1f", name, j.ID, end-zero, start-zero)
		}
		rounded := float64(1 + len(runs)) // seconds
		if ran, want := end-start-float64(suspended), float64(j.Runs[len(j.Runs)-1]); j.Deleted == trace.Unknown && !r.Cut[int32(i)] && !isReserved && w.Requests[j.Request].Amounts["min_walltime"] == 0 && math.Abs(ran-want) > rounded {
			tb.Errorf("%s: %s runs for %.1f s instead of %.0f", name, j.ID, ran, want)
		}
		occupy := func(what string, by float64) {
			if isReserved {
				return // it may begin beside jobs that stay
			}
			for _, s := range runs {
				if s.to > s.from+2 { // a second at each end is rounded
					use[what] = append(use[what], change{s.from + 1, by}, change{s.to - 1, -by})
				}
			}
		}
		for vnode, resources := range cluster.Vnodes(r.Vnodes(i)) {
			for resource := range strings.SplitSeq(resources, ":") {
				resource, text, _ := strings.Cut(resource, "=")
				amount, _ := strconv.ParseFloat(strings.TrimSuffix(text, "kb"), 64)
				occupy(vnode+" "+resource, amount)
			}
		}
		if j.Subjobs > 0 {
			array := fmt.Sprint("array ", j.Array)
			has[array] = float64(j.Subjobs)
			occupy(array, 1)
		}
	}
	for what, changes := range use {
		slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
		sum := 0.
		for _, c := range changes {
			if sum += c.by; sum > has[what]+1e-9 {
				tb.Errorf("%s: %s has %v, and %v are used at %d", name, what, has[what], sum, c.at-zero)
				break
			}
		}
	}
}

// Whatever a cycle leaves out since it can make no difference makes none: the same jobs
// start in the same moments and places as where every cycle looks at every job, tries
// each, and plans each anew.
func TestNothingLeftOutMatters(t *testing.T) {
	t.Parallel()
	const parts = 4
	scenarios := uint64(workshop.Part(1500))
	differed := []uint64{689, 775, 2007, 2043, 2552, 5115, 5418, 6547, 8527, 8988, 13707, 15323, 20603} // once
	var mutex sync.Mutex
	seen := map[string]int{}
	t.Cleanup(func() { // after all parts
		for _, name := range []string{"preemption", "strict", "round_robin", "arrays", "hours", "dependencies", "denied", "levels", "requeue"} {
			if uint64(seen[name]) < scenarios/50 {
				t.Errorf("only %d scenarios of %d have %s", seen[name], scenarios, name)
			}
		}
	})
	for part := range uint64(parts) {
		t.Run(fmt.Sprint("part ", part+1), func(t *testing.T) {
			t.Parallel()
			seeds := slices.DeleteFunc(slices.Clone(differed), func(seed uint64) bool { return seed%parts != part })
			for seed := part; seed < scenarios; seed += parts {
				seeds = append(seeds, seed)
			}
			different := 0
			for _, seed := range seeds {
				has, isSame := leavesNothingOut(t, seed)
				mutex.Lock()
				for _, name := range has {
					seen[name]++
				}
				mutex.Unlock()
				if !isSame {
					if different++; different > 3 {
						t.FailNow()
					}
				}
			}
		})
	}
}

// leavesNothingOut holds a scenario's replay to one that leaves nothing out, and returns what
// the scenario has.
func leavesNothingOut(t *testing.T, seed uint64) (has []string, isSame bool) {
	t.Helper()
	s := randomScenario(seed)
	o := Options{World: s.world(t)}
	if seed%4 == 3 {
		o.World.Reservations = s.reserve(seed).Reservations
	}
	w, plan, nodes := s.load(t)
	quick, result := resultOf(t, w, plan, nodes, o)
	name := fmt.Sprintf("seed %d", seed)
	mustHold(t, name, w, nodes, result)
	s.mustKeepHours(t, name, w, plan.Site, result)
	mustDepend(t, name, w, result)
	mustKeepReservations(t, name, o.World, nodes, result)
	o.Plain = true
	plain, _ := resultOf(t, w, plan, nodes, o)
	s.mustBeSame(t, name, quick, plain)
	for name, isThere := range map[string]bool{
		"preemption": result.Preempt.Count() > 0, "strict": plan.Site.Policy().StrictOrdering, "round_robin": plan.Site.Policy().RoundRobin,
		"arrays": slices.ContainsFunc(w.Jobs, func(j *work.Job) bool { return j.Subjobs > 0 }),
		"hours":  o.World.Hours.NextChange(w.First) != world.Never, "dependencies": w.Links() != nil, "denied": len(result.Denied) > 0,
		"levels": result.Preempt.Count() > 0 && len(plan.Site.Sched.PreemptPrio) > 2, "requeue": result.Preempt.Count() > 0 && len(result.Pauses) < result.Preempt.Count(),
	} {
		if isThere {
			has = append(has, name)
		}
	}
	return has, quick == plain
}

// mustBeSame shows the first line in which the outcomes of a scenario differ with the short cuts and
// without them.
func (s scenario) mustBeSame(t *testing.T, name, quick, plain string) {
	t.Helper()
	if quick == plain {
		return
	}
	a, b := strings.Split(quick, "\n"), strings.Split(plain, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Errorf("%s: %s\n     all: %s\n%s%v", name, a[i], b[i], s.config, s.settings)
			return
		}
	}
	t.Errorf("%s: %d lines, %d of all\n%s%v", name, len(a), len(b), s.config, s.settings)
}
