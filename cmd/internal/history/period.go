// Package history tells what accounting logs show of a period: which jobs waited and ran in
// it, what they occupied, and the waits and core hours by queue, user, group and size.
package history

import (
	"math"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// Period is the time that is asked for.
type Period struct {
	From, To int64 // of a History that is closed, cut to the time of the logs
	IsWhole  bool  // whether it is all of that

	Zone *time.Location // in which it is asked for
}

// NewPeriod returns the time between two moments, nil for the begin and the end of the logs.
func NewPeriod(from, to *moment.Moment, zone *time.Location) (Period, error) {
	p := Period{From: math.MinInt64, To: math.MaxInt64, IsWhole: from == nil && to == nil, Zone: zone}
	for _, bound := range []struct {
		given *moment.Moment
		of    *int64
	}{{from, &p.From}, {to, &p.To}} {
		if bound.given != nil {
			at, err := bound.given.In(zone)
			if err != nil {
				return p, err
			}
			*bound.of = at.Unix()
		}
	}
	return p, nil
}

// cutTo returns the part of a period that lies in the time of a trace.
func (p Period) cutTo(t *trace.Trace) Period {
	return Period{max(p.From, t.First), min(p.To, t.Last+1), p.IsWhole, p.Zone}
}

// CheckMoments returns what is wrong with the begin and the end of a period beside each
// other, which are nil where they are not given.
func CheckMoments(from, to *moment.Moment, zone *time.Location) error {
	if from == nil || to == nil {
		return nil
	}
	begin, err := from.In(zone)
	if err != nil {
		return err
	}
	end, err := to.In(zone)
	if err == nil && !begin.Before(end) {
		return diag.Requestf("--from %s is not earlier than --to %s", begin.In(zone).Format(moment.Layout), end.In(zone).Format(moment.Layout))
	}
	return err
}

// has reports whether a time lies in the period.
func (p Period) has(at int64) bool { return at != trace.Unknown && at >= p.From && at < p.To }

// touches reports whether a job has waited or run in the period.
func (p Period) touches(j *trace.Job) bool {
	if p.IsWhole {
		return true
	}
	first, last := spanOf(j)
	return first < p.To && (last == trace.Unknown || last >= p.From)
}

// spanOf returns from when to when a job waited and ran, the end Unknown where it goes on.
func spanOf(j *trace.Job) (first, last int64) {
	first, last = j.Arrival, j.End
	if first == trace.Unknown {
		first = j.Start
	}
	for _, r := range j.Earlier() {
		first = min(first, r.Start)
	}
	return first, last
}

// outside is which of the jobs that are asked for waited and ran at other times than those of the period.
type outside struct {
	jobs        int
	first, last int64
}

func (o *outside) add(j *trace.Job) {
	first, last := spanOf(j)
	if last == trace.Unknown {
		last = max(first, j.Start)
	}
	if o.jobs++; o.jobs == 1 {
		o.first, o.last = first, last
	}
	o.first, o.last = min(o.first, first), max(o.last, last)
}

// remark says when the jobs were there instead.
func (o *outside) remark(c Choice, zone *time.Location) diag.Remark {
	first, last := moment.Clock(o.first, zone), moment.Clock(o.last, zone)
	if o.jobs == 1 && len(c.Jobs) == 1 {
		return diag.Warningf("job %s neither waited nor ran in this time: the logs tell of it from %s to %s", c.Jobs[0], first, last)
	}
	return diag.Warningf("none of the %s asked for waited or ran in this time: the logs tell of them from %s to %s", report.Count(o.jobs, "job"), first, last)
}

// stateOf returns what a job is at the end of the period.
func (p Period) stateOf(j *trace.Job) trace.State {
	switch {
	case j.State == trace.Deleted && j.End >= p.To, j.Start != trace.Unknown && j.Start >= p.To:
		return trace.Waiting
	case j.State == trace.Ended && j.End >= p.To:
		return trace.Running
	}
	return j.State
}
