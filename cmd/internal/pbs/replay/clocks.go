package replay

import "math"

// clock is the eligible_time of a job that waits. It counts whole seconds, as the server
// does.
type clock struct {
	grown float64 // seconds up to since
	since float64 // infinity while it stands still
	stood bool    // whether it has ever stood still
}

func (c clock) at(now float64) float64 {
	if now = math.Floor(now); now < c.since {
		return c.grown
	}
	return c.grown + now - c.since
}

func (c clock) stands() bool { return math.IsInf(c.since, 1) }

// clocks are those of all jobs.
type clocks struct {
	at    *situation
	of    []clock   // by job
	first []float64 // by job, the seconds that its clock has when it first stands still, see work.FirstEligible; nil where that is not known
	most  float64   // a clock that has more than this was not stopped by the first cycle that looked at its job
}

func newClocks(at *situation) *clocks { return &clocks{at: at, of: make([]clock, len(at.work.Jobs))} }

// begin lets the clock of a job go that comes, with what it has already.
func (k *clocks) begin(job int32, grown float64) {
	k.of[job] = clock{grown: grown, since: math.Floor(k.at.now), stood: k.of[job].stood}
}

// goOn lets the clock of a job go on from a time, if it stands still.
func (k *clocks) goOn(job int32, at float64) {
	if c := &k.of[job]; c.stands() {
		c.since = math.Floor(at)
	}
}

// stop lets the clock of a job stand still from a time on. If it does so for the first time, it has
// the seconds that the record tells.
func (k *clocks) stop(job int32, at float64) {
	c := &k.of[job]
	grown := c.at(at)
	isFirst := k.first != nil && !c.stood && grown <= k.most && k.at.work.Jobs[job].Arrival > k.at.work.First
	if isFirst && !math.IsNaN(k.first[job]) {
		grown = k.first[job]
	}
	*c = clock{grown, math.Inf(1), true}
}

// eligible returns the eligible_time of a job that waits, in seconds.
func (k *clocks) eligible(job int32) float64 { return k.of[job].at(k.at.now) }
