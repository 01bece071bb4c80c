package replay

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/work"
)

// Runs with reservations: the bounds are one and a half times what another recording of the
// same is off, and for the mean wait a tenth.
func TestRecordedReservations(t *testing.T) {
	for _, test := range []struct {
		name           string
		mean, inverted float64 // at most, in seconds and percent
	}{
		{"V1", 914, 3.2},
		{"V6", 2414, 8.1},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := openRun(t, test.name)
			result := r.replay(t)
			trust := result.TrustUntil(outcome.EndOf(result.Work))
			observed, replayed := r.waits(result)
			mustKeepReservations(t, test.name, r.options.World, r.cluster, result)
			t.Logf("%d jobs, mean shift %.1f s, inverted %.2f %%, equal %d, waits %.0f and %.0f s, fork %.2f", trust.Jobs, trust.Mean, 100*trust.Inverted, trust.Equal, observed, replayed, fork(r.starts, r.startsOf(result), 60))
			if trust.Mean > test.mean || 100*trust.Inverted > test.inverted || math.Abs(replayed-observed) > observed/10 {
				t.Errorf("mean shift %.1f s, inverted %.2f %%, waits %.0f and %.0f s", trust.Mean, 100*trust.Inverted, observed, replayed)
			}
		})
	}
}

// reserve makes reservations for a scenario, with jobs in their queues.
func (s *scenario) reserve(seed uint64) *world.World {
	r := rand.New(rand.NewPCG(seed, 11))
	var cpus []int // of vnodes
	for part := range strings.SplitSeq(s.nodes, "available.ncpus = ") {
		var n int
		if _, err := fmt.Sscan(part, &n); err == nil {
			cpus = append(cpus, n)
		}
	}
	taken := make([]int64, len(cpus)) // until when each is, since no vnode is in two reservations at a time
	w := &world.World{}
	for n := range 1 + r.IntN(4) {
		of := &world.Reservation{ID: fmt.Sprintf("R%d.x", n), Queue: fmt.Sprint("R", n), IsMaintenance: r.IntN(4) == 0}
		from := zero + int64(r.IntN(1500))
		of.Asked = from - 1
		start := from + int64(r.IntN(1200))
		for range 1 + r.IntN(3) {
			h := world.Hold{From: from, Start: start, End: start + int64(60+r.IntN(900)), Place: []string{"free", "free", "scatter", "excl"}[r.IntN(4)]}
			for v, all := range cpus {
				if taken[v] < h.Start && r.IntN(2) == 0 {
					part := 1 + r.IntN(2)
					if of.IsMaintenance {
						part, h.Place = all, "exclhost"
					}
					taken[v] = h.End + 100
					h.Nodes += fmt.Sprintf("+(v%d:ncpus=%d)", v, part)
				}
			}
			if start = h.End + int64(r.IntN(600)); h.Nodes == "" {
				continue
			}
			h.Nodes = h.Nodes[1:]
			if r.IntN(4) == 0 && h.Start > h.From+10 { // it is moved
				h.Until = h.From + 1 + r.Int64N(h.Start-h.From-1)
				of.Holds = append(of.Holds, h)
				h.From, h.Until, h.Start = h.Until, 0, h.Start+int64(r.IntN(60))
				h.Nodes, _, _ = strings.Cut(h.Nodes, "+") // to less
			}
			of.Holds = append(of.Holds, h)
		}
		if len(of.Holds) == 0 {
			continue
		}
		last := &of.Holds[len(of.Holds)-1]
		of.Ended = last.End
		if r.IntN(3) == 0 {
			of.Ended = last.From + 1 + r.Int64N(last.End-last.From-1)
			for i := range of.Holds {
				if h := &of.Holds[i]; h.Until == 0 || h.Until > of.Ended {
					h.Until = of.Ended
				}
			}
		}
		w.Reservations = append(w.Reservations, of)
		jobs := r.IntN(5)
		if of.IsMaintenance {
			jobs = 0
		}
		for k := range jobs {
			s.jobs = append(s.jobs, asked{
				id: fmt.Sprint(1000*(n+1) + k), at: r.IntN(2000), run: 1 + r.IntN(600), walltime: 600, user: "ann", group: "g1", queue: of.Queue,
				wants: []string{"1:ncpus=1", "1:ncpus=2", "2:ncpus=1"}[r.IntN(3)], place: []string{"free", "free", "excl"}[r.IntN(3)],
			})
		}
	}
	return w
}

