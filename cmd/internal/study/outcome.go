package study

import (
	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/replay"
	"fairshare/cmd/internal/trace"
)

// Outcome is how one run of a policy went, or what was observed.
type Outcome struct {
	Jobs    []*trace.Job // in the order of the study's work
	Counted []*trace.Job // those whose figures count; one that never started has waited to the end
	Result  *replay.Result

	study     *Study
	cluster   *cluster.Cluster
	preempted int
	accruing  *replay.Accruing
	shares    *Shares
}

// counts reports whether the figures of a job count: whether it has started as recorded,
// so that its wait can be compared; where no job has, all do.
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
	o := &Outcome{Jobs: make([]*trace.Job, len(s.Work.Jobs)), Result: r, study: s, cluster: on, preempted: r.Preempt, accruing: r.Accruing}
	if r.Accruing != nil {
		in := *r.Accruing
		in.Rates = make([]float64, len(o.Jobs))
		for i, rate := range r.Accruing.Rates {
			in.Rates[r.Work.Origin(i)] = rate
		}
		o.accruing = &in
	}
	for i, j := range r.Jobs() {
		o.Jobs[r.Work.Origin(i)] = j
	}
	for i, j := range o.Jobs {
		if !s.counted[i] {
			continue
		}
		if j.Start == trace.Unknown {
			waited := *j
			waited.Start = max(j.Arrival, int64(r.Until))
			j = &waited
		}
		o.Counted = append(o.Counted, j)
	}
	return o
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

// utilisation returns the part of the cluster that jobs occupy, without the first and
// the last tenth of the time.
func (o *Outcome) utilisation() float64 {
	w := o.study.Work
	return trace.MeanInside(w.Trace.Occupations(o.Jobs), w.First, w.Last) / o.cluster.Total("ncpus")
}
