package study

import (
	"math"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/trace"
)

// Outcome is how one run of a policy went, or what was observed.
type Outcome struct {
	Jobs    []*trace.Job    // in the order of the study's work
	Counted []*trace.Job    // those whose figures count; one that never starts is left out, or has its start at the end
	Result  *outcome.Result // nil for what was observed

	study  *Study
	cpus   float64 // of the cluster
	course *outcome.UsageCourse
	shares *Shares
}

// findCounted notes which jobs count in figures: those that have started by the record, so
// that their waits can be compared, or all if none has. A job that fits nowhere on the
// cluster of one policy counts under no policy.
func (s *Study) findCounted() {
	some := false
	s.counted = make([]bool, len(s.Work.Jobs))
	for i, j := range s.Work.Jobs {
		s.counted[i] = j.Start != trace.Unknown
		some = some || s.counted[i]
	}
	for i := range s.counted {
		s.counted[i] = s.counted[i] || !some
	}
	for _, p := range s.Policies {
		for i, isImpossible := range p.Impossible() {
			s.counted[i] = s.counted[i] && !isImpossible
		}
	}
}

// observed returns the outcome that was recorded.
func (s *Study) observed() *Outcome {
	o := &Outcome{Jobs: s.Work.TraceJobs(), study: s, cpus: s.CPUs}
	for i, j := range o.Jobs {
		if s.counted[i] && j.Start != trace.Unknown {
			o.Counted = append(o.Counted, j)
		}
	}
	return o
}

// isUnknown reports whether nothing was observed: whether an outcome is that of a record
// without starts.
func (o *Outcome) isUnknown() bool { return o.Result == nil && len(o.Counted) == 0 }

// outcome returns how a replay went. What was replayed may be the study's work as shaken, in
// which jobs have another order; the outcome has them in that of the study.
func (s *Study) outcome(r *outcome.Result, cpus float64) *Outcome {
	o := &Outcome{Jobs: make([]*trace.Job, len(s.Work.Jobs)), Result: r, study: s, cpus: cpus, course: r.Course}
	if r.Course != nil {
		in := *r.Course
		in.Rates, in.EntityOf = make([]float64, len(o.Jobs)), make([]int32, len(o.Jobs))
		for i, rate := range r.Course.Rates {
			of := r.Work.Origin(i)
			in.Rates[of], in.EntityOf[of] = rate, r.Course.EntityOf[i]
		}
		o.course = &in
	}
	for i, j := range r.Jobs() {
		o.Jobs[r.Work.Origin(i)] = j
	}
	for i, j := range o.Jobs {
		if !s.counted[i] || r.IsCut && float64(j.Arrival) > r.Until {
			continue
		}
		if j.Start == trace.Unknown && s.LeavesOut {
			continue
		}
		if j.Start == trace.Unknown {
			waited := *j
			waited.Start = max(j.Arrival, o.leftAt(i))
			j = &waited
		}
		o.Counted = append(o.Counted, j)
	}
	return o
}

// CPUs returns how many cpus the cluster has that the jobs of an outcome have run on.
func (o *Outcome) CPUs() float64 { return o.cpus }

// leftAt returns until when a job has waited: its start, its deletion, or the end of the
// replay. A job of which the record tells neither start nor deletion counts as not having
// waited.
func (o *Outcome) leftAt(job int) int64 {
	of, j := o.study.Work.Jobs[job], o.Jobs[job]
	switch {
	case j.Start != trace.Unknown:
		return j.Start
	case of.Deleted != trace.Unknown:
		return of.Deleted
	case o.Result != nil && j.State == trace.Deleted && j.End != trace.Unknown:
		return j.End // what it waited for could not come any more
	case o.Result != nil:
		return int64(o.Result.Until)
	}
	return j.Arrival
}

// figure returns what a figure of an outcome comes to, NaN where nothing was observed.
func (o *Outcome) figure(f figure.Figure) float64 {
	if o.isUnknown() {
		return math.NaN()
	}
	return f.Of(o.study.Work.Trace, o.Counted, o)
}

// Started returns how many jobs have started up to the end of the record.
func (o *Outcome) Started() float64 {
	n := 0.
	for _, j := range o.Jobs {
		if j.Start != trace.Unknown && j.Start <= o.study.Work.Last {
			n++
		}
	}
	return n
}

// Preempted returns how often jobs were preempted, NaN for what was observed.
func (o *Outcome) Preempted() float64 {
	if o.Result == nil {
		return math.NaN()
	}
	return float64(o.Result.Preempt)
}

// Utilisation returns the part of the cluster that jobs occupy on average. The first and the
// last tenth of the time do not count.
func (o *Outcome) Utilisation() float64 {
	w := o.study.Work
	return w.Trace.OccupancyOf(o.Jobs).MeanInside(w.First, w.Last) / o.cpus
}
