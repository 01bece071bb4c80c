package replay

import (
	"fmt"
	"math"
	"testing"

	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// Ends come in their order, without those of jobs that were suspended or failed in between.
func TestAgenda(t *testing.T) {
	at := &situation{jobs: make([]progress, 4)}
	for i := range at.jobs {
		at.jobs[i] = progress{stay: &stay{}, state: runs}
	}
	g := agenda{at: at}
	ends := func(job int32, when float64) {
		at.jobs[job].ends = when
		g.end(job)
	}
	ends(0, 30)
	ends(1, 10)
	ends(2, 20)
	ends(3, 40)
	at.jobs[1].state = suspended
	g.fail(0, 15, true)  // it does not end at 30
	g.fail(3, 50, false) // it ends before
	if next := g.next(); next != 15 {
		t.Errorf("the next one ends at %v", next)
	}
	got := ""
	for now := 0.; now < 100; now += 5 {
		at.now = now
		for ev, ok := g.take(); ok; ev, ok = g.take() {
			got += fmt.Sprintf("%d at %.0f %v, ", ev.job, now, ev.isFailure)
			at.jobs[ev.job].state = done
		}
	}
	if want := "0 at 15 true, 2 at 20 false, 3 at 40 false, "; got != want || !math.IsInf(g.next(), 1) {
		t.Errorf("%s, want %s; next %v", got, want, g.next())
	}
}

// A job that comes back to the queue goes on from the eligible_time that it had, and its clock
// stands and goes on in whole seconds.
func TestClocks(t *testing.T) {
	at := &situation{now: 100.7}
	k := &clocks{at: at, of: make([]clock, 1)}
	k.begin(0, 40)
	for _, step := range []struct {
		now  float64
		do   func()
		want float64
	}{
		{110.2, func() {}, 50},
		{120.9, func() { k.stop(0, 122.3) }, 62},
		{500, func() {}, 62},
		{600, func() { k.goOn(0, 601.5) }, 62},
		{700, func() { k.goOn(0, 900) }, 161}, // it does already
	} {
		at.now = step.now
		step.do()
		if got := k.eligible(0); got != step.want {
			t.Errorf("at %v: %v, want %v", step.now, got, step.want)
		}
	}
}

// The clock of a job first stands still with what the record tells of it, unless that was no first
// cycle, or the job had come before the record began.
func TestFirstStop(t *testing.T) {
	const before, coming, unknown, late = 0, 1, 2, 3
	at := &situation{now: 100, work: &work.Work{First: 50, Jobs: []*work.Job{
		before: {Job: &trace.Job{Arrival: 50}}, coming: {Job: &trace.Job{Arrival: 100}}, unknown: {Job: &trace.Job{Arrival: 100}}, late: {Job: &trace.Job{Arrival: 60}},
	}}}
	k := newClocks(at)
	k.first, k.most = []float64{9, 9, math.NaN(), 9}, 30
	for job, grown := range []float64{0, 0, 0, 40} {
		k.begin(int32(job), grown)
		k.stop(int32(job), 102.5)
	}
	for job, want := range []float64{before: 2, coming: 9, unknown: 2, late: 42} {
		if got := k.eligible(int32(job)); got != want {
			t.Errorf("job %d: %v, want %v", job, got, want)
		}
	}
	k.goOn(coming, 110)
	k.begin(coming, 9) // qalter
	k.stop(coming, 103)
	if got := k.eligible(coming); got != 12 {
		t.Errorf("stopped again: %v, want 12", got)
	}
}
