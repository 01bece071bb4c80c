package trace

import (
	"iter"
	"maps"
	"math"
	"slices"
)

// Occupation is how many cpus are in use from a time on.
type Occupation struct {
	From int64
	CPUs int64
}

// Occupancy is how many cpus are in use over time, of jobs that come in any order. It takes eight
// bytes for each second at which that changes.
type Occupancy struct {
	days   map[int64][]change // by days since 1970
	sorted []day              // nil until it is asked for what is in use
}

// change is cpus more or less from a second of a day on. No job has as many as an int32 holds.
type change struct{ second, by int32 }

// day is the changes of a day in their order, one for each second.
type day struct {
	begin   int64
	before  int64 // cpus in use when it begins
	changes []change
}

// Change adds cpus from a time on.
func (o *Occupancy) Change(at, by int64) {
	const many = 1024 // changes that are worth being put together
	number := at / secondsOfDay
	if at < number*secondsOfDay {
		number--
	}
	if o.days == nil {
		o.days = map[int64][]change{}
	}
	list := o.days[number]
	if len(list) == cap(list) && len(list) >= many {
		if list = together(list); len(list) > cap(list)/2 { // so that they are not sorted again soon
			list = slices.Grow(list, len(list))
		}
	}
	o.days[number] = append(list, change{int32(at - number*secondsOfDay), int32(by)})
	o.sorted = nil
}

// together sorts changes, and makes one of those of a second, but for sums that are too large for one.
func together(list []change) []change {
	slices.SortFunc(list, func(a, b change) int { return int(a.second - b.second) })
	kept := list[:0]
	for _, c := range list {
		if n := len(kept); n > 0 && kept[n-1].second == c.second {
			if sum := int64(kept[n-1].by) + int64(c.by); sum >= math.MinInt32 && sum <= math.MaxInt32 {
				kept[n-1].by = int32(sum)
				continue
			}
		}
		kept = append(kept, c)
	}
	return kept
}

// sort puts the days into their order.
func (o *Occupancy) sort() {
	if o.sorted != nil {
		return
	}
	cpus := int64(0)
	for _, number := range slices.Sorted(maps.Keys(o.days)) {
		d := day{number * secondsOfDay, cpus, together(o.days[number])}
		o.days[number] = d.changes
		for _, c := range d.changes {
			cpus += int64(c.by)
		}
		o.sorted = append(o.sorted, d)
	}
}

// since yields how many cpus are in use at a time, and then from each time on at which that changes.
func (o *Occupancy) since(from int64) iter.Seq[Occupation] {
	return func(yield func(Occupation) bool) {
		o.sort()
		at := Occupation{From: from}
		first, _ := slices.BinarySearchFunc(o.sorted, from, func(d day, from int64) int {
			if d.begin+secondsOfDay <= from {
				return -1
			}
			return 1
		})
		if first < len(o.sorted) {
			at.CPUs = o.sorted[first].before
		}
		for _, d := range o.sorted[first:] {
			for _, c := range d.changes {
				if next := d.begin + int64(c.second); next > at.From {
					if !yield(at) {
						return
					}
					at.From = next
				}
				at.CPUs += int64(c.by)
			}
		}
		yield(at)
	}
}

// All yields how many cpus are in use from each time on at which that may change.
func (o *Occupancy) All() iter.Seq[Occupation] {
	o.sort()
	if len(o.sorted) == 0 {
		return func(func(Occupation) bool) {}
	}
	return o.since(o.sorted[0].begin + int64(o.sorted[0].changes[0].second))
}

// Largest returns how many cpus are in use at most.
func (o *Occupancy) Largest() int64 {
	most := int64(0)
	for at := range o.All() {
		most = max(most, at.CPUs)
	}
	return most
}

// lasting returns how many cpus are in use at most for longer than a second: an end and a start may
// share one.
func (o *Occupancy) lasting() int64 {
	most, before := int64(0), Occupation{From: math.MaxInt64}
	for at := range o.All() {
		if at.From > before.From+1 && before.From != math.MaxInt64 {
			most = max(most, before.CPUs)
		}
		before = at
	}
	return max(most, before.CPUs)
}

// Mean returns how many cpus are in use on average between two times.
func (o *Occupancy) Mean(from, to int64) float64 {
	if to <= from {
		return 0
	}
	total, before := 0., Occupation{From: from}
	for at := range o.since(from) {
		if at.From >= to {
			break
		}
		total += float64(before.CPUs) * float64(at.From-before.From)
		before = at
	}
	return (total + float64(before.CPUs)*float64(to-before.From)) / float64(to-from)
}

// MeanInside returns how many cpus are in use on average between two times, without the first and
// the last tenth, in which a record warms up and runs out.
func (o *Occupancy) MeanInside(first, last int64) float64 {
	tenth := (last - first) / 10
	return o.Mean(first+tenth, last-tenth)
}

// Means returns how many cpus are in use on average in n equal parts of the time between two times.
func (o *Occupancy) Means(first, last int64, n int) []float64 {
	means := make([]float64, n)
	for i := range means {
		from, to := first+(last-first)*int64(i)/int64(n), first+(last-first)*int64(i+1)/int64(n)
		means[i] = o.Mean(from, max(to, from+1))
	}
	return means
}

// Occupancy returns how many cpus the jobs of a trace occupy over time. That of a trace whose jobs
// are handed over is known once all were.
func (t *Trace) Occupancy() *Occupancy {
	if t.occupied != nil {
		return t.occupied
	}
	return t.OccupancyOf(t.Jobs)
}

// OccupancyOf returns how many cpus some jobs occupy over time, if those that still run do so to the
// last time of the trace.
func (t *Trace) OccupancyOf(jobs []*Job) *Occupancy {
	o := &Occupancy{}
	for _, j := range jobs {
		t.Occupy(o, j)
	}
	return o
}

// Occupy adds what a job of the trace occupies. An array occupies nothing, its subjobs do. A job that
// still runs does so to the last time of the trace.
func (t *Trace) Occupy(o *Occupancy, j *Job) {
	if j.IsArray {
		return
	}
	eachUse(j, t.Last, func(start, end int64) {
		o.Change(start, j.NCPUs)
		o.Change(end, -j.NCPUs)
	})
}

// eachUse calls f for each time for which a job occupies cpus: its runs, without the times it was
// suspended. One that still runs does to the last time of its trace, or to its own end where one is
// taken.
func eachUse(j *Job, last int64, f func(start, end int64)) {
	use := func(start, end int64) {
		if j.NCPUs > 0 && end > start {
			f(start, end)
		}
	}
	run := func(r Run) {
		if r.Start == Unknown {
			return
		}
		for _, p := range j.Pauses() {
			if p.Start >= r.Start && p.Start < r.End {
				use(r.Start, p.Start)
				r.Start = p.End
			}
		}
		use(r.Start, r.End)
	}
	for _, r := range j.Earlier() {
		run(r)
	}
	switch {
	case j.State == Running && j.End == Unknown:
		run(Run{j.Start, last + 1})
	case j.State == Running || j.State == Ended:
		run(Run{j.Start, j.End})
	}
}
