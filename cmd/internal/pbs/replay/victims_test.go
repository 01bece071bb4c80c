package replay

import (
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/workshop"
)

// checkVictims checks a choice of victims by what must hold of any: each is of a lower level
// and may be preempted, the job starts once they are gone, and gets a vnode of each.
func checkVictims(tb testing.TB, name string, a *attempt, c *candidate, victims []int32) {
	tb.Helper()
	classOf := func(job int32) int32 { // from the attributes, with the counts of what runs
		var status cycle.Status
		j, t := a.work.Jobs[job], a.terms[job]
		if soft := a.preemption.soft; soft != nil {
			for _, l := range soft.list {
				names := map[byte]int32{'u': j.User, 'g': j.Group, 'p': j.Project}
				of, isNamed := names[l.Kind]
				isOwn := isNamed && l.Name == a.work.Trace.Names.List[of]
				hasOwn := slices.ContainsFunc(soft.list, func(m pbs.Limit) bool {
					return m.Kind == l.Kind && m.Queue == l.Queue && m.Resource == l.Resource && isNamed && m.Name == a.work.Trace.Names.List[of]
				})
				if l.Queue != "" && l.Queue != a.queues[t.queue].Name || isNamed && !isOwn && (l.Name != pbs.GenericLimit || hasOwn) {
					continue
				}
				need := func(job int32) float64 {
					if l.Resource == "" {
						return 1
					}
					return a.work.Requests[a.terms[job].request].Amounts[l.Resource]
				}
				used := 0.
				for _, other := range a.running {
					o := a.work.Jobs[other]
					isSame := !isNamed || map[byte]int32{'u': o.User, 'g': o.Group, 'p': o.Project}[l.Kind] == of
					if isSame && (l.Queue == "" || a.queues[a.terms[other].queue].Name == l.Queue) {
						used += need(other)
					}
				}
				if need(job) > 0 && used > l.Most {
					status |= map[bool]cycle.Status{true: cycle.OverServerLimit, false: cycle.OverQueueLimit}[l.Queue == ""]
				}
			}
		}
		status |= a.preemption.statusOf(job) & (cycle.OverShare | cycle.Starving)
		return a.preemption.Class(status, a.queues[t.queue].Priority)
	}
	own := classOf(c.job)
	free := a.cluster.NewState()
	for _, job := range a.running {
		if !slices.Contains(victims, job) {
			free.Occupy(a.jobs[job].place)
		}
	}
	if _, fits := free.Place(c.group.class.request, nil); !fits {
		tb.Errorf("%s: %s does not fit with its victims gone", name, a.work.Jobs[c.job].ID)
	}
	// Where it starts depends on the order that the cycle has vnodes in, which the state alone knows.
	for _, job := range victims {
		a.state.Release(a.jobs[job].place)
	}
	place, fits := a.state.Place(c.group.class.request, nil)
	for _, job := range slices.Backward(victims) {
		a.state.Occupy(a.jobs[job].place)
	}
	isLimited := slices.ContainsFunc(c.group.class.checks, check.reached)
	for _, job := range victims {
		p := &a.jobs[job]
		if level := classOf(job); level <= own {
			tb.Errorf("%s: %s of level %d goes for %s of %d", name, a.work.Jobs[job].ID, -level, a.work.Jobs[c.job].ID, -own)
		}
		if a.preemption.methodFor(job) == 0 {
			tb.Errorf("%s: %s goes, and cannot", name, a.work.Jobs[job].ID)
		}
		// Without limits, it is one whose vnode is taken.
		shares := slices.ContainsFunc(place.Parts, func(x cluster.Part) bool {
			return slices.ContainsFunc(p.place.Parts, func(y cluster.Part) bool { return x.Vnode == y.Vnode })
		})
		if !isLimited && fits && !shares && a.calendar.isEmpty() {
			tb.Errorf("%s: %s goes for %s, which needs none of its vnodes", name, a.work.Jobs[job].ID, a.work.Jobs[c.job].ID)
		}
	}
}

// What an independent look says of victims holds of all that a replay chooses.
func TestVictims(t *testing.T) {
	t.Parallel()
	preemptions := 0
	for seed := range uint64(workshop.Part(2000)) {
		s := randomScenario(seed)
		if !strings.Contains(s.config, "preemptive_sched: true") {
			continue
		}
		w, plan, nodes := s.load(t)
		resultOf(t, w, plan, nodes, Options{onPreempt: func(a *attempt, c *candidate, victims []int32) {
			preemptions++
			checkVictims(t, s.config+strings.Join(s.settings, " "), a, c, victims)
		}})
		if t.Failed() {
			return
		}
	}
	if preemptions < workshop.Part(1000) {
		t.Errorf("only %d preemptions", preemptions)
	}
}
