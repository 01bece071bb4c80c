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
	Counted []outcome.Wait  // of those whose figures count and that have come by the end of the record
	Result  *outcome.Result // nil for what was observed

	study  *Study
	end    outcome.End // up to which waits are told
	cpus   float64     // of the cluster
	course *outcome.UsageCourse
	shares *Shares
	trust  *outcome.Trust // nil before it is asked for
}

// findCounted notes up to when waits are told and which jobs count in figures: those that have come by
// the end of the record, or all if it shows no start. A job that fits nowhere on the
// cluster of one policy counts under no policy.
func (s *Study) findCounted() {
	s.end = outcome.EndOf(s.Work)
	if s.Stop != nil {
		s.end = min(s.end, outcome.End(s.Stop.At))
	}
	s.counted = make([]bool, len(s.Work.Jobs))
	for i, j := range s.Work.Jobs {
		s.counted[i] = !s.end.IsKnown() || s.end.Counts(j)
	}
	for _, p := range s.Policies {
		for i, isImpossible := range p.Impossible() {
			s.counted[i] = s.counted[i] && !isImpossible
		}
	}
}

// End returns up to when waits are told.
func (s *Study) End() outcome.End { return s.end }

// observed returns the outcome that was recorded.
func (s *Study) observed() *Outcome {
	o := &Outcome{Jobs: s.Work.TraceJobs(), study: s, end: s.end, cpus: s.CPUs}
	if s.end.IsKnown() {
		o.count()
	}
	return o
}

// count finds the waits of the jobs that count.
func (o *Outcome) count() {
	if o.study.NoFigures {
		return
	}
	for i := range o.Jobs {
		if !o.study.counted[i] {
			continue
		}
		if w, ok := o.wait(i); ok {
			o.Counted = append(o.Counted, w)
		}
	}
}

// wait returns how long a job has waited. ok is false for one that comes only after the end.
func (o *Outcome) wait(job int) (w outcome.Wait, ok bool) {
	w, ok = o.end.Wait(o.Jobs[job], o.leftAt(job))
	of := o.study.Work.Jobs[job]
	w.IsGuess = !of.IsEndKnown
	if n := len(of.Runs); n > 0 { // the last one ends it
		w.Takes = of.Runs[n-1]
	}
	return w, ok
}

// isUnknown reports whether nothing was observed: whether an outcome is that of a record
// without starts.
func (o *Outcome) isUnknown() bool { return o.Result == nil && len(o.Counted) == 0 }

// outcome returns how a replay went. What was replayed may be the study's work as shaken, in
// which jobs have another order; the outcome has them in that of the study.
func (s *Study) outcome(r *outcome.Result, cpus float64) *Outcome {
	o := &Outcome{Jobs: make([]*trace.Job, len(s.Work.Jobs)), Result: r, study: s, end: s.end, cpus: cpus, course: r.Course}
	if !s.end.IsKnown() {
		o.end = outcome.End(r.Until)
	}
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
	o.count()
	return o
}

// Course returns how usage grows and decays, nil where nothing asked for it or there is no tree.
func (o *Outcome) Course() *outcome.UsageCourse { return o.course }

// CPUs returns how many cpus the cluster has that the jobs of an outcome have run on.
func (o *Outcome) CPUs() float64 { return o.cpus }

// leftAt returns until when a job has waited: its start, its deletion, or trace.Unknown for one that waits
// to the end.
func (o *Outcome) leftAt(job int) int64 {
	of, j := o.study.Work.Jobs[job], o.Jobs[job]
	switch {
	case j.Start != trace.Unknown:
		return j.Start
	case of.Deleted != trace.Unknown:
		return of.Deleted
	case o.Result != nil && j.State == trace.Deleted && j.End != trace.Unknown:
		return j.End // what it waited for could not come any more
	}
	return trace.Unknown
}

// figure returns what a figure of an outcome comes to, NaN where nothing was observed, and whether it is
// only known to be longer.
func (o *Outcome) figure(f figure.Figure) (value float64, isLonger bool) {
	if o.isUnknown() {
		return math.NaN(), false
	}
	return f.Of(o.study.Work.Trace, o.Counted, o)
}

// Trust returns how near a replay comes to what has happened. It is found out once.
func (o *Outcome) Trust() outcome.Trust {
	if o.trust == nil {
		trust := o.Result.TrustUntil(o.study.end)
		o.trust = &trust
	}
	return *o.trust
}

// LeftWaiting returns how many jobs wait when the record ends.
func (o *Outcome) LeftWaiting() float64 { return float64(outcome.Left(o.Counted).Jobs) }

// LeftCoreHours returns the core hours of the jobs that wait when the record ends: of their runs in the record, and those that they
// asked for where it does not tell how long they ran.
func (o *Outcome) LeftCoreHours() float64 { return outcome.Left(o.Counted).CoreHours() }

// Witness returns which part of the recorded starts are what the rules of the first policy give, NaN where nothing
// has judged them.
func (o *Outcome) Witness() float64 { return o.study.Judged.Share() }

// IsTold reports whether a start of a replay, 0 for none, is one that is told: all of them, where nobody interrupted.
func (o *Outcome) IsTold(start float64) bool {
	return start > 0 && (o.study.Stop == nil || outcome.Second(start) <= o.study.Stop.At)
}

// Started returns how many jobs have started by the end of the record.
func (o *Outcome) Started() float64 {
	n := 0.
	for _, j := range o.Jobs {
		if j.Start != trace.Unknown && outcome.End(j.Start) <= o.end {
			n++
		}
	}
	return n
}

// Preempted returns how often jobs were preempted, NaN where that is not known.
func (o *Outcome) Preempted() float64 {
	p := o.Preemptions()
	if p == nil {
		return math.NaN()
	}
	return float64(p.Count())
}

// Preemptions counts how jobs were preempted, nil where the record does not tell it, and for what was replayed further than is told.
func (o *Outcome) Preemptions() *outcome.Preemptions {
	switch {
	case o.Result == nil:
		return o.study.Preempted
	case o.Result.Reached() > o.study.last():
		return nil
	}
	return &o.Result.Preempt
}

// Utilisation returns the part of the cluster that jobs occupy on average. The first and the
// last tenth of the time do not count.
func (o *Outcome) Utilisation() float64 {
	w := o.study.Work
	return w.Trace.OccupancyOf(o.Jobs).MeanInside(w.First, o.study.last()) / o.cpus
}
