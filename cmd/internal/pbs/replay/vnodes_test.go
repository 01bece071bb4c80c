package replay

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/work"
	"fairshare/cmd/internal/workshop"
)

// randomVnodes returns what happens to the vnodes of a cluster.
func randomVnodes(r *rand.Rand, nodes *cluster.Cluster) []world.VnodeEvent {
	var events []world.VnodeEvent
	for _, v := range nodes.Vnodes {
		for at := r.Int64N(600); at < 3000 && r.IntN(3) > 0; at += r.Int64N(900) {
			away, back := world.Offline, world.Online
			if r.IntN(2) == 0 {
				away, back = world.Down, world.Up
			}
			events = append(events, world.VnodeEvent{At: zero + at, Vnode: v.Name, Kind: away})
			if at += 30 + r.Int64N(600); r.IntN(8) > 0 {
				events = append(events, world.VnodeEvent{At: zero + at, Vnode: v.Name, Kind: back})
			}
			if r.IntN(4) == 0 {
				events = append(events, world.VnodeEvent{At: zero + at + 10, Vnode: v.Name, Kind: world.Resized, Resource: "ncpus", Amount: float64(1 + r.IntN(2))})
			}
		}
	}
	slices.SortStableFunc(events, func(a, b world.VnodeEvent) int { return int(a.At - b.At) })
	return events
}

// mustAvoid checks that nothing starts on a vnode that is away, by the events alone. Of an
// event within two seconds of a start it is not known which came first.
func mustAvoid(tb testing.TB, name string, w *work.Work, events []world.VnodeEvent, r *outcome.Result) {
	tb.Helper()
	for i, j := range w.Jobs {
		if r.Start[i] == 0 || j.WasRunning {
			continue
		}
		at := r.Start[i]
		for part := range strings.SplitSeq(strings.Trim(r.Vnodes(i), "()"), ")+(") {
			vnode, _, _ := strings.Cut(part, ":")
			isOffline, isDown, isNear := false, false, false
			for _, ev := range events {
				if ev.Vnode != vnode || float64(ev.At) > at+2 {
					continue
				}
				isNear = isNear || float64(ev.At) > at-30
				switch ev.Kind {
				case world.Offline:
					isOffline = true
				case world.Online:
					isOffline = false
				case world.Down:
					isDown = true
				case world.Up:
					isDown = false
				}
			}
			if (isOffline || isDown) && !isNear {
				tb.Errorf("%s: %s starts at %.0f on %s, which is away", name, j.ID, at-zero, vnode)
			}
		}
	}
}

// Vnodes that go and come make no difference to what a cycle may leave out, nothing starts
// on one that is away, and what has failed waits again.
func TestVnodesThatGoAndCome(t *testing.T) {
	t.Parallel()
	scenarios := workshop.Part(600)
	again, failing := 0, 0
	for seed := range uint64(scenarios) {
		s := randomScenario(seed)
		w, plan, nodes := s.load(t)
		events := randomVnodes(rand.New(rand.NewPCG(seed, 11)), nodes)
		o := Options{World: &world.World{Vnodes: events}}
		quick, result := resultOf(t, w, plan, nodes, o)
		name := fmt.Sprintf("seed %d", seed)
		mustHold(t, name, w, nodes, result)
		mustAvoid(t, name, w, events, result)
		o.Plain = true
		plain, _ := resultOf(t, w, plan, nodes, o)
		s.mustBeSame(t, name, quick, plain)
		if len(result.Earlier) > 0 {
			again++
		}
		if slices.ContainsFunc(events, func(ev world.VnodeEvent) bool { return ev.Kind == world.Down }) {
			failing++
		}
	}
	if again < scenarios/20 || failing < scenarios/4 {
		t.Errorf("vnodes fail in %d scenarios of %d, and jobs wait again in %d", failing, scenarios, again)
	}
}

// Of the recordings none has a start on a vnode that is away, nor has its replay.
func TestNothingStartsOnVnodesThatAreAway(t *testing.T) {
	for _, name := range []string{"V4", "V4m"} {
		r := openRun(t, name)
		result := r.replay(t)
		mustAvoid(t, name, r.work, r.options.World.Vnodes, result)
		recorded := &outcome.Result{Start: make([]float64, len(r.work.Jobs)), Vnodes: func(i int) string { return r.starts[r.work.Jobs[i].ID].vnodes }}
		for i, j := range r.work.Jobs {
			if s, ok := r.starts[j.ID]; ok {
				recorded.Start[i] = float64(s.at)
			}
		}
		mustAvoid(t, name+" as recorded", r.work, r.options.World.Vnodes, recorded)
	}
}

