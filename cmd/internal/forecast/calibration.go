package forecast

import (
	"math"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
)

// Calibration says by how much the intervals of a site have to be wider or narrower on each side, as
// its past forecasts have shown: the quantiles of where in their intervals the starts really lay
// (conformal quantiles: Romano, Patterson and Candès, NeurIPS 2019). A position is 0 at the middle
// of the runs, -1 and 1 at the ends of the interval. Forecasts whose jobs have not started yet
// count as later than now (Kaplan and Meier). The middle stays: to move it made the forecasts of
// recorded runs worse, since those that had not started yet are not like those that had.
type Calibration struct {
	Forecasts, Moments int
	all                positions
	queues             map[string]positions
}

// positions are where 10 and 90 % of starts lay.
type positions struct{ low, high float64 }

// observedStart is where the start of a past forecast lay, or how far it was not before, if it had
// not started.
type observedStart struct {
	queue   string
	moment  int64
	x       float64
	started bool
}

// asDrawn are the positions of forecasts that need no calibration.
var asDrawn = positions{-1, 1}

// calibrate learns from past forecasts. Few moments tell little, however many jobs waited at
// them: the interval as it is drawn counts for some moments, and all queues for some of one.
func calibrate(seen []observedStart) *Calibration {
	const prior = 16 // moments
	moments := map[int64]bool{}
	queues := map[string][]observedStart{}
	for _, w := range seen {
		moments[w.moment] = true
		queues[w.queue] = append(queues[w.queue], w)
	}
	c := &Calibration{Forecasts: len(seen), Moments: len(moments), all: asDrawn, queues: map[string]positions{}}
	if len(seen) == 0 {
		return c
	}
	each := float64(len(seen)) / float64(len(moments))
	c.all = positionsOf(seen, asDrawn, prior*each)
	for queue, of := range queues {
		c.queues[queue] = positionsOf(of, c.all, prior*each)
	}
	return c
}

// positionsOf returns where starts lay, with so many more of them as they are expected to be.
func positionsOf(seen []observedStart, expected positions, prior float64) positions {
	var list []observation
	last := math.Inf(-1)
	for _, w := range seen {
		list = append(list, observation{w.x, w.started, 1})
		last = max(last, w.x)
	}
	const tenth = 1.2815515655446004 // the 90 % quantile of the normal distribution
	for n := math.Ceil(prior); n > 0; n-- {
		z := math.Sqrt2 * math.Erfinv(2*(n-.5)/math.Ceil(prior)-1) / tenth
		x := expected.apply(z)
		list = append(list, observation{x, true, 1})
		last = max(last, x)
	}
	c := newCurve(list)
	at := func(q float64) float64 {
		k := slices.IndexFunc(c.beyond, func(beyond float64) bool { return beyond <= 1-q+1e-9 })
		if k < 0 {
			return last
		}
		return c.x[k]
	}
	return positions{min(0, at(.1)), max(0, at(.9))}
}

// apply returns which position takes the place of another one.
func (p positions) apply(x float64) float64 {
	if x < 0 {
		return -x * p.low
	}
	return x * p.high
}

// position returns where a time lies in a forecast.
func (j *Job) position(at float64) float64 {
	if at < j.Median {
		return (at - j.Median) / max(1, j.Median-j.Low)
	}
	return (at - j.Median) / max(1, j.High-j.Median)
}

// time returns the time of a position.
func (j *Job) time(position float64) float64 {
	if position < 0 {
		return j.Median + position*(j.Median-j.Low)
	}
	return j.Median + position*(j.High-j.Median)
}

// calibrated returns the estimate of a job and the times of its runs, widened as past forecasts tell.
func (c *Calibration) calibrated(j *Job, now float64) (estimate, []float64) {
	p, ok := c.queues[j.Queue]
	if !ok {
		p = c.all
	}
	if math.IsInf(j.High, 1) {
		return estimate{j.Low, j.Median, j.High}, j.Starts
	}
	starts := make([]float64, len(j.Starts))
	for i, at := range j.Starts {
		starts[i] = at
		if !math.IsInf(at, 1) {
			starts[i] = j.notBefore(now, j.time(p.apply(j.position(at))))
		}
	}
	of := func(position float64) float64 { return j.notBefore(now, j.time(position)) }
	return estimate{of(p.low), j.Median, of(p.high)}, starts
}

// Calibrate widens or narrows the intervals of a forecast as past ones tell.
func (f *Forecast) Calibrate(c *Calibration) {
	for _, j := range f.Jobs {
		if j.Held == "" {
			c.Apply(j, f.At)
		}
	}
}

// Apply widens or narrows the interval of a job that is forecast from a time on.
func (c *Calibration) Apply(j *Job, now int64) {
	var e estimate
	e, j.Starts = c.calibrated(j, float64(now))
	j.Low, j.Median, j.High = e.low, e.median, e.high
}

// Remark says from what the intervals are calibrated.
func (b *Backtest) Remark() diag.Remark {
	c := b.Calibration
	return diag.Notef("intervals are calibrated by %s of the past made at %s: they begin %.1f times as far before the middle as the runs have it, and end %.1f times as far behind it; %ss differ", report.Count(c.Forecasts, "forecast"), report.Count(c.Moments, "moment"), -c.all.low, c.all.high, b.Words.Queue)
}
