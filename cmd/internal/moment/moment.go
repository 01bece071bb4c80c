// Package moment reads times as people write them, and tells them and their zones as people
// read them.
package moment

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// Layout is how people read a time.
const Layout = "2006-01-02 15:04:05 MST"

// Moment is a time that somebody has written.
type Moment struct {
	time.Time
	hasZone  bool         // whether the text says which; else the time is as if it were of UTC
	isDay    bool         // whether the text says a date or a weekday, and no time of day
	isDaily  bool         // whether the text says no date
	isWeekly bool         // whether it says a weekday in place of a date
	weekday  time.Weekday // where it does
	isNear   bool         // whether it says tomorrow or the like in place of a date
	days     int          // how many days after the day of another time that is, where it does
}

// In returns a moment as of a zone, if it does not say one itself: of a time of day and of a weekday the
// last one until now, and of tomorrow and the like that by the day of now. A *diag.RequestError is for a time of day that does not occur, or twice, since the clocks
// are changed then.
func (m Moment) In(zone *time.Location) (time.Time, error) {
	switch {
	case m.hasZone:
		return m.Time, nil
	case m.isNear:
		return m.onDay(time.Now(), m.days, zone).In(zone)
	case m.isDaily:
		return m.until(time.Now(), zone)
	}
	const written = "2006-01-02 15:04:05"
	if m.isDay {
		return m.begin(zone), nil
	}
	at := time.Date(m.Year(), m.Month(), m.Day(), m.Hour(), m.Minute(), m.Second(), 0, zone)
	if at.Format(written) != m.Format(written) {
		return at, diag.Requestf("%s does not occur in %s: the clocks are put forward then", m.Format(written), ZoneName(zone, at.Unix()))
	}
	const most = 3 * time.Hour // by which clocks are changed
	for _, near := range []time.Time{at.Add(-most), at.Add(most)} {
		_, offset := at.Zone()
		_, other := near.Zone()
		if again := at.Add(time.Duration(offset-other) * time.Second); other != offset && again.Format(written) == at.Format(written) {
			first, second := at, again
			if second.Before(first) {
				first, second = second, first
			}
			return at, diag.Requestf("%s occurs twice in %s: write %s or %s", m.Format(written), ZoneName(zone, at.Unix()), first.Format(time.RFC3339), second.Format(time.RFC3339))
		}
	}
	return at, nil
}

// ComesTwice reports whether the clock of a zone says the same an hour after a time.
func ComesTwice(zone *time.Location, at int64) bool {
	const hour = 3600
	first, second := time.Unix(at, 0).In(zone), time.Unix(at+hour, 0).In(zone)
	return first.Hour() == second.Hour() && first.Minute() == second.Minute()
}

// After returns a moment as of a zone, as In does: of a time of day and of a weekday the first after a time, and of tomorrow and the like that by the day of it.
func (m Moment) After(at time.Time, zone *time.Location) (time.Time, error) {
	if !m.isDaily {
		return m.In(zone)
	}
	if m.isNear {
		return m.onDay(at, m.days, zone).In(zone)
	}
	for days := 0; ; days++ {
		if m.isWeekly && m.onDay(at, days, zone).Weekday() != m.weekday {
			continue
		}
		next, err := m.onDay(at, days, zone).In(zone)
		if err != nil || next.After(at) {
			return next, err
		}
	}
}

// until returns the last time until another at which a time of day is, or a weekday.
func (m Moment) until(at time.Time, zone *time.Location) (time.Time, error) {
	for days := 0; ; days-- {
		if m.isWeekly && m.onDay(at, days, zone).Weekday() != m.weekday {
			continue
		}
		last, err := m.onDay(at, days, zone).In(zone)
		if err != nil || !last.After(at) {
			return last, err
		}
	}
}

// onDay returns a time of day on the date that is some days after that of another time in a zone.
func (m Moment) onDay(at time.Time, days int, zone *time.Location) Moment {
	year, month, day := at.In(zone).Date()
	return Moment{Time: time.Date(year, month, day+days, m.Hour(), m.Minute(), m.Second(), 0, time.UTC), isDay: m.isDay}
}

// begin returns when the day of a moment begins in a zone.
func (m Moment) begin(zone *time.Location) time.Time {
	return DayAfter(time.Date(m.Year(), m.Month(), m.Day(), 12, 0, 0, 0, zone), 0)
}

// DayAfter returns when the day begins that is some days after that of a time, in the zone of the time: at midnight, or
// where clocks are put forward then, as in Cairo in April, when they are.
func DayAfter(at time.Time, days int) time.Time {
	begin, noon := time.Date(at.Year(), at.Month(), at.Day()+days, 0, 0, 0, 0, at.Location()), time.Date(at.Year(), at.Month(), at.Day()+days, 12, 0, 0, 0, at.Location())
	if begin.Day() != noon.Day() { // as the clock before the change has it
		_, begin = begin.ZoneBounds()
	}
	return begin
}

