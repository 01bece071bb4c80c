package sacct

import (
	"slices"
	"time"

	"fairshare/cmd/internal/moment"
)

// orderTwice moves times of the hour that comes twice in autumn, of which the first is read, into the second where
// something tells that this is meant: no time is before those that come before it, nor before another one, from, that is
// Unknown where there is none. The last two are when a job started and ended: they are as many seconds apart as it ran, where
// that is known, or more if it was suspended. All times but the first may be Unknown as well. isOpen says whether
// nothing tells for one of them which of the two hours it is of.
func orderTwice(zone *time.Location, from int64, times []*int64, elapsed int64) (isOpen bool) {
	var twice []*int64
	for _, at := range times {
		if *at != Unknown && moment.ComesTwice(zone, *at) {
			twice = append(twice, at)
		}
	}
	if twice == nil {
		return false
	}
	start, end := times[len(times)-2], times[len(times)-1]
	hasRun := *start != Unknown && *end != Unknown && elapsed != Unknown
	best, rank := 0, 0
	for choice := range 1 << len(twice) {
		move(twice, choice, 1)
		of := 1 // how well a choice fits
		switch {
		case !isOrdered(from, times):
			of = 0
		case hasRun && *end-*start == elapsed:
			of = 3
		case !hasRun || *end-*start > elapsed:
			of = 2
		}
		move(twice, choice, -1)
		switch {
		case of > rank:
			best, rank, isOpen = choice, of, false
		case of == rank:
			isOpen = true
		}
	}
	move(twice, best, 1)
	return isOpen
}

// move moves those of some times by hours that a choice has, which is a sum of powers of two.
func move(times []*int64, choice, hours int) {
	for i, at := range times {
		if choice>>i&1 == 1 {
			*at += int64(hours) * secondsOfHour
		}
	}
}

// isOrdered reports whether no time is before one that comes before it, those that are Unknown left out.
func isOrdered(from int64, times []*int64) bool {
	last := from
	return !slices.ContainsFunc(times, func(at *int64) bool {
		isBefore := *at != Unknown && *at < last
		last = max(last, *at)
		return isBefore
	})
}

// submission is when a job came. Jobs get their numbers in the order in which they come.
type submission struct{ number, at int64 }

// numberOf returns the number of a job or of its array, Unknown for none.
func numberOf(id []byte) int64 {
	n := 0
	for n < len(id) && id[n] >= '0' && id[n] <= '9' {
		n++
	}
	return integer(id[:n])
}

// orderTimes tells times of a row apart that are of the hour which comes twice, also by the row before of its cluster: no job came
// before one with a smaller number did. One that was queued again has another time, which is not before its run ended; where no
// column tells which were, all are taken for such.
func (r *Reader) orderTimes(row *Row) {
	tells := integer(row.text[Restarts]) == 0
	number, from := numberOf(row.ID), int64(Unknown)
	before := r.before[string(row.text[Cluster])]
	if tells && number > before.number {
		from = before.at
	}
	if r.clock.isTwice {
		job := string(row.text[Cluster]) + "/" + string(row.ID)
		if at, hasRun := r.ended[job]; hasRun {
			from = max(from, at)
		}
		if orderTwice(r.Zone, from, []*int64{&row.Submit, &row.Eligible, &row.Start, &row.End}, row.Elapsed) {
			r.open++
		}
		if row.End != Unknown && r.ended != nil {
			r.ended[job] = row.End
		}
	}
	if tells && number > before.number && row.Submit != Unknown {
		if r.before == nil { // of JSON
			r.before = map[string]submission{}
		}
		r.before[string(row.text[Cluster])] = submission{number, row.Submit}
	}
}
