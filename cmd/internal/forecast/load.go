package forecast

import (
	"fairshare/cmd/internal/work"
	"math"
	"math/rand/v2"
)

// A site cannot have more work come than it can do for long: what comes in some busy hours is
// no measure of what comes in a day. So arrivals are thinned out as far as the work that they
// would bring exceeds a part of what the vnodes can do.

// work returns the processor seconds that a job is expected to use.
func (l *lengths) work(random *rand.Rand, w *work.Work, j *work.Job) float64 {
	const draws = 4
	sum := 0.
	for range draws {
		sum += float64(l.draw(random, j, 0))
	}
	return sum / draws * max(1, w.Requests[j.Request].Amounts["ncpus"])
}

// measure finds which part of the processors each user's arrivals would keep busy in the mean of
// a week, for each burst in a second of the busiest hour, and returns what all of them would.
func (a *arrivals) measure(st *state, l *lengths) float64 {
	random := rand.New(rand.NewPCG(1, 1))
	mean := a.rhythm.between(st.At, st.At+week) / week / max(1, st.Cluster.Total("ncpus"))
	load := 0.
	for _, c := range a.users {
		sum := 0.
		for _, b := range c.bursts {
			for _, j := range b.jobs {
				sum += l.work(random, st.base, j)
			}
		}
		c.load = sum / float64(len(c.bursts)) * mean
		load += c.load * c.rate.events / c.rate.seconds
	}
	return load
}

// rates returns how many bursts each user submits in a second of the busiest hour, as drawn for a
// run: all together no more than can be done for long.
func (a *arrivals) rates(random *rand.Rand) []float64 {
	rates := make([]float64, len(a.users))
	level := math.Exp(tuning.Spread * random.NormFloat64())
	load := 0.
	for i, c := range a.users {
		rates[i] = drawGamma(random, c.rate.events) / c.rate.seconds * a.part * level
		load += rates[i] * c.load
	}
	if load > tuning.Most {
		for i := range rates {
			rates[i] *= tuning.Most / load
		}
	}
	return rates
}
