package replay

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// addRare gives a scenario kinds of vnodes, settings and requests that few sites have: vnodes of a queue, with limits or of
// colours that are placement sets, orders of vnodes that change with what runs, resources that suspended jobs keep.
func (s *scenario) addRare(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 23))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	is := func(odds int) bool { return r.IntN(odds) == 0 }
	const after = "     Mom = h\n"
	vnodes := strings.Split(s.nodes, after)
	hasLimits, hasColours, areOwned, haveOrder, areSingle := is(4), is(3), is(4), is(3), is(5)
	for i := range vnodes[1:] {
		add := func(is bool, format string, of ...any) {
			if is {
				vnodes[i+1] = fmt.Sprintf("     "+format+"\n", of...) + vnodes[i+1]
			}
		}
		add(hasLimits && is(2), "%s = %d", pick("max_running", "max_user_run", "max_group_run"), 1+r.IntN(2))
		add(hasColours && !is(4), "resources_available.colour = %s", pick("red", "blue", "red,green"))
		add(areOwned && is(3), "queue = %s", pick("q", "workq", "expressq"))
		add(haveOrder, "Priority = %d", r.IntN(3))
		add(areSingle && is(2), "no_multinode_jobs = True")
	}
	s.nodes = strings.Join(vnodes, after)
	set := func(odds int, setting string, of ...any) {
		if is(odds) {
			s.settings = append(s.settings, fmt.Sprintf(setting, of...))
		}
	}
	if hasColours {
		set(1, "server.node_group_enable=True")
		set(2, "server.node_group_key=colour")
		set(3, "queue.q.node_group_key=%s", pick("colour", "host"))
		set(3, "sched.do_not_span_psets=True")
		set(3, "sched.only_explicit_psets=True")
	}
	if is(4) {
		s.config += pick("node_sort_key: \"ncpus HIGH unused\"\n", "node_sort_key: \"ncpus LOW assigned\"\n", "node_sort_key: \"sort_priority HIGH\"\nnode_sort_key: \"ncpus LOW unused\"\n", "node_sort_key: \"sort_priority HIGH\"\n")
	}
	if is(5) {
		s.config += "smp_cluster_dist: round_robin\n"
	}
	set(4, "sched.sched_preempt_enforce_resumption=True")
	set(5, "server.restrict_res_to_release_on_suspend=%s", pick("ncpus", "ngpus", "ncpus,ngpus"))
	set(5, "queue.q.default_chunk.ngpus=1")
	set(6, "server.resources_available.ngpus=%d", 1+r.IntN(3))
	haveSoft, haveTargets, notPlanned, areKept := is(3), is(4), is(3), is(4)
	for i := range s.jobs {
		j := &s.jobs[i]
		if strings.Contains(j.id, "[") {
			continue
		}
		if hasColours && is(5) && (j.place == "free" || j.place == "scatter" || j.place == "excl") {
			j.place += ":group=colour"
		}
		if haveSoft && is(3) {
			j.soft = 1 + r.IntN(j.walltime)
		}
		if haveTargets && (j.queue == "expressq" || j.queue == "otherx") && is(2) {
			j.targets = pick("queue=workq", "queue=q", "NONE", "Resource_List.ngpus=1")
		}
		of := s.known[j.id]
		of.NotPlanned, of.IsKept = notPlanned && is(3), areKept && is(3)
		s.known[j.id] = of
	}
}

// Scenarios in which a short cut has made a difference once: a vnode took no part of jobs on several hosts, and a job that
// could not start, or preempt others, could once another one had taken its place.
func TestRareSeeds(t *testing.T) {
	for _, seed := range []uint64{44905, 74987} {
		s := randomScenario(seed + 20_000)
		s.addRare(seed)
		o := Options{World: s.world(t)}
		w, plan, nodes := s.load(t)
		quick, _ := resultOf(t, w, plan, nodes, o)
		o.Plain = true
		plain, _ := resultOf(t, w, plan, nodes, o)
		s.mustBeSame(t, fmt.Sprintf("seed %d", seed), quick, plain)
	}
}
