package work

import (
	"cmp"
	"slices"

	"fairshare/cmd/internal/trace"
)

// Yield returns for how long a cycle waits for the jobs that go for one, those that are suspended and those that are
// requeued, as recorded runs show it: mom suspends them one after the other, each in a fourth of the time of the first, so
// that of 2 or 3 the last leaves 3 to 4 s after the first, of 9 12 s and of 14 20 s. Of jobs that are requeued the second one
// leaves 3 to 4 s after the first, which takes 8 to 10 s, and all others within a second of that. Both go on at a time.
func (l Latency) Yield(suspended, requeued int) (seconds float64) {
	if suspended > 0 {
		seconds = l.Suspend * (1 + .25*float64(suspended-1))
	}
	switch requeued {
	case 0:
		return seconds
	case 1:
		return max(seconds, l.Requeue)
	}
	return max(seconds, 1.4*l.Requeue)
}

// victims are jobs that leave together, for another one.
type victims struct {
	from, to            int64 // when the first and the last one leave
	suspended, requeued int
}

// victimsOf returns who leaves together in a record, in their order.
func victimsOf(w *Work) (all []victims) {
	var each []victims
	for _, j := range w.Jobs {
		for _, p := range j.Pauses() {
			each = append(each, victims{p.Start, p.Start, 1, 0})
		}
	}
	for _, run := range w.Preempted {
		each = append(each, victims{run.End, run.End, 0, 1})
	}
	slices.SortFunc(each, func(a, b victims) int { return cmp.Compare(a.from, b.from) })
	const apart = 4 // seconds
	for _, v := range each {
		if n := len(all); n > 0 && v.from-all[n-1].to <= apart {
			last := &all[n-1]
			last.to, last.suspended, last.requeued = v.to, last.suspended+v.suspended, last.requeued+v.requeued
			continue
		}
		all = append(all, v)
	}
	return all
}

// within returns those who leave after a time, up to another one.
func within(all []victims, after, to int64) []victims {
	before := func(v victims, at int64) int { return cmp.Compare(v.to, at) }
	first, _ := slices.BinarySearchFunc(all, after+1, before)
	last, _ := slices.BinarySearchFunc(all, to+1, before)
	return all[first:max(first, last)]
}

// preemptLatency finds for how long a cycle waits for a job that it suspends, and for one that it requeues, as a
// record shows it: how much later than others those jobs start that start soon after they came, with others
// preempted meanwhile. Where it shows but one of both, the other one is taken to last as long.
func (l *Latency) preemptLatency(w *Work, waiting func(at int64) int) {
	all := victimsOf(w)
	const soon = 120 // seconds
	var suspend, requeue []float64
	for _, j := range w.Jobs {
		if j.Start == trace.Unknown || j.WasRunning || j.Start-j.Arrival > soon {
			continue
		}
		gone := within(all, j.Arrival-1, j.Start)
		delay := max(0, float64(j.Start-j.Arrival)-l.Of(1, waiting(j.Start)))
		one, shares, requeued := Latency{Suspend: 1, Requeue: 1}, 0., 0
		for _, v := range gone {
			shares += one.Yield(v.suspended, v.requeued)
			requeued += min(1, v.requeued)
		}
		switch requeued {
		case 0:
			if shares > 0 {
				suspend = append(suspend, delay/shares)
			}
		case len(gone):
			requeue = append(requeue, delay/shares)
		}
	}
	l.Suspend, l.Requeue = median(suspend), median(requeue)
	if len(suspend) == 0 {
		l.Suspend = l.Requeue
	}
	if len(requeue) == 0 {
		l.Requeue = l.Suspend
	}
}

// median returns the one in the middle, 0 of none.
func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return trace.Quantile(list, .5)
}
