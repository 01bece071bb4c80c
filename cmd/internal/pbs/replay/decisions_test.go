package replay

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairshare/cmd/internal/pbs/order"
)

// decided is a recorded cycle: when it began, what made it, and the jobs that it started, in their
// order.
type decided struct {
	at      float64
	trigger string // queued, end, both, or others
	started []string
	lasts   float64 // in seconds, 0 if it is not known
}

// readDecided reads the cycles of a recording: those of the default scheduler, or of another one, which name ends with.
func readDecided(tb testing.TB, name string) []decided {
	name, scheduler, isFurther := strings.Cut(name, " ")
	file := name + "/cycles.csv.gz"
	if isFurther {
		file = name + "/cycles_" + scheduler + ".csv.gz"
	}
	rows, err := csv.NewReader(unpack(tb, file)).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	var cycles []decided
	for _, row := range rows[1:] {
		at, err := strconv.ParseFloat(row[0], 64)
		if err != nil {
			tb.Fatal(err)
		}
		c := decided{at: at, trigger: row[1], started: strings.Fields(row[2])}
		if len(row) > 3 {
			if c.lasts, err = strconv.ParseFloat(row[3], 64); err != nil {
				tb.Fatal(err)
			}
		}
		cycles = append(cycles, c)
	}
	return cycles
}

// sees reports whether a cycle knows of an arrival or an end that was logged in a second. What
// comes while it reads the queue may be known to it, and is if that is what made it.
func (c decided) sees(second float64, event string) bool {
	const reads = .3 // seconds
	return second+1 <= c.at || second <= c.at+reads && strings.Contains(c.trigger, event)
}

// enter brings a replay to the recorded state at the begin of a cycle.
func (c decided) enter(e *engine) {
	e.now = c.at
	for ; e.staged < len(e.stages) && e.stages[e.staged].at <= e.now; e.staged++ {
		e.restage(e.stages[e.staged])
	}
	for ; e.arrived < len(e.work.Jobs); e.arrived++ {
		j := e.work.Jobs[e.arrived]
		if !e.isOthers(int32(e.arrived)) && !c.sees(float64(j.Arrival), "queued") && !slices.Contains(c.started, j.ID) {
			break
		}
		e.arrive(int32(e.arrived))
	}
	for _, job := range slices.Clone(e.running) {
		if e.work.Jobs[job].IsEndKnown && c.sees(e.jobs[job].ends, "end") {
			e.end(job)
		}
	}
	for e.vnodes.until(e.now) {
	}
	e.turnReservations()
	for ; e.deleted < len(e.deletes) && e.deletes[e.deleted].at <= e.now; e.deleted++ {
		e.remove(e.deletes[e.deleted].job)
	}
	e.cycles++
	e.last = e.now
	e.usage.accrue(e.now)
	e.turnHours()
	e.extend()
	e.usage.apply()
}

// learn gives a job that waits the eligible_time that qstat has said it had.
func (e *engine) learn(p poll) {
	if e.jobs[p.job].state != waiting {
		return
	}
	c := &e.clocks.of[p.job]
	c.grown += p.eligible - c.at(p.at)
	e.backlog.settle(e.backlog.groupOf[p.job], p.job)
}

// decide goes through a cycle and starts the jobs that were started really, on their vnodes. It
// returns what the replay would have done instead. Where the server did not start a job that the scheduler
// had told it to, it kept its vnode for good, as R3's list of vnodes shows: the job has no record of it.
func (r run) decide(tb testing.TB, e *engine, c decided) (differs []string) {
	all, _, err := e.selection.candidates()
	if err != nil {
		tb.Fatal(err)
	}
	a := &attempt{engine: e, all: e.selection.considered(all), failed: map[*class]float64{}, waits: e.backlog.waiting}
	r.orders.begin(e, a.all)
	a.order = e.selection.order(a.all)
	var started []string
	for i, ok := a.order.Next(); ok; i, ok = a.order.Next() {
		job := &a.all[i]
		r.orders.look(e.work.Jobs[job.job].ID)
		if a.ended && job.group.class.booked == nil {
			a.accruals.pass(job)
			continue
		}
		id := e.work.Jobs[job.job].ID
		place, fits := a.tryToFit(job)
		if !slices.Contains(c.started, id) {
			if fits {
				differs = append(differs, id+" would start")
			} else {
				a.fail(job)
			}
			isLimited := a.isLimitedAhead(job)
			a.holdBack(i, job)
			a.accruals.judge(job, isLimited)
			continue
		}
		really, isBooked := r.starts[id], job.group.class.booked != nil
		const late = 300 // seconds, after which it was another cycle that started it
		if float64(really.at) > c.at+late {
			if !fits {
				differs = append(differs, id+" would not be tried")
			}
			for _, p := range place.Parts {
				e.state.SetAway(p.Vnode, true)
			}
			started = append(started, id)
			continue
		}
		switch {
		case !fits && isBooked:
			tb.Fatalf("%s does not fit into its reservation", id)
		case !fits:
			differs = append(differs, id+" would not start")
		case !isBooked && place.String(e.cluster) != really.vnodes: // else the place is one within its reservation
			differs = append(differs, fmt.Sprintf("%s would start on %s, not %s", id, place.String(e.cluster), really.vnodes))
		}
		if !isBooked {
			if place, ok = e.state.ParseVnodes(really.vnodes, e.request(&e.terms[job.job])); !ok {
				tb.Fatalf("%s on %s", id, really.vnodes)
			}
		}
		if got := float64(e.work.Jobs[job.job].Walltime); e.shrinks(job.job) && got != a.granted && got > 0 {
			tb.Logf("%s would run for %.0f s, not %.0f", id, a.granted, got)
			a.granted = got
		}
		e.Own[job.job] = float64(really.at) - e.now
		a.start(job, place)
		a.order.Started()
		started = append(started, id)
	}
	if !slices.Equal(started, c.started) {
		differs = append(differs, fmt.Sprintf("%v would start in this order", started))
	}
	a.calendar.end()
	a.accruals.end(a.backlog, a.now+cmp.Or(c.lasts, a.duration()), a.selection.isLeftOut)
	return differs
}

