package world

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// Hours are prime, non-prime and dedicated time, as holidays and dedicated_time of
// sched_priv have them. They never change and may be shared.
type Hours struct {
	zone      *time.Location
	shown     *time.Location // in which times are printed, nil for zone
	year      int            // that the file of holidays is of: all other years are prime; 0 for none
	days      [7]day
	holidays  map[int]bool // by day of the year, from 1
	dedicated []Span       // by their time; none touches another
}

// Span is a time, from its begin to before its end, in seconds since 1970.
type Span struct{ From, To int64 }

// Never is the time of what never comes.
const Never = math.MaxInt64

// day is when prime and non-prime time begin on a day of the week.
type day struct{ prime, nonPrime begin }

// begin is when a kind of time begins on a day.
type begin struct {
	minutes   int // since midnight
	all, none bool
}

// turn is that a kind of time begins at a time of day.
type turn struct {
	minutes int
	prime   bool
}

// turns returns what a day begins with, and what comes then.
func (d day) turns() []turn {
	switch {
	case d.prime.all || d.nonPrime.none:
		return []turn{{0, true}}
	case d.nonPrime.all || d.prime.none:
		return []turn{{0, false}}
	case d.prime.minutes == d.nonPrime.minutes:
		return []turn{{0, true}}
	}
	// What begins later in the day was there before the other began.
	first, second := turn{d.prime.minutes, true}, turn{d.nonPrime.minutes, false}
	if second.minutes < first.minutes {
		first, second = second, first
	}
	return []turn{{0, second.prime}, first, second}
}

// IsPrime reports whether a time is prime time.
func (h *Hours) IsPrime(at int64) bool {
	isPrime, _ := h.prime(at)
	return isPrime
}

// NextPrimeChange returns when prime time begins or ends next after a time, Never for
// never.
func (h *Hours) NextPrimeChange(at int64) int64 {
	_, change := h.prime(at)
	return change
}

// prime reports whether a time is prime time, and when that changes next.
func (h *Hours) prime(at int64) (isPrime bool, change int64) {
	local := time.Unix(at, 0).In(h.zone)
	year, month, date := local.Date()
	isPrime = true
	switch {
	case h.year == 0 || year > h.year:
		return true, Never
	case year < h.year:
		year, month, date = h.year, time.January, 1
	}
	// The day before the year is prime, as is the one after it.
	for ; ; date++ {
		const noon = 12 // which every day has
		today := time.Date(year, month, date, noon, 0, 0, 0, h.zone)
		if today.Year() != h.year {
			if !isPrime {
				return false, time.Date(h.year+1, time.January, 1, 0, 0, 0, 0, h.zone).Unix()
			}
			return true, Never
		}
		turns := h.turnsOn(today)
		var times [3]int64
		for k, t := range turns {
			times[k] = time.Date(year, month, date, 0, t.minutes, 0, 0, h.zone).Unix()
			if k > 0 { // an hour that the clock leaves out may come to lie after what follows it
				times[k] = max(times[k], times[k-1])
			}
		}
		for k, t := range turns {
			switch {
			case k+1 < len(turns) && times[k+1] == times[k]:
			case times[k] <= at:
				isPrime = t.prime
			case t.prime != isPrime:
				return isPrime, times[k]
			}
		}
	}
}

// turnsOn returns the turns of a day.
func (h *Hours) turnsOn(today time.Time) []turn {
	if h.holidays[today.YearDay()] {
		return []turn{{0, false}}
	}
	return h.days[today.Weekday()].turns()
}

// Dedicated returns the dedicated time that a time lies in, or the next one after it. It is
// the zero Span where there is none any more.
func (h *Hours) Dedicated(at int64) (s Span, isIn bool) {
	k, _ := slices.BinarySearchFunc(h.dedicated, at, func(s Span, at int64) int {
		if s.To <= at {
			return -1
		}
		return 1
	})
	if k == len(h.dedicated) {
		return Span{}, false
	}
	return h.dedicated[k], h.dedicated[k].From <= at
}

// Matters reports whether there is prime and non-prime time, or dedicated time from a time on: PBS
// comes with some of 1998.
func (h *Hours) Matters(at int64) bool {
	dedicated, _ := h.Dedicated(at)
	return h.Changes() || dedicated != Span{}
}

// Changes reports whether prime time ever begins or ends.
func (h *Hours) Changes() bool { return h.year != 0 }

// OtherYear says that the file of holidays is of another year than a time is in, which makes that
// year prime time from its begin to its end; "" where it is of that year, or of none.
func (h *Hours) OtherYear(at int64) string {
	year := time.Unix(at, 0).In(h.zone).Year()
	if h.year == 0 || h.year == year {
		return ""
	}
	return fmt.Sprintf("the file holidays is of %d: all of %d is prime time, as PBS has it", h.year, year)
}

// IsPast reports whether the file of holidays is of a year that is over at a time.
func (h *Hours) IsPast(at int64) bool {
	return h.year != 0 && h.year < time.Unix(at, 0).In(h.zone).Year()
}

// NextChange returns when prime or dedicated time begins or ends next after a time, Never
// for never.
func (h *Hours) NextChange(at int64) int64 {
	next := h.NextPrimeChange(at)
	switch s, isIn := h.Dedicated(at); {
	case isIn:
		next = min(next, s.To)
	case s != Span{}:
		next = min(next, s.From)
	}
	return next
}

// Clock returns a time as people read it.
func (h *Hours) Clock(at int64) string {
	if at == Never {
		return "no time"
	}
	return time.Unix(at, 0).In(cmp.Or(h.shown, h.zone)).Format("2006-01-02 15:04")
}
