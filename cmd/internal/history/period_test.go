package history

import (
	"fmt"
	"testing"
	"time"

	"fairshare/cmd/internal/trace"
)

// A period from 100 to 200 has its begin and not its end, and what a job is at its end is what it was before.
func TestPeriod(t *testing.T) {
	p := Period{From: 100, To: 200}
	for at, want := range map[int64]bool{99: false, 100: true, 199: true, 200: false, trace.Unknown: false} {
		if p.has(at) != want {
			t.Errorf("it has %d: %v", at, !want)
		}
	}
	const none = trace.Unknown
	for _, test := range []struct {
		job     trace.Job
		touches bool
		state   trace.State // where it touches
	}{
		{trace.Job{State: trace.Ended, Arrival: 50, Start: 60, End: 99}, false, 0},
		{trace.Job{State: trace.Ended, Arrival: 50, Start: 60, End: 100}, true, trace.Ended},
		{trace.Job{State: trace.Ended, Arrival: 50, Start: 60, End: 199}, true, trace.Ended},
		{trace.Job{State: trace.Ended, Arrival: 50, Start: 60, End: 200}, true, trace.Running},
		{trace.Job{State: trace.Ended, Arrival: 50, Start: 199, End: 250}, true, trace.Running},
		{trace.Job{State: trace.Ended, Arrival: 50, Start: 200, End: 250}, true, trace.Waiting},
		{trace.Job{State: trace.Ended, Arrival: 200, Start: 200, End: 250}, false, 0},
		{trace.Job{State: trace.Deleted, Arrival: 50, Start: none, End: 199}, true, trace.Deleted},
		{trace.Job{State: trace.Deleted, Arrival: 50, Start: none, End: 200}, true, trace.Waiting},
		{trace.Job{State: trace.Running, Arrival: none, Start: 199, End: none}, true, trace.Running},
		{trace.Job{State: trace.Waiting, Arrival: 199, Start: none, End: none}, true, trace.Waiting},
	} {
		if got := p.touches(&test.job); got != test.touches || got && p.stateOf(&test.job) != test.state {
			t.Errorf("%+v: touches %v, is %c", test.job, got, p.stateOf(&test.job))
		}
	}
	for given, want := range map[Period]Period{{From: 0, To: 500}: {From: 90, To: 181}, {From: 100, To: 120}: {From: 100, To: 120}} {
		if got := given.cutTo(&trace.Trace{First: 90, Last: 180}); got != want { // the last second counts
			t.Errorf("%v is cut to %v, want %v", given, got, want)
		}
	}
}

// A job that waits when a period ends counts there, also one that starts or goes in that second, and one
// that comes then does not.
func TestWaitingAtTheEnd(t *testing.T) {
	for _, test := range []struct {
		from, to int64
		want     string
	}{{50, 99, "[0 0 0]"}, {50, 100, "[1 0 0]"}, {99, 200, "[1 1 0]"}, {100, 199, "[0 0 0]"}, {100, 900, "[0 1 1]"}, {-5, 150, "[1 0 0]"}, {300, 900, "[0 0 0]"}} {
		l := NewLedger(Question{})
		l.calendar.periods = []Span{{0, 100}, {100, 200}, {200, 300}}
		l.addWaiting("ann", test.from, test.to)
		var counts [3]int
		for i := range counts {
			if c := l.cells[place{l.calendar.periods[i].End, "ann"}]; c != nil {
				counts[i] = c.waiting
			}
		}
		if got := fmt.Sprint(counts); got != test.want {
			t.Errorf("from %d to %d: %s, want %s", test.from, test.to, got, test.want)
		}
	}
}

// What is used of what was asked for counts for as long as a job ran; how it ended, by its exit status.
func TestEndOfCell(t *testing.T) {
	var c cell
	end := func(ncpus, mem, walltime, cput, exit, ran int64, isOver bool, used float64) {
		j := &trace.Job{Start: 0, NCPUs: ncpus, Mem: mem, Walltime: walltime, UsedCput: cput, Exit: exit}
		c.end(j, trace.Run{Start: 0, End: ran}, isOver, []float64{used, float64(ran)}, 1)
	}
	end(4, 1000, 100, 150, 0, 50, true, 500)                      // half of the memory for 50 seconds
	end(1, 1000, 200, 100, trace.KilledAtWalltime, 200, true, 10) // little of it for 200
	end(2, 1000, 100, 10, 1, 10, true, 1000)                      // it failed
	end(2, 1000, 100, 10, 1, 30, false, 1000)                     // it runs again
	want := cell{ended: 3, rerun: 1, killed: 1, failed: 1, coreSeconds: 200 + 200 + 20 + 60, rerunSeconds: 60, charged: 480, used: Parts{Walltime: Efficiency{Given: 400, Used: 260}, CPU: Efficiency{Given: 420, Used: 260}, Memory: Efficiency{Given: 260_000, Used: 25_000 + 2_000 + 10_000}}, most: most{walltime: Efficiency{Given: 200, Used: 200}, memory: Efficiency{Given: 1000, Used: 1000}}}
	if fmt.Sprint(c.exits) != "map[-29:1 0:1 1:1]" {
		t.Errorf("exits %v", c.exits)
	}
	if c.exits = nil; fmt.Sprintf("%+v", c) != fmt.Sprintf("%+v", want) {
		t.Errorf("%+v, want %+v", c, want)
	}
}

// A period is a whole one where it has all of its day, week or month, and the logs lack nothing of it; all the time together always is.
func TestIsCut(t *testing.T) {
	day := func(text string) int64 {
		at, err := time.Parse(time.DateTime, text)
		if err != nil {
			t.Fatal(err)
		}
		return at.Unix()
	}
	for _, row := range []struct {
		step       Step
		begin, end string
		lacks      string
		isCut      bool
	}{
		{Day, "2026-03-02 00:00:00", "2026-03-03 00:00:00", "", false},
		{Day, "2026-03-02 00:00:00", "2026-03-03 00:00:00", "the logs end", true},
		{Day, "2026-03-02 07:00:00", "2026-03-03 00:00:00", "", true},
		{Day, "2026-03-02 00:00:00", "2026-03-02 23:59:59", "", true},
		{Week, "2026-03-02 00:00:00", "2026-03-09 00:00:00", "", false},
		{Week, "2026-03-03 00:00:00", "2026-03-09 00:00:00", "", true},
		{Month, "2026-03-01 00:00:00", "2026-04-01 00:00:00", "", false},
		{Month, "2026-03-01 00:00:00", "2026-03-31 00:00:00", "", true},
		{Whole, "2026-03-02 07:00:00", "2026-03-02 08:00:00", "the logs end", false},
	} {
		s := Sheet{Step: row.step, Zone: time.UTC}
		if is := s.isCut(&Line{Span: Span{day(row.begin), day(row.end)}, Lacks: row.lacks}); is != row.isCut {
			t.Errorf("%q from %s to %s (%s): %v", row.step, row.begin, row.end, row.lacks, is)
		}
	}
}
