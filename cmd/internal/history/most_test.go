package history

import (
	"fmt"
	"math"
	"testing"

	"fairshare/cmd/internal/trace"
)

// What single jobs used of their limits: the job with the largest part, not with the largest amount, and how many used up to which part.
func TestLimits(t *testing.T) {
	var l Limits
	for i, j := range []struct {
		mem, used, walltime, ran float64
		exit                     int64
	}{
		{1000, 900, 100, 10, 0},
		{8000, 1600, 100, 20, 0},
		{1000, 100, 100, 100, trace.KilledAtWalltime},
		{1000, math.NaN(), 100, 50, 1}, // of which no record tells the memory
		{0, 500, 0, 50, 0},             // which asked for nothing
	} {
		l.add(&trace.Job{ID: fmt.Sprint(i), Mem: int64(j.mem), Walltime: int64(j.walltime), Exit: j.exit}, []float64{j.used, j.ran}, j.ran)
	}
	for _, row := range []struct {
		of   *Limit
		want string
	}{
		{&l.Memory, "3 jobs, half up to 0.20, all up to 0.90, 0 the most with 900 of 1000; 0 ended"},
		{&l.Walltime, "4 jobs, half up to 0.20, all up to 1.00, 2 the most with 100 of 100; 1 ended"},
	} {
		got := fmt.Sprintf("%d jobs, half up to %.2f, all up to %.2f, %s the most with %v of %v; %d ended", row.of.Jobs(), row.of.UpTo(.5), row.of.UpTo(1), row.of.Job, row.of.Used, row.of.Given, row.of.Ended)
		if got != row.want {
			t.Errorf("%s, want %s", got, row.want)
		}
	}
}

// Beside the most that one job used stands what that job was given, and of two that used as much the larger of what they were given.
func TestMost(t *testing.T) {
	nan := math.NaN()
	for _, row := range []struct {
		jobs []Efficiency
		want string
	}{
		{nil, "NaN of NaN, at least false"},
		{[]Efficiency{{100, 40, false}, {500, 30, false}}, "40 of 100, at least false"},
		{[]Efficiency{{100, 40, false}, {500, 40, false}, {300, 40, false}}, "40 of 500, at least false"},
		{[]Efficiency{{nan, 40, false}, {300, 40, false}, {nan, 40, false}}, "40 of 300, at least false"},
		{[]Efficiency{{300, 40, true}, {nan, 50, false}, {900, nan, false}}, "50 of NaN, at least true"},
	} {
		var m most
		for _, j := range row.jobs {
			m.add(j, j)
		}
		for _, of := range []Efficiency{m.walltime.told(), m.memory.told()} {
			if got := fmt.Sprintf("%v of %v, at least %v", of.Used, of.Given, of.IsAtLeast); got != row.want {
				t.Errorf("%v: %s, want %s", row.jobs, got, row.want)
			}
		}
	}
}