// Given the state that was recorded, of the vnodes, of the jobs that run and of those that wait, a
// cycle starts exactly the jobs that the real one started, in their order and on their vnodes. How
// much usage has accrued and how long jobs have been eligible is what the replay makes of it, but for what
// qstat said of eligible_time every ten minutes where that was recorded. What
// is left are 0.1 % of usage, a second of eligible_time, what happens within the second in which a
// cycle begins, and in V3 exclusive jobs that PBS places on vnodes that are not free. Runs with
// preemption, requeued jobs, arrays and dependencies have more than starts and ends, and are left out.
func TestDecisionsInRecordedStates(t *testing.T) {
	for _, test := range []struct {
		name          string
		cycles, alike int // alike: at least
	}{
		{"P1x", 652, 650}, {"P2", 647, 641}, {"P3", 665, 660}, {"P4", 555, 551}, {"P4b", 549, 549}, {"L1", 1482, 1481},
		{"Q1", 602, 601}, {"Q4y", 479, 472}, {"V2", 458, 455}, {"V1", 532, 528}, {"V3", 458, 454}, {"V4", 360, 360}, {"V6", 475, 473},
		{"R10", 359, 356}, {"R10 sgpu", 181, 181},
		{"R1", 472, 470}, {"R3", 383, 382}, {"R9", 344, 343},
		{"R2", 515, 490},
		{"R5", 659, 659},
	} {
		name, scheduler, isFurther := strings.Cut(test.name, " ")
		r := openRun(t, name)
		if isFurther {
			r.options.Begin = nil
			r.plan = r.plan.Others[slices.IndexFunc(r.plan.Others, func(p *order.Plan) bool { return p.Site.Scheduler.Name == scheduler })]
		}
		r.cluster = r.cluster.Of(&r.plan.Site.Scheduler)
		r.options.Plain = true // all jobs are looked at
		e, err := newEngine(r.work, r.plan, r.cluster, r.options)
		if err != nil {
			t.Fatal(err)
		}
		e.beginRunning()
		alike := 0
		cycles := readDecided(t, test.name)
		r.orders = readOrders(t, test.name)
		var polls []poll
		if exists(recordings + test.name + "/eligible.csv.gz") {
			polls = r.readPolls(t, test.name)
		}
		for _, c := range cycles {
			for ; len(polls) > 0 && polls[0].at < c.at; polls = polls[1:] {
				e.learn(polls[0])
			}
			c.enter(e)
			differs := r.decide(t, e, c)
			r.orders.end(c.at)
			if len(differs) == 0 {
				alike++
				continue
			}
			t.Logf("%s at %.2f: %s", test.name, c.at, strings.Join(differs, "; "))
		}
		if o := r.orders; o != nil {
			t.Logf("%s: of %d pairs in %d cycles %d are turned, %d where every job starts, %d where none does", test.name, o.pairs, o.cycles, o.turned, o.inAll, o.inStatic)
			if most := turnedAtMost[test.name]; o.turned > most || o.pairs == 0 {
				t.Errorf("%s: %d of %d pairs of jobs are considered the other way round, want %d at most", test.name, o.turned, o.pairs, most)
			}
		}
		if len(cycles) != test.cycles || alike < test.alike {
			t.Errorf("%s: %d of %d cycles start what was recorded, want %d of %d", test.name, alike, len(cycles), test.alike, test.cycles)
		}
	}
}
