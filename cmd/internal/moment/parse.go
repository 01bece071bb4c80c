package moment

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// withZone is how many of the first layouts have a zone.
const withZone = 2

// layouts are those of dates that people write, with a time of day or for the beginning of the day.
var layouts = []string{
	time.RFC3339, "2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15", "2006-01-02 15", "2006-01-02",
	"2.1.2006 15:04:05", "2.1.2006 15:04", "2.1.2006", "01/02/2006 15:04:05",
}

// isDate matches what is written as a date with a time or without one.
var isDate = regexp.MustCompile(`^\d{4}-\d\d-\d\d([T ]\d\d(:\d\d(:\d\d)?)?)?$`)

// Parse returns the moment that a text names: a date, seconds since 1970, a time of day such as 18:00 or 6pm, or a weekday, today,
// tomorrow or yesterday with a time of day or without one. See In and After for which day that is.
func Parse(text string) (Moment, error) {
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Moment{Time: time.Unix(seconds, 0), hasZone: true}, nil
	}
	for i, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return Moment{Time: t, hasZone: i < withZone, isDay: !strings.Contains(layout, "15")}, nil
		}
	}
	if m, ok := parseDaily(text); ok {
		return m, nil
	}
	if isDate.MatchString(text) {
		return Moment{}, fmt.Errorf("%q is no time: there is no such day or hour", text)
	}
	return Moment{}, fmt.Errorf("%q is no time: write 2026-11-21T10:00:00 with a zone such as Z or +01:00 or in local time, 21.11.2026 10:00, 10:00, 6pm, tomorrow, Monday, Monday 10:00, or seconds since 1970", text)
}

// nearDays are days that are told by another one, by how many they come after it.
var nearDays = map[string]int{"yesterday": -1, "today": 0, "tomorrow": 1}

// parseDaily returns the moment of a time of day, of a weekday or a day near another one, or of both.
func parseDaily(text string) (Moment, bool) {
	m := Moment{isDaily: true}
	first, rest, _ := strings.Cut(text, " ")
	for day := time.Sunday; day <= time.Saturday; day++ {
		if name := day.String(); strings.EqualFold(first, name) || strings.EqualFold(first, name[:3]) {
			m.isWeekly, m.weekday, text = true, day, rest
		}
	}
	if days, isNear := nearDays[strings.ToLower(first)]; isNear {
		m.isNear, m.days, text = true, days, rest
	}
	if (m.isWeekly || m.isNear) && text == "" {
		m.isDay = true
		return m, true
	}
	for _, layout := range []string{"15:04", "15:04:05", "3pm", "3:04pm", "3 pm", "3:04 pm"} {
		if t, err := time.Parse(layout, strings.ToLower(text)); err == nil {
			m.Time = t
			return m, true
		}
	}
	return Moment{}, false
}

// ParseTime returns the seconds since 1970 of the date that a text names, of which an hour that occurs twice is one of both.
func ParseTime(text string, zone *time.Location) (int64, error) {
	m, err := Parse(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is not a time, such as 2026-03-02 08:10:00", text)
	case m.isDaily:
		return 0, fmt.Errorf("%q is not a time of a date, which is needed here, such as 2026-03-02 08:10:00", text)
	}
	if m.hasZone {
		return m.Unix(), nil
	}
	return time.Date(m.Year(), m.Month(), m.Day(), m.Hour(), m.Minute(), m.Second(), 0, zone).Unix(), nil
}

// ParseDay returns when the day begins in a zone that a text names.
func ParseDay(text string, zone *time.Location) (time.Time, error) {
	m, err := Parse(text)
	at := m.begin(zone)
	if err != nil || m.isDaily || !m.isDay && (m.hasZone || m.Format(time.TimeOnly) != "00:00:00") {
		return at, fmt.Errorf("%q is not a day such as 2026-03-02", text)
	}
	return at, nil
}

// ParseSpan returns the times between which something is to be.
func ParseSpan(from, to string, zone *time.Location) (start, end int64, err error) {
	if start, err = ParseTime(from, zone); err != nil {
		return 0, 0, err
	}
	if end, err = ParseTime(to, zone); err != nil {
		return 0, 0, err
	}
	if start >= end {
		return 0, 0, fmt.Errorf("%s is not before %s", from, to)
	}
	return start, end, nil
}
