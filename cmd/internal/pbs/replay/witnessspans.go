package replay

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync"

	"fairshare/cmd/internal/ahead"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/work"
)

// A long record is judged in spans of time, each from the state that the record has at its begin: so several can be at
// once, and each has only the jobs that are there meanwhile. Where a span begins depends on the record alone.

// recordSpan is a part of a record.
type recordSpan struct {
	from  int64 // since when the rules are asked, so that what they remember of jobs is there at the begin
	begin int64 // the first start that is told
	to    int64 // the first start that is not, math.MaxInt64 for none
	jobs  []int32

	charges *charges // at from
}

// spansOf returns the spans of a record.
func spansOf(w *work.Work, o Options) []*recordSpan {
	const (
		usual  = 20_000 // starts
		before = 1_000  // likewise: longer than most jobs wait
	)
	length, warmUp := usual, before
	if o.span > 0 {
		length, warmUp = o.span, o.warmUp
	}
	var starts []int64
	for i := range w.Jobs {
		eachEvent(w, int32(i), func(at int64, kind recordKind, _ int) {
			if kind == runStarts {
				starts = append(starts, at)
			}
		})
	}
	if len(starts) < 2*length {
		return nil
	}
	slices.Sort(starts)
	spans := []*recordSpan{{from: math.MinInt64, begin: math.MinInt64}}
	for k := length; k+length/2 < len(starts); k += length {
		last := spans[len(spans)-1]
		if s := (&recordSpan{from: starts[max(0, k-warmUp)], begin: starts[k]}); s.begin > last.begin {
			last.to = s.begin
			spans = append(spans, s)
		}
	}
	spans[len(spans)-1].to = math.MaxInt64
	shareOut(w, spans, int64(math.Ceil((mostOfBurst+1)*Uncertainty(o.Latency))))
	return spans
}

// shareOut gives each span the jobs that are there meanwhile, and those that come so soon after it that they may be of one cycle
// with its last starts.
func shareOut(w *work.Work, spans []*recordSpan, soon int64) {
	for i := range w.Jobs {
		first, last, isOver := int64(math.MaxInt64), int64(math.MinInt64), false
		eachEvent(w, int32(i), func(at int64, kind recordKind, run int) {
			first, last = min(first, at), max(last, at)
			isOver = isOver || run < 0 && (kind == runEnds || kind == jobGone)
		})
		if w.Jobs[i].WasRunning {
			first = w.First
		}
		if !isOver {
			last = math.MaxInt64
		}
		at, _ := slices.BinarySearchFunc(spans, last, func(s *recordSpan, at int64) int { // the first one that begins later
			if s.from <= at {
				return -1
			}
			return 1
		})
		for k := at - 1; k >= 0 && (spans[k].to == math.MaxInt64 || first < spans[k].to+soon); k-- {
			spans[k].jobs = append(spans[k].jobs, int32(i))
		}
	}
}

// heard is what is found in a span.
type heard struct {
	list []*Decision
	late map[int32]lateness // of the jobs that wait on behind it
	err  error
}

// decideSpans judges the spans of a record, some at a time.
func decideSpans(ctx context.Context, w *work.Work, plan *order.Plan, c *cluster.Cluster, o Options, spans []*recordSpan, yield func(*Decision)) error {
	if err := findCharges(w, plan, c, &o, spans); err != nil {
		return err
	}
	recorded := placesOf(w.Trace)
	eligible := sync.OnceValues(func() ([]float64, float64) { return work.FirstEligible(w, o.Latency) })
	o.throttles = hasThrottles(w)
	late := map[int32]lateness{} // of jobs that kept waiting into the span
	judge := func(ctx context.Context, k int) heard {
		return spans[k].decide(ctx, w, plan, c, o, recorded, eligible)
	}
	return ahead.Each(ctx, len(spans), o.Workers, judge, func(k int, of heard) error {
		if of.err != nil {
			return of.err
		}
		if o.Progress != nil {
			o.Progress(k+1, len(spans))
		}
		s := spans[k]
		for _, d := range of.list {
			s.join(d, late)
			if d.At != 0 || d.matters(w) {
				yield(d)
			}
		}
		for job, l := range of.late {
			if _, isKnown := late[job]; !isKnown && l.since >= s.begin {
				late[job] = l
			}
		}
		s.jobs, s.charges = nil, nil
		return nil
	})
}

// join says of a job that came to a span waiting what has been found before it.
func (s *recordSpan) join(d *Decision, late map[int32]lateness) {
	l, isKnown := late[d.Job]
	switch {
	case isKnown:
		d.Since, d.Beside, d.IsFree = l.since, l.beside, l.isFree
		delete(late, d.Job)
	case d.Since < s.begin:
		d.Since, d.Beside, d.IsFree = 0, nil, false
	}
}

// decide judges a span.
func (s *recordSpan) decide(ctx context.Context, w *work.Work, plan *order.Plan, c *cluster.Cluster, o Options, recorded *recordedPlaces, eligible func() ([]float64, float64)) (of heard) {
	part := w.Part(s.jobs)
	o.Progress = nil
	g, err := newWitness(part, plan, c, o, recorded)
	if err != nil {
		return heard{err: err}
	}
	if g.accruals.isOn {
		first, most := eligible()
		if g.clocks.first, g.clocks.most = nil, most; first != nil {
			for _, job := range s.jobs {
				g.clocks.first = append(g.clocks.first, first[job])
			}
		}
	}
	whole := func(job int32) int32 { return s.jobs[job] }
	g.isSpan = true
	g.yield = func(d *Decision) {
		if d.At != 0 && d.At < s.begin {
			return
		}
		d.Job = whole(d.Job)
		for i := range d.Passed {
			d.Passed[i].Job = whole(d.Passed[i].Job)
		}
		of.list = append(of.list, d)
	}
	g.begin()
	if s.charges != nil { // it is not the first one
		for ; g.happened < len(g.events) && g.events[g.happened].at < s.from; g.happened++ {
			g.skip(g.events[g.happened])
		}
		of.list = of.list[:0]
		clear(g.late)
		s.charges.give(g, s.jobs)
	}
	if of.err = g.through(ctx, s.to, nil); of.err != nil {
		return of
	}
	if s.to == math.MaxInt64 {
		g.closeRecord()
	}
	of.late = map[int32]lateness{}
	for job, l := range maps.All(g.late) {
		of.late[whole(job)] = l
	}
	of.err = g.err
	return of
}

// skip lets an event happen that is over when the rules are asked first. What was used up to then is known from elsewhere.
func (g *witness) skip(ev recordEvent) {
	g.turn(float64(ev.at))
	switch ev.kind {
	case runStarts:
		g.soon++
		g.impose(g.newStart(&ev), ev)
	case runStops:
		g.stop(ev.job)
	default:
		g.change(ev)
	}
}
