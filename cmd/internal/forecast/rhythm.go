package forecast

import "time"

// rhythm is how many jobs come at each hour of a day and of a week, where 1 is the mean of
// working hours.
type rhythm struct {
	zone     *time.Location
	hours    [24]float64
	weekends float64
	offset   int64 // of the zone, in seconds
}

// usualRhythm is that of a site of which the history is too short to tell: by day, a third of
// it by night, half of it at weekends.
func usualRhythm(zone *time.Location, at int64) *rhythm {
	r := &rhythm{zone: zone, weekends: .5}
	_, offset := time.Unix(at, 0).In(zone).Zone()
	r.offset = int64(offset)
	for hour := range r.hours {
		switch {
		case hour >= 8 && hour < 18:
			r.hours[hour] = 1
		case hour == 7 || hour == 18 || hour == 19:
			r.hours[hour] = .6
		default:
			r.hours[hour] = .35
		}
	}
	return r
}

const (
	hour = 3600
	day  = 24 * hour
	week = 7 * day
)

// newRhythm learns the rhythm of bursts, as far as the history is long enough.
func newRhythm(zone *time.Location, bursts []burst, from, at int64) *rhythm {
	r := usualRhythm(zone, at)
	days := float64(at-from) / day
	const enough = 3 // days
	if days < enough || len(bursts) < 24*enough {
		return r
	}
	counts := [24]float64{}
	total := 0.
	for _, b := range bursts {
		counts[r.hourOf(b.at)]++
		total++
	}
	const prior = 40 // bursts that the usual rhythm counts for
	sum := 0.
	for _, x := range r.hours {
		sum += x
	}
	most := 0.
	for h := range r.hours {
		r.hours[h] = counts[h] + prior*r.hours[h]/sum
		most = max(most, r.hours[h])
	}
	for h := range r.hours {
		r.hours[h] /= most
	}
	return r
}

func (r *rhythm) hourOf(at int64) int { return int((at + r.offset) % day / hour) }

// at returns how many jobs come at a time, as a part of the most.
func (r *rhythm) at(t int64) float64 {
	x := r.hours[r.hourOf(t)]
	const thursday = 4 // the first day of 1970
	if weekday := ((t+r.offset)/day + thursday) % 7; weekday == 0 || weekday == 6 {
		x *= r.weekends
	}
	return x
}

// between returns for how many seconds of the busiest hour a stretch counts.
func (r *rhythm) between(from, to int64) float64 {
	sum := 0.
	for from < to {
		next := min(to, from-((from+r.offset)%hour)+hour)
		sum += float64(next-from) * r.at(from)
		from = next
	}
	return sum
}

// after returns the time at which so many seconds of the busiest hour are over after another one,
// but not later than a bound.
func (r *rhythm) after(from int64, seconds float64, bound int64) int64 {
	for from < bound {
		next := from - ((from + r.offset) % hour) + hour
		part := float64(next-from) * r.at(from)
		if part >= seconds {
			return from + int64(seconds/r.at(from))
		}
		seconds -= part
		from = next
	}
	return bound
}
