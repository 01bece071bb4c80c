package replay

import (
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"testing"
)

// poll is what qstat has said of the eligible_time of a job that waited.
type poll struct {
	at, eligible float64 // in seconds
	job          int32
}

// readPolls reads the polls of a recording, in the order of their times.
func (r run) readPolls(tb testing.TB, name string) []poll {
	rows, err := csv.NewReader(unpack(tb, name+"/eligible.csv.gz")).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	jobs := map[string]int32{}
	for i, j := range r.work.Jobs {
		jobs[j.ID] = int32(i)
	}
	polls := make([]poll, len(rows)-1)
	for i, row := range rows[1:] {
		at, err1 := strconv.ParseFloat(row[0], 64)
		eligible, err2 := strconv.ParseFloat(row[2], 64)
		job, ok := jobs[row[1]]
		if err1 != nil || err2 != nil || !ok {
			tb.Fatalf("%s: %v", name, row)
		}
		polls[i] = poll{at, eligible, job}
	}
	return polls
}

// compareClocks replays a run, each cycle by a function, and calls another with each poll
// and the eligible_time that the replay has then, as long as the job waits in it too.
func (r run) compareClocks(tb testing.TB, polls []poll, cycle func(*engine), compare func(poll, float64)) {
	e, err := newEngine(r.work, r.plan, r.cluster, r.options)
	if err != nil {
		tb.Fatal(err)
	}
	e.beginRunning()
	for e.next() {
		for ; len(polls) > 0 && polls[0].at < e.now; polls = polls[1:] {
			if p := polls[0]; e.jobs[p.job].state == waiting {
				compare(p, e.clocks.of[p.job].at(p.at))
			}
		}
		e.admit()
		if cycle(e); e.err != nil {
			tb.Fatal(e.err)
		}
	}
}

// Up to the first fork of a replay that runs freely nearly each eligible_time is what qstat has
// said. Of jobs whose clocks go on again nothing tells with what they stood still first.
func TestRecordedClocks(t *testing.T) {
	for _, test := range []struct {
		name  string
		off   float64 // at most, in seconds
		polls int     // at least
		wrong int     // of them, at most
	}{
		{"P4", 1, 1060, 29}, {"P4b", 1, 1528, 18}, {"Q4y", 2, 5, 0},
	} {
		r := openRun(t, test.name)
		var first int64 = math.MaxInt64
		for _, s := range r.starts {
			first = min(first, s.at)
		}
		until := float64(first) + 3600*fork(r.starts, r.startsOf(r.replay(t)), 10)
		compared, wrong := 0, 0
		r.compareClocks(t, r.readPolls(t, test.name), (*engine).cycle, func(p poll, got float64) {
			if p.at >= until {
				return
			}
			compared++
			if math.Abs(got-p.eligible) > test.off {
				wrong++
				t.Logf("%s at %.0f: %s has %v s, polled %v", test.name, p.at, r.work.Jobs[p.job].ID, got, p.eligible)
			}
		})
		if compared < test.polls || wrong > test.wrong {
			t.Errorf("%s: of %d polls %d differ", test.name, compared, wrong)
		}
	}
}

// recordedCandidates returns the candidates of a cycle that starts jobs as they started really.
func recordedCandidates(tb testing.TB, e *engine) []candidate {
	all, _, err := e.selection.candidates(e.backlog.active, true)
	if err != nil {
		tb.Fatal(err)
	}
	for i := range all { // which leave their groups within the cycle
		all[i].rest = slices.Clone(all[i].rest)
	}
	return all
}

// follow is a cycle that starts the jobs which the recorded one has, whatever the replay
// would, and decides which clocks go on.
func (r run) follow(tb testing.TB, e *engine) {
	const near = 10 // seconds from the begin of a cycle to its starts, at most
	e.cycles++
	e.last, e.busy = e.now, e.now+e.duration()
	e.usage.accrue(e.now)
	e.usage.apply()
	all := recordedCandidates(tb, e)
	a := &attempt{engine: e, all: e.selection.considered(all)}
	a.order = e.selection.order(a.all)
	for i, ok := a.order.Next(); ok; i, ok = a.order.Next() {
		c := &a.all[i]
		s, ok := r.starts[r.work.Jobs[c.job].ID]
		if !ok || float64(s.at) > e.now+near {
			a.accruals.judge(c, false)
			continue
		}
		place, ok := e.state.ParseVnodes(s.vnodes, e.request(&e.terms[c.job]))
		if !ok {
			tb.Fatalf("%s on %s", r.work.Jobs[c.job].ID, s.vnodes)
		}
		now := e.now
		e.now = min(now, float64(s.at)) // cycles of a recording whose scheduler logs much are placed behind some of their starts
		e.Own[c.job] = float64(s.at) - e.now
		a.start(c, place)
		e.now = now
		a.order.Started()
	}
	a.accruals.end(a.backlog, a.now+a.duration(), a.selection.isLeftOut)
}

// With the recorded starts instead of its own a replay knows to the end of a run which
// clocks go on: between two polls of a job its eligible_time grows by as much. Most clocks
// stand still nearly always, so that those which go on count apart. Cycles of Q4y take up
// to a minute, and so do its polls.
func TestClocksAlongRecordedStarts(t *testing.T) {
	for _, test := range []struct {
		name         string
		off          float64 // how much growth may differ, in seconds
		spans        int     // at least
		grows, wrong int     // spans in which both grow by as much, at least, and in which they do not, at most
	}{
		{"P4", 5, 5000, 64, 11}, {"P4b", 5, 5400, 54, 16}, {"Q4y", 60, 4400, 100, 71},
	} {
		r := openRun(t, test.name)
		r.options.Plain = true // all jobs are looked at
		type pair struct{ got, polled float64 }
		before := map[int32]pair{}
		spans, grows, wrong := 0, 0, 0
		r.compareClocks(t, r.readPolls(t, test.name), func(e *engine) { r.follow(t, e) }, func(p poll, got float64) {
			last, ok := before[p.job]
			before[p.job] = pair{got, p.eligible}
			if !ok {
				return
			}
			spans++
			switch ours, theirs := got-last.got, p.eligible-last.polled; {
			case math.Abs(ours-theirs) > test.off:
				wrong++
			case theirs > test.off:
				grows++
			}
		})
		if spans < test.spans || grows < test.grows || wrong > test.wrong {
			t.Errorf("%s: of %d spans %d grow alike, and %d differ", test.name, spans, grows, wrong)
		}
	}
}
