package work

import (
	"math"
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

	Suspend, Requeue float64 // for how long a cycle waits for a job that it suspends or requeues, see Yield
}

// Of returns the latency of a cycle's start, counted from 1, with some jobs waiting.
func (l Latency) Of(start, waiting int) float64 {
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
	l, _ := FitLatency(w)
	return l
}

// LatencyFit is how well a latency explains a record.
type LatencyFit struct {
	Samples int     // starts after an event that lies apart from others
	Apart   int64   // by how many seconds it does
	Off     float64 // how far the typical one of them is from the estimate, in seconds; NaN for none
}

// FitLatency returns what EstimateLatency does, and how well it fits.
func FitLatency(w *Work) (Latency, LatencyFit) {
	events, starts := eventsOf(w)
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
			l := fit(slices.Clone(samples))
			if len(more) >= enough {
				l.More = max(0, typical(more))
			}
			l.preemptLatency(w, waiting)
			off := make([]float64, len(samples))
			for i, s := range samples {
				off[i] = math.Abs(s.delay - l.Of(1, s.waiting))
			}
			slices.Sort(off)
			return l, LatencyFit{Samples: len(samples), Apart: apart, Off: trace.Quantile(off, .5)}
		}
	}
	return Latency{}, LatencyFit{Off: math.NaN()}
}

// OwnLatencies returns how long after the begin of its cycle each job's start was
// logged, by job: the time since the event before it that comes nearest to a latency, however much shorter it is. It is NaN
// where all events since the job came are longer ago. What the cycle waited for jobs that it preempted is no part of it; it is
// negative where they left sooner than Yield says.
func OwnLatencies(w *Work, l Latency) []float64 {
	events, _ := eventsOf(w)
	events = slices.Compact(events) // many come at once
	waiting := waitingAt(w)
	gone := victimsOf(w)
	own := make([]float64, len(w.Jobs))
	for i, j := range w.Jobs {
		own[i] = math.NaN()
		if j.Start == trace.Unknown || j.WasRunning {
			continue
		}
		expected := l.Of(1, waiting(j.Start))
		const near, longest = 4., 300 // seconds; no cycle takes longer
		best, lost := math.Inf(1), 0.
		since := len(within(gone, math.MinInt64, j.Start)) // who leaves from here on does so after the event
		k, _ := slices.BinarySearch(events, j.Start+1)
		for k--; k >= 0 && events[k] >= max(j.Arrival, j.Start-longest); k-- { // a cycle before it came knows nothing of it
			for ; since > 0 && gone[since-1].to >= events[k]; since-- {
				lost += l.Yield(gone[since-1].suspended, gone[since-1].requeued)
			}
			delay := float64(j.Start-events[k]) - lost
			if delay > expected+l.More+near {
				break
			}
			for _, model := range []float64{expected, expected + l.More} {
				if off := math.Abs(delay - model); off < best {
					best, own[i] = off, delay
				}
			}
		}
	}
	return own
}

// eventsOf returns when jobs arrive and end, and when they start, in order.
func eventsOf(w *Work) (events, starts []int64) {
	for _, j := range w.Jobs {
		events = append(events, j.Arrival)
		if j.Start != trace.Unknown && !j.WasRunning {
			starts = append(starts, j.Start)
		}
		if j.IsEndKnown && j.End != trace.Unknown {
			events = append(events, j.End)
		}
	}
	slices.Sort(events)
	slices.Sort(starts)
	return events, starts
}

// sample is a start after an event that lies apart, and how many jobs waited then.
type sample struct {
	delay   float64
	waiting int
}

// fit returns the latency of first starts that samples show: by least squares, a line
// that grows with the jobs that wait up to some number of them.
func fit(samples []sample) Latency {
	delays := make([]float64, len(samples))
	for i, s := range samples {
		delays[i] = s.delay
	}
	slices.Sort(delays)
	const unlikely = 3 // medians: something else let the job start
	samples = slices.DeleteFunc(samples, func(s sample) bool { return s.delay > unlikely*max(1, delays[len(delays)/2]) })
	best := Latency{First: mean(samples, func(s sample) float64 { return s.delay })}
	least := math.Inf(1)
	for _, knee := range []float64{math.Inf(-1), 5, 10, 20, 40, 80} {
		of := func(s sample) float64 { return max(0, min(knee, float64(s.waiting))) }
		x, y := mean(samples, of), mean(samples, func(s sample) float64 { return s.delay })
		covariance := mean(samples, func(s sample) float64 { return (of(s) - x) * (s.delay - y) })
		variance := mean(samples, func(s sample) float64 { return (of(s) - x) * (of(s) - x) })
		slope := 0.
		if variance > 0 {
			slope = max(0, covariance/variance)
		}
		first := y - slope*x
		loss := mean(samples, func(s sample) float64 { d := s.delay - first - slope*of(s); return d * d })
		const better = .98
		if first >= 0 && loss < better*least {
			least, best = loss, Latency{First: first, Job: slope, Most: slope * max(0, knee)}
		}
	}
	return best
}

func mean(samples []sample, of func(sample) float64) float64 {
	sum := 0.
	for _, s := range samples {
		sum += of(s)
	}
	return sum / float64(len(samples))
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

// TypicalRun returns the median run time of jobs in seconds, infinity if none has ended.
func (w *Work) TypicalRun() float64 {
	var runs []float64
	for _, j := range w.Jobs {
		if seconds, ok := j.Length(); ok {
			runs = append(runs, float64(seconds))
		}
	}
	if len(runs) == 0 {
		return math.Inf(1)
	}
	slices.Sort(runs)
	return trace.Quantile(runs, .5)
}
