package forecast

import (
	"math"
	"math/rand/v2"
	"strconv"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/work"
)

// burst is jobs that a user submits one after another.
type burst struct {
	at   int64
	jobs []*work.Job
	gaps []int64 // seconds after the first one
}

// arrivals are what is known of who comes.
type arrivals struct {
	users  []*submitter
	rhythm *rhythm
	span   float64 // for how many seconds the past goes back
	part   float64 // of what the rates say, the part that comes
}

// submitter is a user who submits jobs.
type submitter struct {
	user    int32
	bursts  []burst
	rate    gamma   // of bursts by second of the busiest hour
	load    float64 // see measure
	peak    float64 // see findPeaks
	waiting int     // jobs that wait now
}

// gamma is what is known of a rate: so many events in so many seconds.
type gamma struct{ events, seconds float64 }

// newArrivals learns from the past who comes how often.
func newArrivals(st *State) *arrivals {
	a := &arrivals{}
	const apart = 900 // seconds between two bursts
	byUser := map[int32]*submitter{}
	var all []burst
	names := st.base.Trace.Names.List
	for _, p := range st.past {
		if st.Passes != nil && st.Passes(names[p.Queue]) {
			continue
		}
		c := byUser[p.User]
		if c == nil {
			c = &submitter{user: p.User}
			byUser[p.User] = c
			a.users = append(a.users, c)
		}
		n := len(c.bursts)
		if n > 0 {
			b := &c.bursts[n-1]
			if p.arrival-(b.at+b.gaps[len(b.gaps)-1]) < apart {
				b.jobs, b.gaps = append(b.jobs, p.Job), append(b.gaps, p.arrival-b.at)
				continue
			}
		}
		c.bursts = append(c.bursts, burst{p.arrival, []*work.Job{p.Job}, []int64{0}})
	}
	if len(a.users) == 0 {
		return a
	}
	bursts := 0
	from := st.past[0].arrival
	for _, c := range a.users {
		all = append(all, c.bursts...)
		bursts += len(c.bursts)
		from = min(from, c.bursts[0].at)
	}
	for _, p := range st.jobs {
		if c := byUser[p.User]; c != nil && (p.Phase == Waits || p.Phase == Held && p.Why != outcome.HeldByUser) {
			c.waiting++
		}
	}
	a.rhythm = newRhythm(st.Zone, all, from, st.At)
	seconds := a.rhythm.between(from, st.At)
	a.span = float64(st.At - from)
	mean := float64(bursts) / float64(len(a.users)) / max(1, seconds) // a user's
	for _, c := range a.users {
		events := 0.
		exposed := 0.
		const fade = 3 * day // a burst of three days ago counts for 1/e
		for _, b := range c.bursts {
			events += math.Exp(-float64(st.At-b.at) / fade)
		}
		for at := st.At; at > from; at -= hour {
			exposed += a.rhythm.between(max(from, at-hour), at) * math.Exp(-float64(st.At-at)/fade)
		}
		c.rate = gamma{events + priorBursts, exposed + priorBursts/mean}
	}
	return a
}

// What the method leaves open, as it was chosen on the twelve recorded runs of testdata/replay that have
// moments at which jobs waited: none of them is worse than the classic estimate.
const (
	priorBursts = 1.       // bursts for which the mean of all users counts in what is known of one's rate
	crowding    = .03      // each job of a user that waits lowers the rate by this part: who waits submits less
	spread      = .3       // of the logarithm of how busy all users are together, from run to run
	meanLoad    = .5       // the part of the processors that arrivals keep busy on average, at most, where little is known
	busySpell   = 6 * hour // after which 1/e is left of how much more comes now than in the mean
	moreLoad    = .1       // so much more in a single run, and of what a user was seen to have at once
)

// mostLoad returns which part of the processors arrivals may keep busy on average. Some hours are no
// measure of a day; what came in weeks is one of what will, up to what can be done at all.
func (a *arrivals) mostLoad() float64 { return 1 - (1-meanLoad)*week/(week+a.span) }

// draw returns jobs that come from now up to a time.
func (a *arrivals) draw(random *rand.Rand, level float64, st *State, lengths *lengths, until int64, array int32) []*work.Job {
	var jobs []*work.Job
	if len(a.users) == 0 {
		return nil
	}
	rates := a.rates(random, level)
	for i, c := range a.users {
		own := rand.New(rand.NewPCG(random.Uint64(), uint64(c.user)))
		now := a.now(c, rates[i])
		rate := now * math.Exp(-crowding*float64(c.waiting))
		if rate <= 0 {
			continue
		}
		for at := st.At; ; {
			at = a.rhythm.after(at, own.ExpFloat64()/rate, until)
			if at >= until {
				break
			}
			if busy := math.Exp(-float64(at-st.At) / busySpell); own.Float64()*now >= rates[i]+busy*(now-rates[i]) {
				continue
			}
			b := c.bursts[own.IntN(len(c.bursts))]
			known, first := map[int32]int32{}, map[arrayKey]int64{}
			for i, j := range b.jobs {
				number := int32(0)
				if j.Array != 0 {
					if known[j.Array] == 0 {
						array++
						known[j.Array] = array
					}
					number = known[j.Array]
				}
				came, length := float64(at+b.gaps[i])+.5, lengths.like(own, j, first)
				if came < float64(until) { // drawn it is in any case, so that what follows does not depend on the time
					jobs = append(jobs, j.Again("later "+strconv.Itoa(len(jobs)), came, length, number))
				}
			}
		}
	}
	return jobs
}
