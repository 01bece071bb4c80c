package qstat

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/report"
)

// ParseTime returns a time as PBS's commands print it, in seconds since 1970: "Mon Jul  7 08:00:10 2025", which is
// local to a zone, a number of seconds, or as some builds have it both, "1649348639 (Thu Apr 07 12:23:59 EDT 2022)".
func ParseTime(text string, zone *time.Location) (at int64, ok bool) {
	text = strings.TrimSpace(text)
	digits, rest, isBoth := strings.Cut(text, " (")
	if !isBoth || strings.HasSuffix(rest, ")") {
		if at, err := strconv.ParseInt(digits, 10, 64); err == nil && at > 0 {
			return at, true
		}
	}
	when, err := time.ParseInLocation(time.ANSIC, text, zone)
	return when.Unix(), err == nil
}

// StartOfTable returns the time that the Est Start of a table stands for which was printed at a time, 0 for none or for one of which the
// day is not told: "15:30" of that day, "We 15" and "Wed 15:30" of the week that follows. isToMinute is whether it has minutes.
func StartOfTable(text string, at time.Time) (unix int64, isToMinute bool) {
	day, clock, hasDay := strings.Cut(strings.TrimSpace(text), " ")
	if !hasDay {
		day, clock = "", day
	}
	hour, minute, isToMinute := strings.Cut(clock, ":")
	h, err := strconv.Atoi(hour)
	m, wrong := strconv.Atoi(minute)
	if at.IsZero() || err != nil || h < 0 || h > 23 || isToMinute && (wrong != nil || m < 0 || m > 59) || !hasDay && !isToMinute {
		return 0, false
	}
	if !hasDay {
		return time.Date(at.Year(), at.Month(), at.Day(), h, m, 0, 0, at.Location()).Unix(), true
	}
	const week = 7
	for days := range week {
		of := time.Date(at.Year(), at.Month(), at.Day()+days, h, m, 0, 0, at.Location())
		isDay := len(day) >= 2 && len(day) <= 3 && strings.EqualFold(of.Weekday().String()[:len(day)], day)
		if isDay && (days > 0 || of.After(at)) {
			return of.Unix(), isToMinute
		}
	}
	return 0, false
}

// MadeAt returns when a list was made that qstat or pbsnodes has printed as JSON, by how it begins. ok is false
// where it does not say so.
func MadeAt(begin []byte) (at time.Time, ok bool) {
	s := jsonScanner{data: bytes.TrimLeft(begin, whiteSpace+"\xef\xbb\xbf")}
	if !s.take('{') {
		return at, false
	}
	for {
		s.space()
		if s.at >= len(s.data) || s.data[s.at] != '"' {
			return at, false
		}
		r := jsonReader{jsonScanner: s}
		key, value, ok := r.key()
		if !ok {
			return at, false
		}
		s = r.jsonScanner
		s.at = value
		isTime := string(key) == "timestamp"
		text, ok := s.value()
		if seconds, err := strconv.ParseInt(string(text), 10, 64); isTime && ok && err == nil && seconds > 0 {
			return time.Unix(seconds, 0), true
		}
		if !ok || isTime || !s.take(',') {
			return at, false
		}
	}
}

// undated are jobs with times that cannot be read.
type undated struct {
	jobs    int
	example string
}

// add adds a job by one of its times.
func (u *undated) add(unread string) {
	if u.jobs++; u.jobs == 1 {
		u.example = unread
	}
}

// say says what became of the jobs, in words for one of them and for several.
func (u *undated) say(one, several string) string {
	words := several
	if u.jobs == 1 {
		words = one
	}
	return fmt.Sprintf(words, report.Count(u.jobs, "job")) + ", such as " + u.example
}
