package sacct

import "time"

// comesTwice reports whether the clock says the same an hour after a time.
func comesTwice(zone *time.Location, at int64) bool {
	first, second := time.Unix(at, 0).In(zone), time.Unix(at+secondsOfHour, 0).In(zone)
	return first.Hour() == second.Hour() && first.Minute() == second.Minute()
}

// orderTwice moves times of the hour that comes twice in autumn, of which the first is read, into the second where
// they would otherwise be before those that come before them. The last two are when a job started and ended: they are
// moved so as to be as many seconds apart as it ran, where that is known. All but these may be Unknown as well.
func orderTwice(zone *time.Location, times []*int64, elapsed int64) {
	last := *times[0]
	for _, at := range times[1:] {
		if *at != Unknown && *at < last && comesTwice(zone, *at) {
			*at += secondsOfHour
		}
		last = max(last, *at)
	}
	start, end := times[len(times)-2], times[len(times)-1]
	if *start == Unknown || *end == Unknown || elapsed == Unknown {
		return
	}
	switch *end - *start - elapsed {
	case -secondsOfHour:
		if comesTwice(zone, *end) {
			*end += secondsOfHour
		}
	case secondsOfHour:
		if comesTwice(zone, *start) {
			*start += secondsOfHour
		}
	}
}
