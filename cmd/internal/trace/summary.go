package trace

import (
	"math"
	"slices"
)

// Figures are the figures of some jobs. All times are in seconds; NaN is a figure
// that no job gives.
type Figures struct {
	Jobs      int // that have started; one that was requeued counts again
	CoreHours float64

	WaitMean, WaitMedian, WaitP90, WaitP95, WaitP99 float64
	Slowdown                                        float64 // mean bounded slowdown
}

// Tally sums up jobs as they come. Of each it keeps only a number for its wait.
type Tally struct {
	started     int
	waits       []uint32 // of starts before which it is known since when the job could run, in seconds
	coreSeconds float64
	slowdowns   float64
	ended       int // jobs that slowdowns are of
}

// Add adds the starts of a job, the waits before them and the runs that ended, as far as they lie in a time; the slowdown is that
// of the last run.
func (t *Tally) Add(j *Job, has func(at int64) bool) {
	earlier := j.Earlier()
	for i, r := range earlier {
		t.addStart(j, i, r.Start, has)
		if has(r.End) {
			t.addRun(j, j.Active(r.Start, r.End))
		}
	}
	t.addStart(j, len(earlier), j.Start, has)
	if run, ok := j.Run(); ok && has(j.End) {
		t.addRun(j, run)
	}
	if slowdown, ok := j.Slowdown(); ok && has(j.Start) {
		t.slowdowns += slowdown
		t.ended++
	}
}

// addStart adds the start of a run of a job.
func (t *Tally) addStart(j *Job, run int, start int64, has func(at int64) bool) {
	if start == Unknown || !has(start) {
		return
	}
	t.started++
	if came := j.CameFor(run); came != Unknown {
		t.waits = append(t.waits, uint32(min(max(0, start-came), math.MaxUint32)))
	}
}

// addRun adds a run of a job that ended after some seconds.
func (t *Tally) addRun(j *Job, seconds int64) {
	t.coreSeconds += float64(max(0, j.NCPUs)) * float64(seconds)
}

// AddAll adds the jobs of another tally.
func (t *Tally) AddAll(other *Tally) {
	t.started += other.started
	t.waits = append(t.waits, other.waits...)
	t.coreSeconds += other.coreSeconds
	t.slowdowns += other.slowdowns
	t.ended += other.ended
}

// Figures returns the figures of the jobs that were added.
func (t *Tally) Figures() Figures {
	f := Figures{Jobs: t.started, CoreHours: t.coreSeconds / 3600, Slowdown: mean(t.slowdowns, t.ended)}
	slices.Sort(t.waits)
	sum := 0.
	for _, wait := range t.waits {
		sum += float64(wait)
	}
	f.WaitMean = mean(sum, len(t.waits))
	f.WaitMedian, f.WaitP90, f.WaitP95, f.WaitP99 = Quantile(t.waits, .5), Quantile(t.waits, .9), Quantile(t.waits, .95), Quantile(t.waits, .99)
	return f
}

// mean returns the mean of so many numbers with a sum; NaN for none.
func mean(sum float64, n int) float64 {
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

// Quantile returns a quantile of sorted numbers, between two of them where it falls
// there; NaN for none.
func Quantile[T float64 | uint32](sorted []T, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return float64(sorted[low]) + (at-float64(low))*(float64(sorted[high])-float64(sorted[low]))
}

// Sizes are the classes of jobs by cpus.
var Sizes = []struct {
	Name string
	Most int64
}{{"1 cpu", 1}, {"2 to 8", 8}, {"9 to 64", 64}, {"65 to 512", 512}, {"more than 512", math.MaxInt64}}

// SizeOf returns the class of a job, "unknown" where its cpus are not known.
func SizeOf(j *Job) string {
	if j.NCPUs == Unknown {
		return "unknown"
	}
	for _, size := range Sizes {
		if j.NCPUs <= size.Most {
			return size.Name
		}
	}
	return "unknown"
}
