package trace

import (
	"cmp"
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
		list, want := plainly(tr, jobs), int64(0)
		for _, at := range list {
			want = max(want, at.CPUs)
		}
		if got := o.Largest(); got != want || want <= math.MaxInt32 {
			t.Errorf("within %d s: %d at most, not %d", spread, got, want)
		}
		if got := slices.Collect(o.All()); len(got) == 0 || !slices.Equal(got, list) {
			t.Errorf("within %d s: %d occupations, not the %d of the list", spread, len(got), len(list))
		}
		for range 20 {
			from := random.Int64N(spread+20) - spread/2
			to := from + random.Int64N(spread+20)
			if got, want := o.Mean(from, to), meanOf(list, from, to); got != want {
				t.Errorf("within %d s: %v from %d to %d, not %v", spread, got, from, to, want)
			}
		}
	}
}

// plainly returns how many cpus jobs occupy from each time on at which that changes.
func plainly(t *Trace, jobs []*Job) []Occupation {
	var list []Occupation // at first, what is more or less at a time
	for _, j := range jobs {
		eachUse(j, t.Last, func(start, end int64) {
			list = append(list, Occupation{start, j.NCPUs}, Occupation{end, -j.NCPUs})
		})
	}
	slices.SortFunc(list, func(a, b Occupation) int { return cmp.Compare(a.From, b.From) })
	var sums []Occupation
	cpus := int64(0)
	for i, c := range list {
		if cpus += c.CPUs; i+1 == len(list) || list[i+1].From != c.From {
			sums = append(sums, Occupation{c.From, cpus})
		}
	}
	return sums
}

// meanOf returns how many cpus are in use on average between two times.
func meanOf(list []Occupation, from, to int64) float64 {
	if to <= from {
		return 0
	}
	total := 0.
	for i, at := range list {
		end := to
		if i+1 < len(list) {
			end = min(to, list[i+1].From)
		}
		total += float64(at.CPUs) * float64(max(0, end-max(from, at.From)))
	}
	return total / float64(to-from)
}

// Of a job of 2 cpus that starts at 100, in a trace whose last time is 200, when it occupies how much.
func TestOccupy(t *testing.T) {
	for _, test := range []struct {
		name string
		job  Job
		want []Occupation
	}{
		{"one that ended", Job{State: Ended, End: 150}, []Occupation{{100, 2}, {150, 0}}},
		{"one that runs does so in the last second", Job{State: Running, End: Unknown}, []Occupation{{100, 2}, {201, 0}}},
		{"one whose end is taken for known", Job{State: Running, End: 170}, []Occupation{{100, 2}, {170, 0}}},
		{"one that was suspended", Job{State: Ended, End: 150, rare: &rare{pauses: []Run{{110, 120}, {130, 140}}}}, []Occupation{{100, 2}, {110, 0}, {120, 2}, {130, 0}, {140, 2}, {150, 0}}},
		{"one that ran before", Job{State: Ended, End: 150, rare: &rare{earlier: []Run{{50, 60}}}}, []Occupation{{50, 2}, {60, 0}, {100, 2}, {150, 0}}},
		{"an array", Job{State: Running, End: Unknown, IsArray: true}, nil},
	} {
		var o Occupancy
		j := test.job
		j.NCPUs, j.Start = 2, 100
		(&Trace{Last: 200}).Occupy(&o, &j)
		if got := slices.Collect(o.All()); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
