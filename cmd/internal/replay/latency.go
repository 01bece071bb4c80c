package replay

import (
	"slices"

	"fairshare/cmd/internal/trace"
)

// Latency is how long after the begin of a cycle its starts are logged, in seconds:
// the scheduler looks at the jobs, sends each start, mom begins, the server logs.
type Latency struct {
	First float64 // of a cycle's first start, when hardly anybody waits
	Job   float64 // more for each job that waits,
	Most  float64 // but not more than this
	More  float64 // how much later the second start of a cycle comes, and all others
}

// of returns the latency of a cycle's start, counted from 1, with some jobs waiting.
func (l Latency) of(start, waiting int) float64 {
	at := l.First + min(l.Most, l.Job*float64(waiting))
	if start > 1 {
		at += l.More
	}
	return at
}

// EstimateLatency returns the latency that a record shows: how long after an event
// that lies apart from all others the next starts are logged. Where events are dense
// it looks at shorter times.
func EstimateLatency(w *Work) Latency {
	var events, starts []int64
	for _, j := range w.Jobs {
		events = append(events, j.Arrival)
		if j.Start != trace.Unknown && !j.WasRunning {
			starts = append(starts, j.Start)
		}
		if j.IsEndKnown {
			events = append(events, j.End)
		}
	}
	slices.Sort(events)
	slices.Sort(starts)
	waiting := waitingAt(w)
	const enough = 10 // samples
	for _, apart := range []int64{20, 10, 5, 2} {
		var samples []sample
		var more []float64
		for i, at := range events {
			if i > 0 && at-events[i-1] < apart || i+1 < len(events) && events[i+1]-at < apart {
				continue
			}
			k, _ := slices.BinarySearch(starts, at)
			for n := 0; k < len(starts) && starts[k] < at+apart; n++ {
				if n == 0 {
					samples = append(samples, sample{float64(starts[k] - at), waiting(at)})
				} else {
					more = append(more, float64(starts[k]-at)-samples[len(samples)-1].delay)
				}
				k++
			}
		}
		if len(samples) >= enough {
			l := fit(samples)
			if len(more) >= enough {
				l.More = max(0, typical(more))
			}
			return l
		}
	}
	return Latency{}
}

// sample is a start after an event that lies apart, and how many jobs waited then.
type sample struct {
	delay   float64
	waiting int
}

// fit returns the latency of first starts that samples show.
func fit(samples []sample) Latency {
	const few, many = 2, 30 // jobs that wait
	var first, last, all []float64
	for _, s := range samples {
		all = append(all, s.delay)
		switch {
		case s.waiting <= few:
			first = append(first, s.delay)
		case s.waiting >= many:
			last = append(last, s.delay)
		}
	}
	const enough = 3
	if len(first) < enough {
		return Latency{First: typical(all)}
	}
	l := Latency{First: typical(first)}
	if len(last) < enough {
		return l
	}
	l.Most = max(0, typical(last)-l.First)
	var slopes []float64
	for _, s := range samples {
		if s.waiting > few && s.waiting < many {
			slopes = append(slopes, (s.delay-l.First)/float64(s.waiting))
		}
	}
	if l.Job = max(0, typical(slopes)); l.Job == 0 {
		l.Most = 0
	}
	return l
}

// waitingAt returns a function that counts the jobs which wait at a time.
func waitingAt(w *Work) func(at int64) int {
	var came, left []int64
	for _, j := range w.Jobs {
		came = append(came, j.Arrival)
		switch {
		case j.Start != trace.Unknown:
			left = append(left, j.Start)
		case j.Deleted != trace.Unknown:
			left = append(left, j.Deleted)
		}
	}
	slices.Sort(came)
	slices.Sort(left)
	return func(at int64) int {
		a, _ := slices.BinarySearch(came, at+1)
		b, _ := slices.BinarySearch(left, at+1)
		return max(0, a-b)
	}
}

// typical returns the mean of some numbers without the tenth at each end; whole seconds
// are parts of a second too low or too high by turns.
func typical(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	cut := len(list) / 10
	sum := 0.
	for _, x := range list[cut : len(list)-cut] {
		sum += x
	}
	return sum / float64(len(list)-2*cut)
}
