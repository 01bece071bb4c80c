package replay

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/work"
	"fairshare/cmd/internal/workshop"
)

// Candidates that are handed out in parts, by the values of their entities, start as they do where all are looked at.
func TestPartsMakeNoDifference(t *testing.T) {
	t.Parallel()
	scenarios := uint64(workshop.Part(1500))
	parts, further, different := 0, 0, 0
	for seed := range scenarios {
		r := rand.New(rand.NewPCG(seed, 17))
		s := randomScenario(seed + 20_000)
		s.formula = []string{
			"pow(2, -(fairshare_tree_usage/fairshare_perc))", "fairshare_factor*10 - ncpus", "1000*fairshare_perc - ncpus*fairshare_tree_usage", "job_priority + fairshare_factor", "fairshare_perc",
			"queue_priority + fairshare_factor", "1/fairshare_perc",
		}[r.IntN(7)]
		if r.IntN(3) > 0 && !strings.Contains(s.config, "fair_share") {
			s.config += "fair_share: true\nfairshare_usage_res: ncpus*walltime\nfairshare_decay_time: 00:20:00\n"
		}
		if r.IntN(2) == 0 { // more of those that hand out parts
			s.config = strings.NewReplacer("by_queue: true\n", "", "round_robin: true\n", "", "preemptive_sched: true\n", "").Replace(s.config)
			s.holidays, s.dedicated = "", ""
		}
		s.settings = slices.DeleteFunc(s.settings, func(setting string) bool { return strings.Contains(setting, "threshold") && r.IntN(4) > 0 })
		if seed%2 == 1 {
			s.addRare(seed)
		}
		o := Options{World: s.world(t), firstPart: 1 + r.IntN(3), onPart: func(isFirst bool) {
			if parts++; !isFirst {
				further++
			}
		}}
		if seed%8 == 3 {
			o.World.Reservations = s.reserve(seed).Reservations
		}
		w, plan, nodes := s.load(t)
		quick, one := resultOf(t, w, plan, nodes, o)
		o.firstPart, o.onPart = 0, nil
		usual, _ := resultOf(t, w, plan, nodes, o)
		o.eachClass, o.eachValue = true, true
		each, _ := resultOf(t, w, plan, nodes, o)
		o.firstPart, o.eachClass, o.eachValue = -1, false, false
		whole, all := resultOf(t, w, plan, nodes, o)
		o.Plain = true
		plain, _ := resultOf(t, w, plan, nodes, o)
		name := fmt.Sprintf("seed %d, %s", seed, s.formula)
		s.mustBeSame(t, name, quick, plain)
		s.mustBeSame(t, name+", usual parts", usual, plain)
		s.mustBeSame(t, name+", with a look at each class", each, plain)
		s.mustBeSame(t, name+", without parts", whole, plain)
		if one.Cycles != all.Cycles || one.Until != all.Until || !maps.Equal(one.Errors, all.Errors) {
			t.Errorf("%s: %d cycles until %v with errors %v, %d until %v with %v without parts", name, one.Cycles, one.Until, one.Errors, all.Cycles, all.Until, all.Errors)
		}
		if t.Failed() {
			if different++; different > 3 {
				return
			}
		}
	}
	if parts < int(scenarios)*5 || further < int(scenarios) {
		t.Errorf("only %d parts, %d of them further ones", parts, further)
	}
}

// So do those of deep queues, of many entities, sizes and lengths.
func TestPartsOfDeepQueues(t *testing.T) {
	t.Parallel()
	nodes, err := cluster.ParseSpec("10x64", cluster.Checks{})
	if err != nil {
		t.Fatal(err)
	}
	queue := load{jobs: 900, cpus: 640, days: 4, full: 2, atOnce: 600}
	if !workshop.TestsAll() {
		queue = load{jobs: 300, cpus: 640, days: 1.3, full: 2, atOnce: 200}
	}
	works := map[bool]*work.Work{false: work.New(queue.trace(t), nil)}
	queue.express = queue.jobs / 30
	works[true] = work.New(queue.trace(t), nil)
	for _, settings := range [][]string{
		nil, {"server.max_run=[u:PBS_GENERIC=4]"}, {"sched.strict_ordering=true", "server.backfill_depth=10"}, {"sched.strict_ordering=true", "server.backfill_depth=2", "queue.0.backfill_depth=1"},
		{"sched.strict_ordering=true", "server.backfill_depth=0"}, {"sched.strict_ordering=true", "server.backfill_depth=3", "server.max_run=[u:PBS_GENERIC=4]"},
		{"sched.preemptive_sched=true"}, {"sched.preemptive_sched=true", "sched.strict_ordering=true", "server.backfill_depth=3", "sched.preempt_order=R"},
		{"sched.preemptive_sched=true", "server.backfill_depth=3", "sched.sched_preempt_enforce_resumption=true"},
	} {
		preempts := slices.Contains(settings, "sched.preemptive_sched=true")
		w := works[preempts]
		site := fairSite(t, "pow(2, -(fairshare_tree_usage/fairshare_perc))")
		site.Queues = []pbs.Queue{{Name: "0"}, {Name: "1", Priority: 10}, {Name: "2"}, {Name: fmt.Sprint(expressQueue), Priority: 200}}
		if site, err = site.WithReplayed(settings); err != nil {
			t.Fatal(err)
		}
		plan := planOf(t, site)
		plain, _ := resultOf(t, w, plan, nodes, Options{Plain: true})
		for _, o := range []Options{{firstPart: 1}, {}, {eachClass: true}, {eachValue: true}} {
			quick, result := resultOf(t, w, plan, nodes, o)
			scenario{settings: settings}.mustBeSame(t, fmt.Sprintf("first part %d, each class %v", o.firstPart, o.eachClass), quick, plain)
			if (result.Preempt.Count() > 0) != preempts {
				t.Errorf("%v: %d jobs were preempted", settings, result.Preempt.Count())
			}
		}
	}
}
