// Package flux computes the priorities and the fairshare that flux-accounting gives jobs and users, and reads the
// jobs that flux jobs --json prints.
package flux

import "math"

// Weights are what flux-accounting's priority plugin multiplies each factor with (its guide, "job priorities").
type Weights struct{ Fairshare, Queue, Bank, Urgency float64 }

// DefaultWeights are the weights of a site that has set none. That of banks is 0 since banks have priorities
// (flux-accounting 0.46).
var DefaultWeights = Weights{Fairshare: 100_000, Queue: 10_000, Bank: 0, Urgency: 1000}

// What flux makes of some urgencies, and the fairshare of a user of whom nothing is known yet.
const (
	Held              = 0
	Usual             = 16
	Expedited         = 31
	ExpeditedPriority = 4294967295
	InitialFairshare  = 0.5
)

// Factors are what a job's priority is made of, besides its urgency.
type Factors struct{ Fairshare, Queue, Bank float64 }

// Points are what each factor adds to a priority.
type Points struct{ Fairshare, Queue, Bank, Urgency float64 }

// Points returns the weighted factors of a job.
func (w Weights) Points(f Factors, urgency int) Points {
	return Points{w.Fairshare * f.Fairshare, w.Queue * f.Queue, w.Bank * f.Bank, w.Urgency * float64(urgency-Usual)}
}

// Priority returns the priority of a job: 0 where it is held, a fixed one where it is expedited, and otherwise the sum
// of the weighted factors, rounded half away from zero, from 0 on. An ordinary job's may be above an expedited one's.
func (w Weights) Priority(f Factors, urgency int) float64 {
	switch urgency {
	case Held:
		return 0
	case Expedited:
		return ExpeditedPriority
	}
	p := w.Points(f, urgency)
	return max(0, math.Round(p.Fairshare+p.Queue+p.Bank+p.Urgency))
}
