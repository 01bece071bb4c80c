package forecast

import "math"

// Score is how far estimates of starts were off.
type Score struct {
	N             int
	Error         float64 // the sum of absolute errors of the middle, in hours
	Bias          float64 // the sum of errors, later ones above zero
	Pinball       float64 // the sum of the losses at 10, 50 and 90 %, a third of each, in hours
	Before, After int     // how many started before their interval, and after it
	Missed        int     // others that are proven wrong, of jobs of which no start is known: they had not started by the end of it
}

// estimate is when a job starts, and between which times in 8 of 10 cases.
type estimate struct{ low, median, high float64 }

// exactly is the estimate of a single time.
func exactly(at float64) estimate { return estimate{at, at, at} }

// add adds an estimate of a job that started at a time. Estimates beyond a bound count as it.
func (s *Score) add(e estimate, at, bound float64) {
	within := func(x float64) float64 { return min(x, bound) }
	const hours = 3600
	s.N++
	s.Error += math.Abs(at-within(e.median)) / hours
	s.Bias += (within(e.median) - at) / hours
	if at < e.low {
		s.Before++
	}
	if at > e.high {
		s.After++
	}
	loss := func(q, forecast float64) float64 {
		d := (at - within(forecast)) / hours
		return max(q*d, (q-1)*d)
	}
	s.Pinball += (loss(.1, e.low) + loss(.5, e.median) + loss(.9, e.high)) / 3
}

// Add adds what was forecast of a job that started at a time: its interval and the middle of it.
// Times beyond a bound count as it.
func (s *Score) Add(low, median, high, at, bound float64) {
	s.add(estimate{low, median, high}, at, bound)
}

// miss counts an estimate of a job of which no start is known, if it is proven wrong.
func (s *Score) miss(isMissed bool) {
	if isMissed {
		s.Missed++
	}
}

// Held returns how many started within their interval.
func (s Score) Held() int { return s.N - s.Before - s.After }

// HeldPart returns which part of those of which it is known started within their interval, those that are proven missed among them.
func (s Score) HeldPart() float64 { return float64(s.Held()) / float64(max(1, s.N+s.Missed)) }

// MeanError returns the mean absolute error of the middle, in hours.
func (s Score) MeanError() float64 { return s.Error / float64(max(1, s.N)) }

// MeanPinball returns the mean pinball loss, in hours (Koenker and Bassett, Econometrica 1978).
func (s Score) MeanPinball() float64 { return s.Pinball / float64(max(1, s.N)) }
