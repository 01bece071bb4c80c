package sched

import (
	"context"

	"fairshare/cmd/internal/ahead"
)

// A long record is judged in spans of time, several at once. Before a span all that the record has happens without the rules
// being asked. Where spans begin depends on the record alone, and what comes of them on nobody who judges them.

// recordSpan is a part of a record, by the places of starts in their order.
type recordSpan struct {
	from  int // the first start about which the rules are asked
	begin int // the first one that is told
	to    int // behind the last one
}

// Of how many starts a record is at least that is judged in spans, and how many these are behind a first one of so many starts,
// which who wants no more than the first ones has soon. So many starts are judged before the first one of a span: longer than most
// jobs run of which nobody knows how many CPUs they have of each node.
const (
	longRecord  = 40_000
	spansOfLong = 4
	firstSpan   = 20_000
	warmUp      = 500
)

// spansOf returns the spans of a record.
func spansOf(r Recording) []recordSpan {
	n, spans, first, before := len(r.starts()), spansOfLong, firstSpan, warmUp
	switch {
	case r.spans > 0:
		spans, first, before = r.spans-1, n/r.spans, r.warmUp
	case n < longRecord:
		spans, first = 0, n
	}
	list := []recordSpan{{to: first}}
	for k := range spans {
		begin := first + k*(n-first)/spans
		list = append(list, recordSpan{from: max(0, begin-before), begin: begin, to: first + (k+1)*(n-first)/spans})
	}
	return list
}

// heard is what is found in a span.
type heard struct {
	first int // the number of its first start
	list  []*Decision
	late  map[int]lateness // of the jobs that wait on behind it
	err   error
}

// decideSpans judges the spans of a record, some at a time.
func decideSpans(ctx context.Context, s *Setup, r Recording, spans []recordSpan, yield func(*Decision)) error {
	late := map[int]lateness{} // of jobs that kept waiting into the span
	judge := func(ctx context.Context, k int) heard { return spans[k].decide(ctx, s, r) }
	return ahead.Each(ctx, len(spans), r.Workers, judge, func(k int, of heard) error {
		if of.err != nil {
			return of.err
		}
		if r.Tells != nil {
			r.Tells(spans[k].to, spans[len(spans)-1].to)
		}
		begin := r.Runs[of.first].Start
		for _, d := range of.list {
			switch l, isKnown := late[d.Number]; {
			case isKnown:
				d.Since, d.Beside, d.IsFree, d.IsKept = l.since, l.beside, l.isFree, l.isKept
				delete(late, d.Number)
			case k > 0 && d.Since < begin:
				d.Since, d.Beside, d.IsFree, d.IsKept = 0, nil, false, false
			}
			if d.At != 0 || d.Since != 0 {
				yield(d)
			}
		}
		for number, l := range of.late {
			if _, isKnown := late[number]; !isKnown && (k == 0 || l.since >= begin) {
				late[number] = l
			}
		}
		return nil
	})
}

// needsOrder reports whether the order of jobs matters to which a sweep comes: not before a span, but for the last sweeps
// before its first start about which the rules are asked.
func (g *judge) needsOrder() bool {
	const last = 2
	return g == nil || g.isWhole || g.asked == 0 || g.now+last*g.period() >= g.Runs[g.starts[g.asked]].Start
}

// decide judges a span.
func (s recordSpan) decide(ctx context.Context, of *Setup, r Recording) (found heard) {
	r.Tells = nil
	g := newJudge(ctx, of, r)
	g.isSpan, g.asked = true, s.from
	told := false
	g.yield = func(d *Decision) {
		if told {
			d.Job = nil // which would be kept with it
			found.list = append(found.list, d)
		}
	}
	found.first = int(g.starts[s.begin])
	if found.err = g.through(ctx, s.begin); found.err != nil {
		return found
	}
	told = true
	if found.err = g.through(ctx, s.to); found.err != nil {
		return found
	}
	if s.to == len(g.starts) {
		g.closeRecord()
	}
	found.late = g.late
	return found
}
