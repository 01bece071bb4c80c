package study

import (
	"cmp"
	"math"
	"slices"

	"fairshare/cmd/internal/replay"
	"fairshare/cmd/internal/trace"
	"fairshare/fstree"
)

// Shares is how near usage comes to what shares promise, over time. The distance at a
// time is half of the sum of |part of usage - target| over the entities with demand,
// those with a job that waits or runs: 0 where everybody has what is theirs, 1 where all
// usage is with those who have no shares. Targets are tree percentages, usage is
// fairshare_usage_res as it accrues and decays; both are parts of what the entities with
// demand have together.
type Shares struct {
	Times    []int64
	Distance []float64 // by time, NaN where nobody with shares has demand
	Groups   []GroupShare

	Mean        float64 // of Distance, without the first and the last tenth of the time; NaN without a tree
	Convergence float64 // seconds after which Distance stays under Near to the end, NaN if it does not
}

// GroupShare is what a child of the root, with all below it, has used.
type GroupShare struct {
	Name   string
	Target float64   // its part of the shares of all groups that have jobs
	Used   []float64 // by time, its part of all usage
}

// Near is the distance under which usage has converged.
const Near = .05

// samples is at how many times usage is looked at.
const samples = 200

// Shares returns how usage follows the shares in an outcome.
func (o *Outcome) Shares() *Shares {
	if o.shares == nil {
		o.shares = &Shares{Mean: math.NaN(), Convergence: math.NaN()}
		if o.course != nil && !o.isUnknown() {
			o.shares = newFlow(o).follow()
		}
	}
	return o.shares
}

// ShareDistance returns the mean distance of an outcome's usage from what shares promise,
// NaN without a tree.
func (o *Outcome) ShareDistance() float64 { return o.Shares().Mean }

// Convergence returns after how many seconds usage stays near to what shares promise, NaN
// if it does not.
func (o *Outcome) Convergence() float64 { return o.Shares().Convergence }

// flow is usage as it grows and decays.
type flow struct {
	*replay.UsageCourse
	work *replay.Work

	usage, rate []float64 // by entity
	since       []int64   // when usage was last brought up to date
	demand      []int32   // jobs that wait or run
	events      []flowEvent
	groups      []GroupShare
	groupOf     []int32 // by entity
}

// flowEvent is that a job comes, starts or ends.
type flowEvent struct {
	at     int64
	entity int32
	demand int16
	rate   float32
}

func newFlow(o *Outcome) *flow {
	w := o.study.Work
	f := &flow{UsageCourse: o.course, work: w, usage: slices.Clone(o.course.Begin), rate: make([]float64, len(o.course.Begin)), since: make([]int64, len(o.course.Begin)), demand: make([]int32, len(o.course.Begin))}
	for i := range f.since {
		f.since[i] = w.First
	}
	f.events = make([]flowEvent, 0, 4*len(w.Jobs)) // for most jobs
	for i, job := range w.Jobs {
		f.add(job, o.Jobs[i], f.EntityOf[i], f.Rates[i])
	}
	slices.SortFunc(f.events, func(a, b flowEvent) int { return cmp.Compare(a.at, b.at) })
	f.findGroups()
	return f
}

// add adds what a job does. It uses while it runs, and its entity has demand from its
// arrival to its end.
func (f *flow) add(of *replay.Job, j *trace.Job, entity int32, rate float64) {
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
	event(end, -1, 0)
	for _, r := range runs {
		event(r.Start, 0, rate)
		for _, p := range j.Pauses() {
			if p.Start >= r.Start && p.End <= r.End {
				event(p.Start, 0, -rate)
				event(p.End, 0, rate)
			}
		}
		event(r.End, 0, -rate)
	}
}

// findGroups finds the groups that have jobs, those with the largest target first.
func (f *flow) findGroups() {
	numbers := map[string]int32{}
	f.groupOf = make([]int32, len(f.Groups))
	total := 0.
	for entity, name := range f.Groups {
		number, ok := numbers[name]
		if !ok {
			number = int32(len(f.groups))
			numbers[name] = number
			f.groups = append(f.groups, GroupShare{Name: name})
		}
		f.groups[number].Target += f.Percentages[entity]
		f.groupOf[entity] = number
		total += f.Percentages[entity]
	}
	for i := range f.groups {
		if total > 0 {
			f.groups[i].Target /= total
		}
	}
}

// follow lets time pass and looks at usage now and then.
func (f *flow) follow() *Shares {
	s := &Shares{Groups: f.groups}
	first, last := f.work.First, f.work.Last
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

// settle brings an entity's usage up to a time: in each decay period it grows with what
// runs, and at its end it is multiplied with the decay factor, not below the least that
// decay leaves. Of many periods it takes the sum of the series.
func (f *flow) settle(entity int32, at int64) {
	since := f.since[entity]
	if at <= since {
		return
	}
	f.since[entity] = at
	usage, rate := f.usage[entity], f.rate[entity]
	begun := since - mod(since-f.LastDecay, f.DecayTime) // of the period
	n := (at - begun - 1) / f.DecayTime                  // decays until then
	if n == 0 {
		f.usage[entity] = usage + rate*float64(at-since)
		return
	}
	decayed := func(x float64) float64 { return max(fstree.StartUsage, x*f.DecayFactor) }
	usage = decayed(usage + rate*float64(begun+f.DecayTime-since))
	if grown := rate * float64(f.DecayTime); n > 1 {
		power := math.Pow(f.DecayFactor, float64(n-1))
		sum := float64(n - 1)
		if f.DecayFactor != 1 {
			sum = f.DecayFactor * (1 - power) / (1 - f.DecayFactor)
		}
		usage = max(fstree.StartUsage, usage*power+grown*sum)
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

// look notes what groups have used and returns the distance at a time.
func (f *flow) look(at int64, groups []GroupShare) float64 {
	targets, used, all := 0., 0., 0.
	byGroup := make([]float64, len(groups))
	for entity := range f.usage {
		f.settle(int32(entity), at)
		all += f.usage[entity]
		byGroup[f.groupOf[entity]] += f.usage[entity]
		if f.demand[entity] > 0 {
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
		if demand > 0 {
			distance += math.Abs(f.usage[entity]/used - f.Percentages[entity]/targets)
		}
	}
	return distance / 2
}

// summarise finds the mean of the distances and when they stay small.
func (s *Shares) summarise(first, last int64) {
	sum, n := 0., 0
	tenth := len(s.Distance) / 10
	for _, d := range s.Distance[tenth : len(s.Distance)-tenth] {
		if !math.IsNaN(d) {
			sum += d
			n++
		}
	}
	s.Mean, s.Convergence = math.NaN(), math.NaN()
	if n > 0 {
		s.Mean = sum / float64(n)
	}
	for i := len(s.Distance) - 1; i >= 0 && !(s.Distance[i] >= Near); i-- {
		if !math.IsNaN(s.Distance[i]) {
			s.Convergence = float64(s.Times[i] - first)
		}
	}
}
