package witness

import (
	"context"
	"strings"
)

// Judgement is how far the rules hold at a site.
type Judgement struct {
	Facts    Facts
	Counts   Counts
	Moments  Moments
	Queues   []Part // by queue or partition, those with most starts first
	Causes   []Cause
	Single   []string // the first starts that differ, in words
	Summary  *Summary
	From, To int64 // the first and the last recorded start
	IsCut    bool  // whether somebody interrupted: it is of the starts up to To
}

// Counts are how many starts there are, and what is found of them.
type Counts struct {
	Starts int
	Hours  float64      // cpu hours
	Sides  [sides]Score // by Side
}

// Score is how many starts are judged on one side, and how many differ, in starts and in cpu hours.
type Score struct {
	Judged, Differ           int
	JudgedHours, DifferHours float64
}

// Share returns the part of the judged starts that are as the rules have it, NaN for none.
func (s Score) Share() float64 { return float64(s.Judged-s.Differ) / float64(s.Judged) }

// HoursShare returns the same part in cpu hours.
func (s Score) HoursShare() float64 { return (s.JudgedHours - s.DifferHours) / s.JudgedHours }

// Part is the starts of one queue or partition.
type Part struct {
	Name string
	Counts
}

// Judge goes through a record and finds out where the rules do not hold. Where the context is done in the midst of it, it
// is of the starts that were judged by then.
func Judge(ctx context.Context, r Record) (*Judgement, error) {
	j := &Judgement{Facts: r.Facts()}
	queues := map[string]*Part{}
	table := newTable(j.Facts)
	all := newParties(j.Facts)
	err := EachStart(ctx, r, func(s *Start) {
		if s.At != 0 {
			if j.From == 0 {
				j.From = s.At
			}
			j.To = s.At
		}
		j.Counts.add(s)
		part := queues[s.Queue]
		if part == nil {
			name := strings.Clone(s.Queue)
			part = &Part{Name: name}
			queues[name] = part
		}
		part.add(s)
		table.add(s)
		all.add(s)
		j.single(s)
	})
	j.IsCut = ctx.Err() != nil
	if err != nil && (!j.IsCut || j.Counts.Starts == 0) {
		return nil, err
	}
	j.Queues = sorted(queues)
	j.Causes = table.causes()
	j.Summary = all.summary()
	j.Moments = j.Summary.Moments
	j.guess(ctx, r)
	return j, nil
}

// mostBeside is how many starts are judged beside another answer, which takes some seconds at most.
const mostBeside = 20_000

// Summarize goes through a record and returns how far the rules hold, by its first starts and without looking for
// causes.
func Summarize(ctx context.Context, r Record) (*Summary, error) { return summarize(ctx, r, mostBeside) }

// summarize is Summarize of so many starts at most.
func summarize(ctx context.Context, r Record, most int) (*Summary, error) {
	facts := r.Facts()
	if facts.OfSome != "" {
		return &Summary{ofSome: facts.OfSome}, nil
	}
	all := newParties(facts)
	enough, stop := context.WithCancel(ctx)
	defer stop()
	isCut := false
	err := EachStart(enough, r, func(s *Start) {
		if isCut = isCut || all.all.bad+all.all.good == most; isCut {
			stop()
			return
		}
		all.add(s)
	})
	if err != nil && (!isCut || ctx.Err() != nil) {
		return nil, err
	}
	found := all.summary()
	found.IsCut = isCut
	return found, nil
}

// EachStart hands over the starts of a record as Record.Starts does, without what depends on the order of jobs where
// nothing tells it.
func EachStart(ctx context.Context, r Record, yield func(*Start)) error {
	if r.Facts().NoOrder == "" {
		return r.Starts(ctx, yield)
	}
	return r.Starts(ctx, func(s *Start) {
		s.withoutOrder()
		yield(s)
	})
}

// add counts a start.
func (c *Counts) add(s *Start) {
	if s.At != 0 {
		c.Starts++
		c.Hours += s.Hours
	}
	for side := range sides {
		c.Sides[side].add(s, side)
	}
}

// add counts a start on one side, if it is judged there.
func (c *Score) add(s *Start, side Side) {
	v := s.Verdict(side)
	if v.Finding == Unjudged {
		return
	}
	c.Judged++
	c.JudgedHours += s.Hours
	if v.Finding == Differs {
		c.Differ++
		c.DifferHours += s.Hours
	}
}
