package study

import (
	"fmt"
	"time"

	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
)

// Stop is where somebody interrupted the first runs of a study. What was observed and all policies are then told up to one time, so that
// rows of a table are of the same jobs.
type Stop struct {
	At      int64   // up to which all policies that are told were replayed
	LeftOut []int64 // of the policies that follow them, which came less than half as far as the first one, up to when each was replayed
}

// stopOf returns where the first runs of policies were interrupted, nil where they are whole.
func stopOf(policies []*Measured) *Stop {
	first := policies[0].First.Result
	begin, half := first.Work.First, (first.Reached()-first.Work.First)/2
	stop, isCut := &Stop{At: first.Work.Last}, false
	for _, m := range policies {
		at := m.First.Result.Reached()
		isCut = isCut || m.First.Result.IsCut
		if at-begin < half || stop.LeftOut != nil {
			stop.LeftOut = append(stop.LeftOut, at)
		} else {
			stop.At = min(stop.At, at)
		}
	}
	if !isCut {
		return nil
	}
	return stop
}

// cut makes all that is told of a study up to where its first runs were interrupted, and returns what is left. Other runs are not told.
func (s *Study) cut(all []*Measured) []*Measured {
	if s.Stop = stopOf(all[1:]); s.Stop == nil {
		return all
	}
	n := len(s.Policies) - len(s.Stop.LeftOut)
	s.Policies, all = s.Policies[:n], all[:n+1]
	s.findCounted()
	for _, m := range all[1:] {
		o := m.First
		o.end, o.Counted, o.shares, o.trust = s.end, nil, nil, nil
		o.count()
		isCut := m.IsCut
		*m = *s.nothing(m.Policy)
		m.add(s, s.measure(o, true))
		m.IsCut = isCut
	}
	return all
}

// last returns up to when things are told that happen all the time: the last time of the record, or where somebody interrupted.
func (s *Study) last() int64 {
	if s.Stop != nil {
		return s.Stop.At
	}
	return s.Work.Last
}

// EndWords say what the end of waits is.
func (s *Study) EndWords() string {
	if s.Stop != nil && s.end == outcome.End(s.Stop.At) {
		return "the time up to which all is replayed"
	}
	return "the last start of the record"
}

// Text says up to when a study of some policies is told that somebody interrupted, and which others it leaves out.
func (s *Stop) Text(told int, zone *time.Location) string {
	text := fmt.Sprintf("interrupted: all figures are of the time until %s, up to which %s replayed", moment.Clock(s.At, zone), policiesAre(told))
	var until []string
	for i, at := range s.LeftOut {
		until = append(until, fmt.Sprintf("policy %d until %s", told+i+1, moment.Clock(at, zone)))
	}
	if len(until) > 0 {
		text += "; not told is what came less than half as far, or follows it: " + report.Listed(until)
	}
	return text
}

// policiesAre returns how many policies there are as the begin of a clause.
func policiesAre(n int) string {
	switch n {
	case 1:
		return "policy 1 is"
	case 2:
		return "policies 1 and 2 are"
	}
	return fmt.Sprintf("policies 1 to %d are", n)
}
