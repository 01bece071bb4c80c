package study

import (
	"cmp"
	"math"
	"slices"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// flow is usage as it grows and decays while time passes.
type flow struct {
	*outcome.UsageCourse
	work *work.Work
	last int64 // up to which it is followed

	usage, rate []float64 // by entity
	since       []int64   // when each entity's usage was last brought up to date
	demand      []int32   // how many jobs of each entity wait or run
	events      []flowEvent
	groups      []GroupShare
	groupOf     []int32 // by entity
}

// flowEvent is what changes when a job comes, starts or ends.
type flowEvent struct {
	at     int64
	entity int32
	demand int16
	rate   float32
}

func newFlow(o *Outcome) *flow {
	w := o.study.Work
	f := &flow{UsageCourse: o.course, work: w, last: o.study.last(), usage: slices.Clone(o.course.Begin), rate: make([]float64, len(o.course.Begin)), since: make([]int64, len(o.course.Begin)), demand: make([]int32, len(o.course.Begin))}
	for i := range f.since {
		f.since[i] = w.First
	}
	f.events = make([]flowEvent, 0, 3*len(w.Jobs)) // for most jobs
	for i, job := range w.Jobs {
		f.add(job, o.Jobs[i], f.EntityOf[i], f.Rates[i])
	}
	slices.SortFunc(f.events, func(a, b flowEvent) int { return cmp.Compare(a.at, b.at) })
	f.findGroups()
	return f
}

// add adds the events of a job: its entity's usage grows while it runs, and the entity has
// demand from the job's arrival to its end.
func (f *flow) add(of *work.Job, j *trace.Job, entity int32, rate float64) {
	event := func(at int64, demand int16, rate float64) {
		f.events = append(f.events, flowEvent{max(at, f.work.First), entity, demand, float32(rate)})
	}
	runs := j.Earlier()
	end := j.End
	if end == trace.Unknown && j.Start == trace.Unknown {
		end = of.Deleted
	}
	if end == trace.Unknown {
		end = math.MaxInt64
	}
	if j.Start != trace.Unknown && j.State != trace.Deleted {
		runs = append(slices.Clip(runs), trace.Run{Start: j.Start, End: end})
	}
	event(j.Arrival, 1, 0)
	last := 0. // the rate until the end
	for i, r := range runs {
		event(r.Start, 0, rate)
		for _, p := range j.Pauses() {
			if p.Start >= r.Start && p.End <= r.End {
				event(p.Start, 0, -rate)
				event(p.End, 0, rate)
			}
		}
		if i == len(runs)-1 && r.End == end {
			last = rate
		} else {
			event(r.End, 0, -rate)
		}
	}
	event(end, -1, -last)
}

// findGroups finds the groups that have jobs, and what part of their shares each has.
func (f *flow) findGroups() {
	numbers, hasTarget := map[string]int32{}, map[int32]bool{}
	f.groupOf = make([]int32, len(f.Groups))
	total := 0.
	for entity, name := range f.Groups {
		number, ok := numbers[name]
		if !ok {
			number = int32(len(f.groups))
			numbers[name] = number
			f.groups = append(f.groups, GroupShare{Name: name})
		}
		f.groupOf[entity] = number
		if f.isMeasured(entity) {
			f.groups[number].Target += f.Percentages[entity]
			total += f.Percentages[entity]
			hasTarget[number] = true
		}
	}
	for i := range f.groups {
		switch {
		case !hasTarget[int32(i)]:
			f.groups[i].Target = math.NaN()
		case total > 0:
			f.groups[i].Target /= total
		}
	}
}

// isMeasured reports whether an entity has a part of the shares, from which its distance can be told.
func (f *flow) isMeasured(entity int) bool { return !math.IsNaN(f.Percentages[entity]) }

// follow returns how usage follows shares: it lets time pass, and looks at equal distances.
func (f *flow) follow() *Shares {
	s := &Shares{Groups: f.groups}
	first, last := f.work.First, f.last
	next := 0
	for i := range samples + 1 {
		at := first + (last-first)*int64(i)/samples
		for ; next < len(f.events) && f.events[next].at <= at; next++ {
			f.apply(f.events[next])
		}
		s.Times = append(s.Times, at)
		s.Distance = append(s.Distance, f.look(at, s.Groups))
	}
	s.summarise(first, last)
	return s
}

// settle brings an entity's usage up to a time. In each decay period usage grows with what
// runs; at the end of the period it is multiplied with the decay factor, but never falls
// below the usage that an entity starts with. Several whole periods are the sum of a
// geometric series.
func (f *flow) settle(entity int32, at int64) {
	since := f.since[entity]
	if at <= since {
		return
	}
	f.since[entity] = at
	usage, rate := f.usage[entity], f.rate[entity]
	begun := since - mod(since-f.LastDecay, f.DecayTime) // when the period began
	n := (at - begun - 1) / f.DecayTime                  // how often usage decays until then
	if n == 0 {
		f.usage[entity] = usage + rate*float64(at-since)
		return
	}
	decayed := func(x float64) float64 { return max(f.Least, x*f.DecayFactor) }
	usage = decayed(usage + rate*float64(begun+f.DecayTime-since))
	if grown := rate * float64(f.DecayTime); n > 1 {
		power := math.Pow(f.DecayFactor, float64(n-1))
		sum := float64(n - 1)
		if f.DecayFactor != 1 {
			sum = f.DecayFactor * (1 - power) / (1 - f.DecayFactor)
		}
		usage = max(f.Least, usage*power+grown*sum)
	}
	f.usage[entity] = usage + rate*float64(at-begun-n*f.DecayTime)
}

// mod returns a remainder that is not negative.
func mod(x, by int64) int64 { return ((x % by) + by) % by }

func (f *flow) apply(e flowEvent) {
	f.settle(e.entity, e.at)
	f.rate[e.entity] += float64(e.rate)
	f.demand[e.entity] += int32(e.demand)
}

// look returns the distance at a time, and notes what groups have used by then.
func (f *flow) look(at int64, groups []GroupShare) float64 {
	targets, used, all := 0., 0., 0.
	byGroup := make([]float64, len(groups))
	for entity := range f.usage {
		f.settle(int32(entity), at)
		all += f.usage[entity]
		byGroup[f.groupOf[entity]] += f.usage[entity]
		if f.demand[entity] > 0 && f.isMeasured(entity) {
			targets += f.Percentages[entity]
			used += f.usage[entity]
		}
	}
	for i, x := range byGroup {
		groups[i].Used = append(groups[i].Used, x/all)
	}
	if targets <= 0 || used <= 0 {
		return math.NaN()
	}
	distance := 0.
	for entity, demand := range f.demand {
		if demand > 0 && f.isMeasured(entity) {
			distance += math.Abs(f.usage[entity]/used - f.Percentages[entity]/targets)
		}
	}
	return distance / 2
}
