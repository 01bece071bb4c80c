package forecast

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
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
func (a *arrivals) measure(st *State, l *lengths) float64 {
	random := rand.New(rand.NewPCG(1, 1))
	mean := a.rhythm.between(st.At, st.At+week) / week / max(1, st.CPUs)
	load := 0.
	a.findPeaks(st)
	for _, c := range a.users {
		sum := 0.
		for _, b := range c.bursts {
			for _, j := range b.jobs {
				if st.base.Requests[j.Request].Amounts["ncpus"] > st.CPUs {
					continue // it never starts
				}
				sum += l.work(random, st.base, j)
			}
		}
		c.load = sum / float64(len(c.bursts)) * mean
		load += c.load * c.rate.events / c.rate.seconds
	}
	return load
}

// rates returns how many bursts each user submits in a second of the busiest hour, as drawn for a
// run at a level of how busy all are: all together no more than can be done for long.
func (a *arrivals) rates(random *rand.Rand, level float64) []float64 {
	rates := make([]float64, len(a.users))
	load, mostLoad := 0., a.mostLoad()+moreLoad
	for i, c := range a.users {
		rates[i] = drawGamma(random, c.rate.events) / c.rate.seconds * a.part * level
		if own := rates[i] * c.load; own > mostLoad*c.peak && c.peak > 0 {
			rates[i] *= mostLoad * c.peak / own
		}
		load += rates[i] * c.load
	}
	if load > mostLoad {
		for i := range rates {
			rates[i] *= mostLoad / load
		}
	}
	return rates
}

// now returns how often a user submits bursts at first, who does so at a rate in the mean. Who is busy stays
// so for some hours: what came lately is the best measure of what comes next, though not of days. The bound
// of what a user can bring alone is that of rates.
func (a *arrivals) now(c *submitter, rate float64) float64 {
	now := rate / a.part
	if c.peak > 0 && c.load > 0 {
		now = min(now, (a.mostLoad()+moreLoad)*c.peak/c.load)
	}
	return max(rate, now)
}

// findPeaks finds the largest part of the processors that each user's jobs have had at a time: limits
// may let them have no more, and then the user cannot bring more work for long than they can do.
func (a *arrivals) findPeaks(st *State) {
	type change struct {
		at   int64
		cpus float64
	}
	changes := map[int32][]change{}
	for _, p := range st.past {
		if p.start == trace.Unknown {
			continue
		}
		cpus := max(1, st.base.Requests[p.Request].Amounts["ncpus"])
		end := p.end
		if end == trace.Unknown {
			end = st.At
		}
		changes[p.User] = append(changes[p.User], change{p.start, cpus}, change{end, -cpus})
	}
	for _, c := range a.users {
		of := changes[c.user]
		slices.SortFunc(of, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.cpus, b.cpus)) })
		sum := 0.
		for _, change := range of {
			sum += change.cpus
			c.peak = max(c.peak, sum)
		}
		c.peak /= max(1, st.CPUs)
	}
}

// levels returns for each run how busy all users are, one for each part of the distribution: so that
// fewer runs are enough.
func levels(seed uint64, runs int) []float64 {
	random := rand.New(rand.NewPCG(seed, 0))
	list := make([]float64, runs)
	for i, part := range random.Perm(runs) {
		at := (float64(part) + random.Float64()) / float64(runs)
		list[i] = math.Exp(spread * math.Sqrt2 * math.Erfinv(2*at-1))
	}
	return list
}