// amountsOf returns the cpus that a list of vnodes has of each.
func amountsOf(list string) map[string]float64 {
	cpus := map[string]float64{}
	for part := range strings.SplitSeq(list, "+") {
		vnode, resources, _ := strings.Cut(strings.Trim(part, "()"), ":")
		for resource := range strings.SplitSeq(resources, ":") {
			if text, ok := strings.CutPrefix(resource, "ncpus="); ok {
				n, _ := strconv.ParseFloat(text, 64)
				cpus[vnode] += n
			}
		}
	}
	return cpus
}

// mustKeepReservations checks that no job of another queue that starts after a reservation is
// known may, by its walltime, use what that has, and that no job of its queue runs elsewhere, at
// another time or on more. It knows nothing of how a replay comes to its starts.
func mustKeepReservations(tb testing.TB, name string, w *world.World, nodes *cluster.Cluster, r *outcome.Result) {
	tb.Helper()
	if w == nil {
		return
	}
	has, sharing := map[string]float64{}, map[string]string{}
	for _, v := range nodes.Vnodes {
		sharing[v.Name] = v.Sharing
		has[v.Name], _ = strconv.ParseFloat(v.Words["ncpus"], 64)
	}
	for _, of := range w.Reservations {
		for i, j := range r.Work.Jobs {
			if r.Start[i] == 0 || r.Work.Trace.Names.List[j.Queue] != of.Queue {
				continue
			}
			if !isWithin(of, r, i) {
				tb.Errorf("%s: %s runs from %.1f to %.1f on %s, outside of %s: %v", name, j.ID, r.Start[i]-zero, r.End[i]-zero, r.Vnodes(i), of.ID, of.Holds)
			}
		}
		for _, h := range of.Holds {
			start, end := float64(max(h.Start, h.From)), float64(h.End)
			if h.Until != 0 {
				end = min(end, float64(h.Until))
			}
			if start >= end {
				continue // it never came
			}
			reserved := amountsOf(h.Nodes)
			// What jobs that start when it is known use within it, at most one moment after another.
			for vnode := range reserved {
				for at := start; at < end; at += max(1, (end-start)/50) {
					used := use(r, of, vnode, at, float64(h.From), start)
					isExclusive := strings.HasPrefix(h.Place, "excl") && sharing[vnode] != "ignore_excl"
					if inside := inside(r, of, vnode, at); inside > reserved[vnode] {
						tb.Errorf("%s: at %.0f jobs of %s use %v of %s, of which it has %v", name, at-zero, of.ID, inside, vnode, reserved[vnode])
					}
					if used > 0 && (isExclusive || used+reserved[vnode] > has[vnode]) {
						tb.Errorf("%s: at %.0f others use %v of %s, of which %s has %v (%v)", name, at-zero, used, vnode, of.ID, reserved[vnode], h)
						break
					}
				}
			}
		}
	}
}

// isWithin reports whether a job runs within an occurrence of its reservation.
func isWithin(of *world.Reservation, r *outcome.Result, job int) bool {
	for _, h := range of.Holds {
		end := float64(h.End)
		if h.Until != 0 {
			end = min(end, float64(h.Until))
		}
		const late = 15 // seconds that a start takes
		isIn := r.Start[job] >= float64(max(h.Start, h.From)) && r.Start[job] < end+late && r.End[job] <= end+late
		reserved := amountsOf(h.Nodes)
		for vnode, cpus := range amountsOf(r.Vnodes(job)) {
			isIn = isIn && cpus <= reserved[vnode]
		}
		if isIn {
			return true
		}
	}
	return false
}

