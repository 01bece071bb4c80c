// Package history tells what accounting logs show of a period: which jobs waited and ran in
// it, what they occupied, and the waits and core hours by queue, user, group and size.
package history

import (
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/trace"
)

// Period is the time that is asked for.
type Period struct {
	From, To int64 // cut to that of the logs
	IsWhole  bool  // whether it is all of that
}

// NewPeriod returns the part of the time of a trace between two moments, nil for its own
// begin and end.
func NewPeriod(t *trace.Trace, from, to *moment.Moment, zone *time.Location) (Period, error) {
	p := Period{From: t.First, To: t.Last + 1, IsWhole: from == nil && to == nil}
	if from != nil {
		at, err := from.In(zone)
		if err != nil {
			return p, err
		}
		p.From = max(p.From, at.Unix())
	}
	if to != nil {
		at, err := to.In(zone)
		if err != nil {
			return p, err
		}
		p.To = min(p.To, at.Unix())
	}
	return p, nil
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
	first, last := j.Arrival, j.End
	if first == trace.Unknown {
		first = j.Start
	}
	for _, r := range j.Earlier() {
		first = min(first, r.Start)
	}
	return first < p.To && (last == trace.Unknown || last >= p.From)
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
