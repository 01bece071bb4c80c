package forecast

import (
	"fmt"
	"slices"
	"testing"

	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// Of four jobs one ends at 10, one is still seen at 20, and two end at 30: which part runs longer than a value.
func TestCurve(t *testing.T) {
	c := newCurve([]observation{{30, true, 1}, {20, false, 1}, {10, true, 1}, {30, true, 1}})
	if !slices.Equal(c.x, []float64{10, 30}) || !slices.Equal(c.beyond, []float64{.75, 0}) || c.n != 3 {
		t.Fatalf("%+v", c)
	}
	for x, want := range map[float64]float64{0: 1, 9: 1, 10: .75, 20: .75, 29: .75, 30: 0, 31: 0} {
		if got := c.at(x); got != want {
			t.Errorf("%v of them run longer than %v, want %v", got, x, want)
		}
	}
	// One that is still seen counts among those left, and not as one that ends.
	if c := newCurve([]observation{{10, false, 1}, {20, true, 1}, {30, true, 1}}); !slices.Equal(c.beyond, []float64{.5, 0}) {
		t.Errorf("%+v", c)
	}
	// Two that count for a half each are one, and who ends last leaves none, whatever the weights.
	c = newCurve([]observation{{10, true, .5}, {10, true, .5}, {20, true, .1}, {30, true, .3}, {30, true, .6}})
	if c.n != 2 || c.beyond[0] != .5 || c.beyond[2] != 0 {
		t.Errorf("%+v", c)
	}
}

// A limit of a year is none: it tells nothing of how long a job runs, which is learned from others that have none.
func TestNoLimit(t *testing.T) {
	of := func(id string, walltime int64) *work.Job {
		return &work.Job{Job: &trace.Job{ID: id, User: 1, Name: 1, Walltime: walltime}}
	}
	var list []past
	for i := range 20 {
		list = append(list, past{Job: of(fmt.Sprint(i), hour), start: 0, end: hour / 2, ran: hour / 2, walltime: hour})
	}
	l := newLengths(append(list, past{Job: of("20", 365*day), start: 0, end: trace.Unknown, ran: 60, walltime: 365 * day}))
	if l.longest > day {
		t.Errorf("the longest run or walltime is %v s", l.longest)
	}
	if ran := l.ofRun(1, 1, &UnfinishedJob{Job: of("21", 365*day)}); ran > day {
		t.Errorf("a job without a limit runs for %d s", ran)
	}
}