// inside returns the cpus of a vnode that jobs of a reservation use at a time.
func inside(r *outcome.Result, of *world.Reservation, vnode string, at float64) float64 {
	sum := 0.
	for i, j := range r.Work.Jobs {
		if r.Work.Trace.Names.List[j.Queue] == of.Queue && r.Start[i] != 0 && r.Start[i] <= at && at < r.End[i] && len(r.Earlier[int32(i)]) == 0 {
			sum += amountsOf(r.Vnodes(i))[vnode]
		}
	}
	return sum
}

// use returns the cpus of a vnode that jobs of no reservation use at a time and, for some of
// them, since a reservation is known: those that have started since then, and keep to their
// walltimes.
func use(r *outcome.Result, of *world.Reservation, vnode string, at, known, begun float64) float64 {
	sum := 0.
	for i, j := range r.Work.Jobs {
		queue := r.Work.Trace.Names.List[j.Queue]
		isReserved := len(queue) > 1 && strings.ContainsRune("RSM", rune(queue[0])) && queue[1] >= '0' && queue[1] <= '9'
		const late = 15 // seconds that a start takes, for which a cycle may not know of it
		overruns := j.Walltime >= 0 && j.Runs[len(j.Runs)-1] > j.Walltime
		if isReserved || overruns || r.Start[i] == 0 || len(r.Earlier[int32(i)]) > 0 {
			continue
		}
		start, isPaused := r.Start[i], false
		for _, p := range r.Pauses[int32(i)] {
			if float64(p.Start) <= at {
				isPaused = at < float64(p.End)
				start = max(start, float64(p.End))
			}
		}
		if isPaused || start <= known+late {
			continue
		}
		if r.Start[i] <= at && at < r.End[i]-late {
			sum += amountsOf(r.Vnodes(i))[vnode]
		}
	}
	return sum
}

func TestReservationsExplained(t *testing.T) {
	hold := world.Hold{From: zero + 10, Start: zero + 2000, End: zero + 4000, Nodes: "(v0:ncpus=2)", Place: "free"}
	all := &world.World{Reservations: []*world.Reservation{{ID: "R1.x", Queue: "R1", Asked: zero + 5, Ended: zero + 4000, Holds: []world.Hold{hold}}}}
	nodes := "v0\n     Mom = h\n     resources_available.host = v0\n     resources_available.ncpus = 2\n     state = free\n"
	for _, test := range []struct {
		name   string
		job    asked
		reason string
		start  float64 // after zero
	}{
		{"too long", asked{id: "1", at: 100, run: 60, wants: "1:ncpus=2", walltime: 1901}, "reservation R1 from 07:33", 4000},
		{"over in time", asked{id: "1", at: 100, run: 60, wants: "1:ncpus=2", walltime: 1800}, "", 100},
		{"its own", asked{id: "1", at: 100, run: 60, queue: "R1", walltime: 60}, notBegun, 2000},
		{"killed", asked{id: "1", at: 1999, run: 3000, queue: "R1", walltime: 3600}, notBegun, 2000},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := scenario{nodes: nodes, jobs: []asked{test.job, {id: "2", at: 90, run: 5, wants: "1:ncpus=1", walltime: 5}}}
			w, plan, c := s.load(t)
			watch := int32(slices.IndexFunc(w.Jobs, func(j *work.Job) bool { return j.ID == "1" }))
			r, err := Run(context.Background(), w, plan, c, Options{World: all, Ask: outcome.Ask{Watch: watch}})
			if err != nil {
				t.Fatal(err)
			}
			reason := ""
			if len(r.Steps) > 0 {
				reason = r.Steps[0].Reason
			}
			if start := r.Start[watch] - zero; reason != test.reason || start < test.start || start > test.start+600 {
				t.Errorf("starts at %v, for %q", start, reason)
			}
			if end := r.End[watch] - zero; test.job.queue != "" && end > 4000 {
				t.Errorf("ends at %v", end)
			}
		})
	}
}
