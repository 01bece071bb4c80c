package trace

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Many changes, of which many are of the same second or of more cpus than an int32 counts, are those
// of a list of them; and what is asked for meanwhile does not harm what comes later.
func TestOccupancy(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, spread := range []int64{1, 50, 1000, 3 * secondsOfDay} {
		tr := &Trace{Last: 4 * secondsOfDay}
		var o Occupancy
		var jobs []*Job
		for i := range 6000 {
			start := random.Int64N(spread) - spread/3
			j := &Job{NCPUs: 1 + random.Int64N(mostThings), Start: start, End: start + random.Int64N(spread+10), State: Ended}
			jobs = append(jobs, j)
			tr.Occupy(&o, j)
			if i%2000 == 0 {
				o.Largest()
			}
		}
		list := tr.Occupations(jobs)
		if got, want := o.Largest(), Largest(list); got != want || want <= math.MaxInt32 {
			t.Errorf("within %d s: %d at most, not %d", spread, got, want)
		}
		if got := slices.Collect(o.all()); len(got) == 0 || !slices.Equal(got, list) {
			t.Errorf("within %d s: %d occupations, not the %d of the list", spread, len(got), len(list))
		}
		for range 20 {
			from := random.Int64N(spread+20) - spread/2
			to := from + random.Int64N(spread+20)
			if got, want := o.Mean(from, to), Mean(list, from, to); got != want {
				t.Errorf("within %d s: %v from %d to %d, not %v", spread, got, from, to, want)
			}
		}
	}
}
