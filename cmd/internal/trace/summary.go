package trace

import (
	"cmp"
	"math"
	"slices"
)

// Figures are the figures of some jobs. All times are in seconds; NaN is a figure
// that no job gives.
type Figures struct {
	Jobs      int // that have started
	CoreHours float64

	WaitMean, WaitMedian, WaitP90, WaitP95, WaitP99 float64
	Slowdown                                        float64 // mean bounded slowdown
}

// FiguresOf returns the figures of some jobs.
func FiguresOf(jobs []*Job) Figures {
	return FiguresIn(jobs, func(at int64) bool { return at != Unknown })
}

// FiguresIn returns the figures of some jobs in a time: waits are those of the jobs that
// started in it, core hours and slowdowns those of the jobs that ended in it.
func FiguresIn(jobs []*Job, has func(at int64) bool) Figures {
	var t Tally
	for _, j := range jobs {
		t.Add(j, has)
	}
	return t.Figures()
}

// Tally sums up jobs as they come. Of each it keeps only a number for its wait.
type Tally struct {
	waits       []uint32 // of jobs that have started, in seconds
	coreSeconds float64
	slowdowns   float64
	ended       int // jobs that slowdowns are of
}

// Add adds a job, as far as it lies in a time.
func (t *Tally) Add(j *Job, has func(at int64) bool) {
	if wait, started := j.Wait(); started && has(j.Start) {
		t.waits = append(t.waits, uint32(min(wait, math.MaxUint32)))
	}
	slowdown, ok := j.Slowdown()
	if !ok || !has(j.End) {
		return
	}
	run, _ := j.Run()
	t.coreSeconds += float64(max(0, j.NCPUs)) * float64(run)
	t.slowdowns += slowdown
	t.ended++
}

// AddAll adds the jobs of another tally.
func (t *Tally) AddAll(other *Tally) {
	t.waits = append(t.waits, other.waits...)
	t.coreSeconds += other.coreSeconds
	t.slowdowns += other.slowdowns
	t.ended += other.ended
}

// Figures returns the figures of the jobs that were added.
func (t *Tally) Figures() Figures {
	f := Figures{Jobs: len(t.waits), CoreHours: t.coreSeconds / 3600, Slowdown: t.slowdowns / float64(t.ended)}
	slices.Sort(t.waits)
	sum := 0.
	for _, wait := range t.waits {
		sum += float64(wait)
	}
	f.WaitMean = sum / float64(len(t.waits))
	f.WaitMedian, f.WaitP90, f.WaitP95, f.WaitP99 = Quantile(t.waits, .5), Quantile(t.waits, .9), Quantile(t.waits, .95), Quantile(t.waits, .99)
	return f
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

// Occupation is how many cpus are in use from a time on.
type Occupation struct {
	From int64
	CPUs int64
}

// Occupations returns how many cpus jobs occupy over time, those of earlier runs
// too, and not while they are suspended. Jobs that still run occupy to the end, or to
// theirs where one is taken.
func (t *Trace) Occupations(jobs []*Job) []Occupation {
	type change struct{ at, by int64 }
	changes := make([]change, 0, 2*len(jobs))
	for _, j := range jobs {
		eachUse(j, t.Last, func(start, end int64) {
			changes = append(changes, change{start, j.NCPUs}, change{end, -j.NCPUs})
		})
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	list := make([]Occupation, 0, len(changes))
	cpus := int64(0)
	for i, c := range changes {
		cpus += c.by
		if i+1 < len(changes) && changes[i+1].at == c.at {
			continue
		}
		list = append(list, Occupation{c.at, cpus})
	}
	return list
}

// Largest returns the largest occupation.
func Largest(list []Occupation) int64 {
	most := int64(0)
	for _, o := range list {
		most = max(most, o.CPUs)
	}
	return most
}

// MeanInside returns the mean occupation between two times without the first and the
// last tenth, in which a record warms up and runs out.
func MeanInside(list []Occupation, first, last int64) float64 {
	from, to := inside(first, last)
	return Mean(list, from, to)
}

func inside(first, last int64) (from, to int64) {
	tenth := (last - first) / 10
	return first + tenth, last - tenth
}

// Means returns the mean occupations in n equal parts of the time between two times.
func Means(list []Occupation, first, last int64, n int) []float64 {
	return means(func(from, to int64) float64 { return Mean(list, from, to) }, first, last, n)
}

func means(mean func(from, to int64) float64, first, last int64, n int) []float64 {
	means := make([]float64, n)
	for i := range means {
		from, to := first+(last-first)*int64(i)/int64(n), first+(last-first)*int64(i+1)/int64(n)
		means[i] = mean(from, max(to, from+1))
	}
	return means
}

// Mean returns the mean occupation between two times.
func Mean(list []Occupation, from, to int64) float64 {
	if to <= from {
		return 0
	}
	first, isThere := slices.BinarySearchFunc(list, from, func(o Occupation, at int64) int { return cmp.Compare(o.From, at) })
	if !isThere {
		first--
	}
	total := 0.
	for i := max(0, first); i < len(list) && list[i].From < to; i++ {
		end := to
		if i+1 < len(list) {
			end = min(to, list[i+1].From)
		}
		if begin := max(from, list[i].From); end > begin {
			total += float64(list[i].CPUs) * float64(end-begin)
		}
	}
	return total / float64(to-from)
}
