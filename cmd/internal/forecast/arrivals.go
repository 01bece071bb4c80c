package forecast

import (
	"fairshare/cmd/internal/work"
	"math"
	"math/rand/v2"
	"strconv"
)

// burst is jobs that a user submits one after another.
type burst struct {
	at   int64
	jobs []*work.Job
	gaps []int64 // seconds after the first one
}

// arrivals are what is known of who comes.
type arrivals struct {
	users  []*comer
	rhythm *rhythm
	part   float64 // of what the rates say, the part that comes
}

// comer is a user who submits jobs.
type comer struct {
	user    int32
	bursts  []burst
	rate    gamma   // of bursts by second of the busiest hour
	load    float64 // see measure
	waiting int     // jobs that wait now
}

// gamma is what is known of a rate: so many events in so many seconds.
type gamma struct{ events, seconds float64 }

// newArrivals learns from the past who comes how often.
func newArrivals(st *state) *arrivals {
	a := &arrivals{}
	const apart = 900 // seconds between two bursts
	byUser := map[int32]*comer{}
	var all []burst
	for _, p := range st.past {
		c := byUser[p.User]
		if c == nil {
			c = &comer{user: p.User}
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
		if c := byUser[p.User]; c != nil && p.standing == waits {
			c.waiting++
		}
	}
	a.rhythm = newRhythm(st.Zone, all, from, st.At)
	seconds := a.rhythm.between(from, st.At)
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
		prior := tuning.Prior
		c.rate = gamma{events + prior, exposed + prior/mean}
	}
	return a
}

// Tuning is what the method leaves open, for tests that measure it.
type Tuning struct {
	Prior  float64
	Crowd  float64
	Most   float64
	Spread float64
	Load   float64
	Widen  float64
	Least  float64 // seconds
}

var tuning = Tuning{Prior: 1, Crowd: .03, Most: .6, Spread: .5, Load: .5, Widen: 1.6, Least: 120}

// draw returns jobs that come from now up to a time.
func (a *arrivals) draw(random *rand.Rand, st *state, lengths *lengths, until int64, array int32) []*work.Job {
	var jobs []*work.Job
	if len(a.users) == 0 {
		return nil
	}
	rates := a.rates(random)
	for i, c := range a.users {
		own := rand.New(rand.NewPCG(random.Uint64(), uint64(c.user)))
		rate := rates[i] * math.Exp(-tuning.Crowd*float64(c.waiting))
		if rate <= 0 {
			continue
		}
		for at := st.At; ; {
			at = a.rhythm.after(at, own.ExpFloat64()/rate, until)
			if at >= until {
				break
			}
			b := c.bursts[own.IntN(len(c.bursts))]
			known := map[int32]int32{}
			for i, j := range b.jobs {
				number := int32(0)
				if j.Array != 0 {
					if known[j.Array] == 0 {
						array++
						known[j.Array] = array
					}
					number = known[j.Array]
				}
				came := float64(at+b.gaps[i]) + .5
				if came >= float64(until) {
					break
				}
				jobs = append(jobs, j.Again("later "+strconv.Itoa(len(jobs)), came, lengths.draw(own, j, 0), number))
			}
		}
	}
	return jobs
}
