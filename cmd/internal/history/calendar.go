package history

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
)

// Step is how long the periods of a report are.
type Step string

// The steps.
const (
	Whole Step = "" // all the time is one period
	Day   Step = "day"
	Week  Step = "week" // from Monday on
	Month Step = "month"
)

// maxPeriods bounds the periods of a report: a century of days.
const maxPeriods = 40_000

// errTooLong says that a report would have too many periods.
var errTooLong = errors.New("the logs are of more than a century: a time in them is wrong, --from and --to leave it out")

// Span is a time from its begin up to, but not with, its end, in seconds since 1970.
type Span struct{ Begin, End int64 }

// overlap returns how many seconds of another time lie in a span.
func (s Span) overlap(begin, end int64) int64 { return max(0, min(s.End, end)-max(s.Begin, begin)) }

// calendar cuts time into periods, of which the first and the last may be cut short.
type calendar struct {
	step     Step
	zone     *time.Location
	from, to int64  // where all periods begin and end; to is math.MaxInt64 where that is not given
	periods  []Span // as far as they were asked for
	last     int    // that was found
}

// begin returns when the calendar's period begins in which a time lies, some steps later.
func (c *calendar) begin(at int64, steps int) int64 {
	t := time.Unix(at, 0).In(c.zone)
	switch c.step {
	case Month:
		return moment.DayAfter(time.Date(t.Year(), t.Month()+time.Month(steps), 1, 12, 0, 0, 0, c.zone), 0).Unix()
	case Week:
		const days, sunday = 7, 6 // days since Monday
		since := (int(t.Weekday()) + sunday) % days
		return moment.DayAfter(t, days*steps-since).Unix()
	}
	return moment.DayAfter(t, steps).Unix()
}

// grow adds periods until one ends behind a time, or none is left to add.
func (c *calendar) grow(at int64) error {
	at = min(at, c.to-1)
	for at >= c.from && (len(c.periods) == 0 || c.periods[len(c.periods)-1].End <= at) {
		next := Span{c.from, c.to}
		if n := len(c.periods); n > 0 {
			next.Begin = c.periods[n-1].End
		}
		if c.step != Whole {
			next.End = min(c.to, c.begin(next.Begin, 1))
		}
		if len(c.periods) == maxPeriods {
			return errTooLong
		}
		c.periods = append(c.periods, next)
	}
	return nil
}

// growBack adds periods before the first one until one begins at or before a time. One that is all
// the time begins there.
func (c *calendar) growBack(at int64) error {
	if len(c.periods) == 0 || at >= c.from {
		return nil
	}
	if c.step == Whole {
		c.from, c.periods[0].Begin = at, at
		return nil
	}
	var before []Span
	for c.from > at {
		if len(c.periods)+len(before) >= maxPeriods {
			return errTooLong
		}
		begin := c.begin(c.from-1, 0)
		before = append(before, Span{begin, c.from})
		c.from = begin
	}
	slices.Reverse(before)
	c.periods, c.last = append(before, c.periods...), 0
	return nil
}

// at returns the number of the period in which a time lies, -1 for none.
func (c *calendar) at(at int64) int {
	if c.last < len(c.periods) && c.periods[c.last].Begin <= at && at < c.periods[c.last].End {
		return c.last
	}
	if len(c.periods) == 0 || at < c.from || at >= c.periods[len(c.periods)-1].End {
		return -1
	}
	i, isThere := slices.BinarySearchFunc(c.periods, at, func(s Span, at int64) int {
		switch {
		case s.Begin < at:
			return -1
		case s.Begin > at:
			return 1
		}
		return 0
	})
	if !isThere {
		i--
	}
	c.last = i
	return i
}

// ParseBy returns the step and the kind of names that a list such as month,user asks for,
// either of which may be missing.
func ParseBy(words []string) (step Step, kind string, err error) {
	var given string // the kind, as it was named
	for _, name := range words {
		word := kindNamed(name)
		isStep, isKind := slices.Contains([]Step{Day, Week, Month}, Step(word)), slices.Contains(Parties, word)
		switch {
		case isStep && step == Whole:
			step = Step(word)
		case isKind && kind == "":
			kind, given = word, name
		case isStep:
			return step, kind, fmt.Errorf("a report has rows of one period, and %s and %s are two", step, word)
		case isKind:
			return step, kind, fmt.Errorf("a report has rows of one kind of names, and %s and %s are two: a period goes with either (week,%s)%s", given, name, name, ofOneName(given, name))
		default:
			meant := report.Meant(report.Nearest(word, slices.Concat([]string{string(Day), string(Week), string(Month), "partition"}, Parties)))
			return step, kind, fmt.Errorf("%q is not a period (day, week, month) or a kind of names (user, group, project, account, qos, queue or partition, name of jobs, size)%s", word, meant)
		}
	}
	return step, kind, nil
}

// ofOneName says how the rows of a kind of names are had of one name of another kind, "" where no flag chooses either.
func ofOneName(a, b string) string {
	hasFlag := func(name string) bool { return name != ofNames && name != "size" }
	switch {
	case hasFlag(b):
		return fmt.Sprintf(", and --by %s --%s NAME has those of one %s", a, b, b)
	case hasFlag(a):
		return fmt.Sprintf(", and --by %s --%s NAME has those of one %s", b, a, a)
	}
	return ""
}

// kindNamed returns a kind of names as it is called here: Slurm has partitions for queues.
func kindNamed(name string) string {
	if name == "partition" {
		return "queue"
	}
	return name
}

// Parties are the kinds of names that a report can have rows of.
var Parties = []string{"user", "group", "project", "account", "qos", "queue", ofNames, "size"}

// TellsMost reports whether a table of a kind of names has what one job of each used at most: jobs of a name are alike.
func TellsMost(kind string) bool { return kind == ofNames }

// ofNames is the kind of the names that users give their jobs.
const ofNames = "name"