// Nothing starts on a vnode within any time that a policy takes it away, whatever the record or another such time says of it
// meanwhile; and a vnode is away as the record tells whatever a policy asks for besides.
func TestNothingStartsWithinTimesThatAreAsked(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	for _, name := range []string{"V4", "V4m"} {
		r := openRun(t, name)
		happens := r.options.World
		length := r.work.Last - r.work.First
		for range 4 {
			site, asked := *r.site, *happens
			site.AwayNodes = nil
			spans := map[string][][2]int64{}
			for _, ev := range happens.Vnodes { // each of these vnodes for two times that may overlap
				if ev.Kind == world.Resized || len(spans[ev.Vnode]) == 2 {
					continue
				}
				from := r.work.First + random.Int64N(length)
				to := from + 600 + random.Int64N(length/3)
				spans[ev.Vnode] = append(spans[ev.Vnode], [2]int64{from, to})
				site.AwayNodes = append(site.AwayNodes, pbs.AwayVnodes{Names: ev.Vnode, IsDown: random.IntN(2) == 0, From: strconv.FormatInt(from, 10), To: strconv.FormatInt(to, 10)})
			}
			if err := Change(&asked, &site, r.cluster, time.UTC); err != nil {
				t.Fatal(err)
			}
			r.options.World = &asked
			result := r.replay(t)
			mustAvoid(t, name, r.work, happens.Vnodes, result)
			for i, j := range r.work.Jobs {
				for vnode := range cluster.Vnodes(result.Vnodes(i)) {
					for _, span := range spans[vnode] {
						const latency = 30 // from the cycle that starts a job to its start
						if at := result.Start[i]; !j.WasRunning && at > float64(span[0]+latency) && at < float64(span[1]) {
							t.Errorf("%s: %s starts on %s at %.0f, which is away from %d to %d", name, j.ID, vnode, at, span[0], span[1])
						}
					}
				}
			}
		}
	}
}

// What runs on a vnode that is taken away goes on; one that fails loses it, and it begins
// anew elsewhere.
func TestVnodeEvents(t *testing.T) {
	_, _, nodes := scenario{}.load(t)
	full := asked{id: "1", run: 1000, wants: "1:ncpus=4", walltime: 2000}
	next := asked{id: "2", at: 10, run: 100, wants: "1:ncpus=4"}
	event := func(at int64, vnode string, kind world.VnodeChange) world.VnodeEvent {
		return world.VnodeEvent{At: zero + at, Vnode: vnode, Kind: kind}
	}
	less := event(5, nodes.Vnodes[0].Name, world.Resized)
	less.Resource, less.Amount = "ncpus", 2
	more := event(500, nodes.Vnodes[0].Name, world.Resized)
	more.Resource, more.Amount = "ncpus", 4
	for _, test := range []struct {
		name     string
		jobs     []asked
		events   []world.VnodeEvent
		settings []string
		want     string
	}{
		{"offline", []asked{full, next}, []world.VnodeEvent{event(500, nodes.Vnodes[0].Name, world.Offline), event(1500, nodes.Vnodes[0].Name, world.Online)}, nil, "1 0, 2 1600"},
		{"as it was at first", []asked{next}, []world.VnodeEvent{event(700, nodes.Vnodes[0].Name, world.Online)}, nil, "2 1210"},
		{"it never comes back", []asked{full, next}, []world.VnodeEvent{event(500, nodes.Vnodes[0].Name, world.Offline)}, nil, "1 0"},
		{"it fails", []asked{full, next}, []world.VnodeEvent{event(500, nodes.Vnodes[0].Name, world.Down), event(600, nodes.Vnodes[0].Name, world.Up)}, nil, "1 810, 2 1810"},
		{"later", []asked{full, next}, []world.VnodeEvent{event(500, nodes.Vnodes[0].Name, world.Down), event(600, nodes.Vnodes[0].Name, world.Up)}, []string{"server.node_fail_requeue=400"}, "1 900, 2 1900"},
		{"and nothing is put back", []asked{full, next}, []world.VnodeEvent{event(500, nodes.Vnodes[0].Name, world.Down), event(600, nodes.Vnodes[0].Name, world.Up)}, []string{"server.node_fail_requeue=0"}, "1 0, 2 1000"},
		{"less of it", []asked{{id: "2", at: 10, run: 100, wants: "1:ncpus=4"}}, []world.VnodeEvent{less, more}, nil, "2 610"},
	} {
		s := scenario{jobs: test.jobs, settings: test.settings}
		got := s.starts(t, Options{World: &world.World{Vnodes: test.events}})
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