// Check returns what is wrong with a time of --at where the logs have not begun yet, and a
// warning where they have ended before.
func Check(at, begin, end int64, zone *time.Location) ([]diag.Remark, error) {
	switch {
	case begin == trace.Unknown: // there is nothing in them
	case at < begin:
		return nil, diag.Requestf("--at is before the logs, which begin at %s", Clock(begin, zone))
	case at > end:
		return []diag.Remark{diag.Warningf("--at is %s after the last time of the logs, %s: what ran then is not known", span(at-end), Clock(end, zone))}, nil
	}
	return nil, nil
}

// Clock returns a time of the logs as people read it.
func Clock(at int64, zone *time.Location) string { return time.Unix(at, 0).In(zone).Format(Layout) }

// Days returns the days from one time to another as people read them: one where both are of the same.
func Days(from, to int64, zone *time.Location) string {
	day := func(at int64) string { return time.Unix(at, 0).In(zone).Format(time.DateOnly) }
	return strings.Join(slices.Compact([]string{day(from), day(to)}), " to ")
}

// Zone returns the time zone of a name, this machine's for "".
func Zone(name string) (*time.Location, error) {
	if name == "" {
		return time.Local, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		for _, area := range []string{"Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic", "Indian"} {
			if _, err := time.LoadLocation(area + "/" + name); err == nil {
				return nil, diag.Requestf("--tz %s is no time zone; did you mean %s/%[1]s?", name, area)
			}
		}
		return nil, diag.Requestf("--tz %s is no time zone that this machine knows: their names are such as Europe/Berlin, or UTC", name)
	}
	return zone, nil
}

// DayOf returns when the day of a time begins in a zone, as the log of a day does in which
// nothing may happen for hours.
func DayOf(at int64, zone *time.Location) int64 {
	if at == trace.Unknown {
		return at
	}
	return DayAfter(time.Unix(at, 0).In(zone), 0).Unix()
}

// ZoneName returns what a zone is called. This machine's is called what the environment or the
// system calls it, else how far it is from UTC at a time.
func ZoneName(zone *time.Location, at int64) string {
	if zone != time.Local {
		return zone.String()
	}
	names := []string{strings.TrimPrefix(os.Getenv("TZ"), ":")}
	if target, err := filepath.EvalSymlinks("/etc/localtime"); err == nil && os.Getenv("TZ") == "" {
		_, name, _ := strings.Cut(target, "/zoneinfo/")
		names = append(names, name)
	}
	_, offset := time.Unix(at, 0).In(zone).Zone()
	for _, name := range names {
		if named, err := time.LoadLocation(name); name != "" && err == nil {
			if _, other := time.Unix(at, 0).In(named).Zone(); other == offset {
				return name
			}
		}
	}
	return offsetName(offset)
}

// OffsetZone returns the zone that is some seconds ahead of UTC all year.
func OffsetZone(seconds int) *time.Location { return time.FixedZone(offsetName(seconds), seconds) }

// offsetName returns what a zone is called that is some seconds ahead of UTC.
func offsetName(offset int) string {
	if offset == 0 {
		return "UTC"
	}
	sign := "+"
	if offset < 0 {
		sign, offset = "-", -offset
	}
	name := fmt.Sprintf("UTC%s%d", sign, offset/3600)
	if minutes := offset / 60 % 60; minutes > 0 {
		name += fmt.Sprintf(":%02d", minutes)
	}
	return name
}

// changing are zones whose clocks are changed in different ways, those of most sites first.
var changing = []string{
	"Europe/Berlin", "America/New_York", "Europe/London", "America/Chicago", "America/Denver", "America/Los_Angeles", "Europe/Athens",
	"Australia/Sydney", "Pacific/Auckland", "America/Halifax", "America/Anchorage", "America/St_Johns", "America/Santiago",
	"Asia/Jerusalem", "Africa/Cairo", "Australia/Adelaide", "Atlantic/Azores", "Asia/Beirut", "America/Havana",
}

// Changing returns zones whose clocks are changed in different ways, those of most sites first, as far as this machine knows them.
func Changing() (zones []*time.Location) {
	for _, name := range changing {
		if zone, err := time.LoadLocation(name); err == nil {
			zones = append(zones, zone)
		}
	}
	return zones
}

// NextChange returns a zone that is as far ahead of UTC as another one at a time and whose clocks are changed by another, and when
// they first are; nil for none.
func NextChange(like *time.Location, begin, end int64) (zone *time.Location, at int64) {
	_, offset := time.Unix(begin, 0).In(like).Zone()
	for _, other := range Changing() {
		from := time.Unix(begin, 0).In(other)
		_, change := from.ZoneBounds()
		_, is := from.Zone()
		if is == offset && !change.IsZero() && change.Unix() < end && (zone == nil || change.Unix() < at) {
			zone, at = other, change.Unix()
		}
	}
	return zone, at
}

// span returns a length of time in days, or a shorter one in hours, minutes and seconds.
func span(seconds int64) string {
	const day = 24 * 60 * 60
	if seconds >= 2*day {
		return report.Count(int(seconds/day), "day")
	}
	return report.Duration(float64(seconds))
}
