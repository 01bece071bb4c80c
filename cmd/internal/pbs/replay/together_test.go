package replay

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
	"fairshare/cmd/internal/workshop"
)

// runningSpan is a time in which a job runs.
type runningSpan struct{ from, to int64 }

// runsOf returns when a job runs in a replay, its earlier runs as well, without the times in
// which it is suspended.
func runsOf(r *outcome.Result, job int) (all []runningSpan) {
	for _, run := range r.Earlier[int32(job)] {
		all = append(all, runningSpan{run.Start, run.End})
	}
	if r.WaitsAgain(job) || r.Start[job] == 0 {
		return all
	}
	from, to := int64(r.Start[job]), int64(math.MaxInt64)
	if r.End[job] > 0 {
		to = int64(r.End[job])
	}
	runs := []runningSpan{{from, to}}
	for _, p := range r.Pauses[int32(job)] {
		var cut []runningSpan
		for _, s := range append(all, runs...) {
			for _, part := range []runningSpan{{s.from, min(s.to, p.Start)}, {max(s.from, p.End), s.to}} {
				if part.from < part.to {
					cut = append(cut, part)
				}
			}
		}
		all, runs = nil, cut
	}
	return append(all, runs...)
}

// mustLimit checks the limits that a random scenario may have: at no moment does more run than
// any of them allows.
func (s scenario) mustLimit(tb testing.TB, name string, w *work.Work, r *outcome.Result) (limits int) {
	tb.Helper()
	type change struct {
		at int64
		by float64
	}
	for _, setting := range s.settings {
		attribute, value, _ := strings.Cut(setting, "=")
		where, attribute, _ := strings.Cut(attribute, ".max_run")
		if attribute != "" && attribute != "_res.ncpus" || !strings.Contains(setting, ".max_run") {
			continue // another setting, or a soft limit
		}
		queue, isOfQueue := strings.CutPrefix(where, "queue.")
		for part := range strings.SplitSeq(value, ",") {
			var kind byte
			var most float64
			of, number, _ := strings.Cut(strings.Trim(part, "[]"), "=")
			if _, err := fmt.Sscan(number, &most); err != nil {
				tb.Fatal(setting, err)
			}
			kind, of = of[0], of[2:]
			limits++
			changes := map[string][]change{}
			for i, j := range w.Jobs {
				names := map[byte]string{'u': w.Trace.Names.List[j.User], 'g': w.Trace.Names.List[j.Group], 'o': "PBS_ALL"}
				counts := names[kind]
				if isOfQueue && w.Trace.Names.List[j.Queue] != queue || of != counts && of != "PBS_GENERIC" {
					continue
				}
				by := 1.
				if attribute != "" {
					by = w.Requests[j.Request].Amounts["ncpus"]
				}
				for _, run := range runsOf(r, i) {
					if run.to > run.from+2 { // a second at each end is rounded
						changes[counts] = append(changes[counts], change{run.from + 1, by}, change{run.to - 1, -by})
					}
				}
			}
			for who, list := range changes {
				slices.SortFunc(list, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
				sum := 0.
				for _, c := range list {
					if sum += c.by; sum > most {
						tb.Errorf("%s: %s: %s has %v at %d", name, setting, who, sum, c.at-zero)
						break
					}
				}
			}
		}
	}
	return limits
}

// mustWait checks that what failed is put back: no job runs on beyond the time at which its vnode
// gives it up.
func mustWait(tb testing.TB, name string, w *work.Work, events []world.VnodeEvent, r *outcome.Result) {
	tb.Helper()
	for i, j := range w.Jobs {
		if r.WaitsAgain(i) {
			continue
		}
		first, _, _ := strings.Cut(strings.TrimLeft(r.Vnodes(i), "("), ":")
		isDown := false
		for _, ev := range events {
			if ev.Vnode != first || ev.Kind != world.Down && ev.Kind != world.Up {
				continue
			}
			wasDown := isDown
			isDown = ev.Kind == world.Down
			const late = 2 // seconds by which a start is logged later than its cycle
			isOn := r.Start[i] > 0 && r.Start[i]+late < float64(ev.At) && (r.End[i] == 0 || r.End[i] > float64(ev.At)+defaultRequeue+late)
			for _, p := range r.Pauses[int32(i)] {
				isOn = isOn && (p.Start > ev.At+defaultRequeue || p.End < ev.At)
			}
			if isDown && !wasDown && isOn && r.Until > float64(ev.At)+2*defaultRequeue && j.Deleted == trace.Unknown {
				tb.Errorf("%s: %s runs from %.0f to %.0f on %s, which fails at %d", name, j.ID, r.Start[i]-zero, r.End[i]-zero, first, ev.At-zero)
			}
		}
	}
}

// mustAdd returns a cluster with some nodes of cpus more, and one like its first vnode, and checks
// that it has these and those that it had, so that what is checked of it is right.
func mustAdd(tb testing.TB, nodes *cluster.Cluster, count, cpus int) *cluster.Cluster {
	tb.Helper()
	want := map[string]float64{}
	at := slices.Index(nodes.Consumables, "ncpus")
	for _, v := range nodes.Vnodes {
		want[v.Name] = v.Amounts[at]
	}
	for i := range count {
		want[fmt.Sprintf("added-n%d", i+1)] = float64(cpus)
	}
	first := nodes.Vnodes[0]
	want[fmt.Sprintf("added-n%d", count+1)] = first.Amounts[at]
	more, err := nodes.With(fmt.Sprintf("%dx%d+1x%s", count, cpus, first.Name))
	if err != nil {
		tb.Fatal(err)
	}
	got := map[string]float64{}
	for _, v := range more.Vnodes {
		got[v.Name] = v.Amounts[slices.Index(more.Consumables, "ncpus")]
	}
	if !maps.Equal(got, want) {
		tb.Fatalf("%v, want %v", got, want)
	}
	return more
}

// Where all happens at once, vnodes that are added, that fail or are fewer for a time, reservations, calendar
// time, dependencies, limits and preemption, each of their rules still holds, and what a cycle
// leaves out makes no difference.
func TestAllTogether(t *testing.T) {
	t.Parallel()
	scenarios := workshop.Part(200)
	seen := map[string]int{}
	for seed := range uint64(scenarios) {
		s := randomScenario(seed + 5000)
		o := Options{World: s.world(t)}
		if seed%2 == 0 {
			o.World.Reservations = s.reserve(seed).Reservations
		}
		w, plan, nodes := s.load(t)
		r := rand.New(rand.NewPCG(seed, 13))
		if seed%3 == 0 {
			nodes = mustAdd(t, nodes, 1+r.IntN(3), 1+r.IntN(8))
		}
		o.World.Vnodes = randomVnodes(r, nodes)
		if seed%4 == 1 { // less than there is, to the end
			o.World.Vnodes = append(o.World.Vnodes, LastingAway([]string{nodes.Vnodes[0].Name}, zero+r.Int64N(1000)).Vnodes...)
			slices.SortStableFunc(o.World.Vnodes, func(a, b world.VnodeEvent) int { return cmp.Compare(a.At, b.At) })
		}
		name := fmt.Sprintf("seed %d", seed)
		quick, result := resultOf(t, w, plan, nodes, o)
		mustHold(t, name, w, nodes, result)
		mustAvoid(t, name, w, o.World.Vnodes, result)
		mustWait(t, name, w, o.World.Vnodes, result)
		s.mustKeepHours(t, name, w, plan.Site, result)
		mustDepend(t, name, w, result)
		if s.mustLimit(t, name, w, result) > 0 {
			seen["limits"]++
		}
		o.Plain = true
		plain, _ := resultOf(t, w, plan, nodes, o)
		s.mustBeSame(t, name, quick, plain)
		dedicated, _ := o.World.Hours.Dedicated(w.First)
		for what, isThere := range map[string]bool{
			"suspended": len(result.Pauses) > 0, "again": len(result.Earlier) > 0, "reservations": len(o.World.Reservations) > 0,
			"added nodes": strings.Contains(quick, "(added-n"), "hours": o.World.Hours.Changes() || dedicated != world.Span{}, "dependencies": w.Links() != nil,
		} {
			if isThere {
				seen[what]++
			}
		}
	}
	for _, what := range []string{"limits", "suspended", "again", "reservations", "added nodes", "hours", "dependencies"} {
		if seen[what] < scenarios/20 {
			t.Errorf("only %d scenarios of %d have %s", seen[what], scenarios, what)
		}
	}
}
