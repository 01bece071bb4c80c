package replay

import (
	"cmp"
	"math"
	"slices"

	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// recordKind is what the record shows. In a second the one with the lower number comes first.
type recordKind uint8

const (
	runEnds recordKind = iota
	runStops
	jobGone // while it waited
	jobChanges
	jobComes
	runGoesOn
	runStarts
)

// recordEvent is something that the record shows.
type recordEvent struct {
	at   int64
	job  int32
	run  int32 // of Earlier, or -1 for the last one
	kind recordKind
}

// eachEvent hands over what the record shows of a job, besides changes of what it asks for.
func eachEvent(w *work.Work, job int32, add func(at int64, kind recordKind, run int)) {
	j := w.Jobs[job]
	if !j.WasRunning {
		add(j.Arrival, jobComes, 0)
	}
	for k, run := range j.Earlier() {
		if run.Start >= w.First {
			add(run.Start, runStarts, k)
		}
		add(run.End, runEnds, k)
	}
	for _, p := range j.Pauses() {
		add(p.Start, runStops, -1)
		if p.End != math.MaxInt64 && p.End != trace.Unknown {
			add(p.End, runGoesOn, -1)
		}
	}
	switch {
	case j.State == trace.Deleted && j.End != trace.Unknown:
		add(j.End, jobGone, -1)
	case j.Deleted != trace.Unknown:
		add(j.Deleted, jobGone, -1)
	case j.Start != trace.Unknown && j.State != trace.Waiting:
		if !j.WasRunning {
			add(j.Start, runStarts, -1)
		}
		if j.State == trace.Ended && j.End != trace.Unknown {
			add(j.End, runEnds, -1)
		}
	}
}

func sortEvents(events []recordEvent) {
	slices.SortStableFunc(events, func(a, b recordEvent) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind))
	})
}

// recordedPlaces are the places of a record's jobs, of each job in a list.
type recordedPlaces struct {
	trace   *trace.Trace
	next    []int32 // by place
	firstOf []int32 // by job of the trace, its first place, -1 for none
}

func placesOf(t *trace.Trace) *recordedPlaces {
	p := &recordedPlaces{trace: t, next: make([]int32, len(t.Places)), firstOf: make([]int32, len(t.Jobs))}
	for i := range p.firstOf {
		p.firstOf[i] = -1
	}
	for i := len(t.Places) - 1; i >= 0; i-- {
		of := t.Places[i].Job
		p.next[i] = p.firstOf[of]
		p.firstOf[of] = int32(i)
	}
	return p
}

// of returns the exec_vnode of a run of a job of the trace that began at a time, "" where the record does not tell.
func (p *recordedPlaces) of(record int, start int64) string {
	if record < 0 {
		return ""
	}
	found := ""
	for i := p.firstOf[record]; i >= 0; i = p.next[i] {
		if p.trace.Places[i].Start == start {
			found = p.trace.ExecVnodes.List[p.trace.Places[i].Vnodes]
		}
	}
	return found
}
