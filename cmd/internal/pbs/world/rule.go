package world

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/moment"
)

// ruleDays are the names that a rule has for them.
var ruleDays = []string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}

// rule is a rule by which a standing reservation comes again, an iCalendar RRULE as far as
// pbs_rsub takes it.
type rule struct {
	freq     string
	interval int
	until    time.Time
	days     []time.Weekday
	hours    []int
}

// occurrences returns the times at which something occurs by a rule, from the first one on,
// as many as there are, at most count. ok is false if the rule is not understood.
func occurrences(text string, first time.Time, count int) (starts []int64, ok bool) {
	r, count, ok := parseRule(text, first, count)
	if !ok {
		return nil, false
	}
	const most = 40_000 // days or hours that are looked at
	for step := 0; step < most && len(starts) < count; step++ {
		if r.freq == "HOURLY" {
			at := first.Add(time.Duration(step*r.interval) * time.Hour)
			if !r.until.IsZero() && at.After(r.until) {
				break
			}
			if r.isOn(at) && (r.hours == nil || slices.Contains(r.hours, at.Hour())) {
				starts = append(starts, at.Unix())
			}
			continue
		}
		day := moment.DayAfter(first, step)
		if !r.until.IsZero() && day.After(r.until) {
			break
		}
		if r.isDue(first, step) && r.isOn(day) {
			starts = r.onDay(starts, first, day, count)
		}
	}
	return starts, true
}

// onDay appends the times of a day at which something occurs.
func (r *rule) onDay(starts []int64, first, day time.Time, count int) []int64 {
	hours := r.hours
	if hours == nil {
		hours = []int{first.Hour()}
	}
	for _, hour := range hours {
		at := time.Date(day.Year(), day.Month(), day.Day(), hour, first.Minute(), first.Second(), 0, first.Location())
		if len(starts) < count && !at.Before(first) && (r.until.IsZero() || !at.After(r.until)) {
			starts = append(starts, at.Unix())
		}
	}
	return starts
}

// isDue reports whether the day that is some days after the first one is of a day or week
// that counts.
func (r *rule) isDue(first time.Time, days int) bool {
	if r.freq == "DAILY" {
		return days%r.interval == 0
	}
	const week = 7
	monday := (int(first.Weekday()) + 6) % week // days since one
	return (days+monday)/week%r.interval == 0 && (r.days != nil || days%week == 0)
}

func (r *rule) isOn(day time.Time) bool {
	return r.days == nil || slices.Contains(r.days, day.Weekday())
}

// parseRule reads a rule. The count that it has bounds the one that is given.
func parseRule(text string, first time.Time, most int) (r *rule, count int, ok bool) {
	r, count = &rule{interval: 1}, most
	for part := range strings.SplitSeq(strings.ToUpper(text), ";") {
		name, value, _ := strings.Cut(part, "=")
		n, err := strconv.Atoi(value)
		switch {
		case name == "":
		case name == "FREQ" && (value == "HOURLY" || value == "DAILY" || value == "WEEKLY"):
			r.freq = value
		case name == "INTERVAL" && err == nil && 0 < n && n < 1000:
			r.interval = n
		case name == "COUNT" && err == nil && n > 0:
			count = min(count, n)
		case name == "UNTIL" && r.setUntil(value, first.Location()):
		case name == "BYDAY" && r.addDays(value):
		case name == "BYHOUR" && r.addHours(value):
		case name == "WKST":
		case name == "BYMINUTE" && err == nil && n == first.Minute():
		case name == "BYSECOND" && err == nil && n == first.Second():
		default:
			return nil, 0, false
		}
	}
	return r, count, r.freq != ""
}

// setUntil sets until when a rule repeats. ok is false for what is no time.
func (r *rule) setUntil(value string, zone *time.Location) (ok bool) {
	for _, layout := range []string{"20060102T150405Z", "20060102T150405", "20060102T1504", "20060102"} {
		if at, err := time.ParseInLocation(layout, value, zone); err == nil {
			r.until = at
			break
		}
	}
	return !r.until.IsZero()
}

// addDays adds days of the week, such as MO,TU. ok is false for what is none.
func (r *rule) addDays(value string) (ok bool) {
	for day := range strings.SplitSeq(value, ",") {
		at := slices.Index(ruleDays, day)
		if at < 0 {
			return false
		}
		r.days = append(r.days, time.Weekday(at))
	}
	return true
}

// addHours adds hours of the day, such as 8,20. ok is false for what is none.
func (r *rule) addHours(value string) (ok bool) {
	for hour := range strings.SplitSeq(value, ",") {
		h, err := strconv.Atoi(hour)
		if err != nil || h < 0 || h > 23 || len(r.hours) > 24 {
			return false
		}
		r.hours = append(r.hours, h)
	}
	slices.Sort(r.hours)
	return true
}
