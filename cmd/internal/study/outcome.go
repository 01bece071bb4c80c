package study

import (
	"math"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/replay"
	"fairshare/cmd/internal/trace"
)

// Outcome is how one run of a policy went, or what was observed.
type Outcome struct {
	Jobs    []*trace.Job // in the order of the study's work
	Counted []*trace.Job // those whose figures count; one that never started has waited to the end
	Result  *replay.Result

	study   *Study
	cluster *cluster.Cluster
	course  *replay.UsageCourse
	shares  *Shares
}

// findCounted finds the jobs whose figures count: those that have started as recorded, so
// that their waits can be compared; where no job has, all do. A job that fits nowhere on
// the cluster of a policy counts for none.
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
	done := map[*cluster.Cluster]bool{}
	for _, p := range s.Policies {
		if done[p.setup.cluster] {
			continue
		}
		done[p.setup.cluster] = true
		is, _ := s.Work.Impossible(p.setup.cluster)
		for i, isImpossible := range is {
			s.counted[i] = s.counted[i] && !isImpossible
		}
	}
}

// observed returns what was recorded.
func (s *Study) observed() *Outcome {
	o := &Outcome{Jobs: s.Work.TraceJobs(), study: s, cluster: s.Cluster}
	for i, j := range o.Jobs {
		if s.counted[i] && j.Start != trace.Unknown {
			o.Counted = append(o.Counted, j)
		}
	}
	return o
}

// isUnknown reports whether an outcome is what was observed of a record that has no
// starts.
func (o *Outcome) isUnknown() bool { return o.Result == nil && len(o.Counted) == 0 }

// outcome returns how a replay of the study's work went, which may be shaken.
func (s *Study) outcome(r *replay.Result, on *cluster.Cluster) *Outcome {
	o := &Outcome{Jobs: make([]*trace.Job, len(s.Work.Jobs)), Result: r, study: s, cluster: on, course: r.Course}
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
		if j.Start == trace.Unknown {
			waited := *j
			waited.Start = max(j.Arrival, o.leftAt(i))
			j = &waited
		}
		o.Counted = append(o.Counted, j)
	}
	return o
}

// Cluster returns what the jobs of an outcome have run on.
func (o *Outcome) Cluster() *cluster.Cluster { return o.cluster }

// leftAt returns to when a job has waited: its start, when it was deleted, or the end of
// the replay; of what was observed its arrival where nothing is known.
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

// started counts the jobs that have started up to the end of the record.
func (o *Outcome) started() int {
	n := 0
	for _, j := range o.Jobs {
		if j.Start != trace.Unknown && j.Start <= o.study.Work.Last {
			n++
		}
	}
	return n
}

// preempted returns how often a job was preempted, NaN for what was observed.
func (o *Outcome) preempted() float64 {
	if o.Result == nil {
		return math.NaN()
	}
	return float64(o.Result.Preempt)
}

// utilisation returns the part of the cluster that jobs occupy, without the first and
// the last tenth of the time.
func (o *Outcome) utilisation() float64 {
	w := o.study.Work
	return trace.MeanInside(w.Trace.Occupations(o.Jobs), w.First, w.Last) / o.cluster.Total("ncpus")
}
