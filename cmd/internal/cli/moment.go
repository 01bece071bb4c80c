package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// moment is a time that a flag names.
type moment struct {
	time.Time
	hasZone bool // whether the text says which; else the time is as if it were of UTC
}

// in returns a moment as of a zone, if it does not say one itself. It is an error where that
// time of day does not occur, or twice, since the clocks are changed then.
func (m *moment) in(zone *time.Location) (time.Time, error) {
	if m.hasZone {
		return m.Time, nil
	}
	const written = "2006-01-02 15:04:05"
	at := time.Date(m.Year(), m.Month(), m.Day(), m.Hour(), m.Minute(), m.Second(), 0, zone)
	if at.Format(written) != m.Format(written) {
		return at, fail(exitUsage, "%s does not occur in %s: the clocks are put forward then", m.Format(written), zoneName(zone, at.Unix()))
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
			return at, fail(exitUsage, "%s occurs twice in %s: write %s or %s", m.Format(written), zoneName(zone, at.Unix()), first.Format(time.RFC3339), second.Format(time.RFC3339))
		}
	}
	return at, nil
}

// checkAt returns what is wrong with --at where the logs have not begun yet, and warns where
// they have ended before.
func (s *session) checkAt(at, begin, end int64, zone *time.Location) error {
	clock := func(at int64) string { return time.Unix(at, 0).In(zone).Format(timeLayout) }
	switch {
	case begin == trace.Unknown: // there is nothing in them
	case at < begin:
		return fail(exitUsage, "--at is before the logs, which begin at %s", clock(begin))
	case at > end:
		s.diag.Warning("--at is %s after the last time of the logs, %s: what ran then is not known", span(at-end), clock(end))
	}
	return nil
}

// dayOf returns when the day of a time begins in a zone, as the log of a day does in which
// nothing may happen for hours.
func dayOf(at int64, zone *time.Location) int64 {
	if at == trace.Unknown {
		return at
	}
	day := time.Unix(at, 0).In(zone)
	return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone).Unix()
}

// zoneName returns what a zone is called. This machine's is called what the environment or the
// system calls it, else how far it is from UTC at a time.
func zoneName(zone *time.Location, at int64) string {
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

// span returns a length of time in days, or a shorter one in hours, minutes and seconds.
func span(seconds int64) string {
	const day = 24 * 60 * 60
	if seconds >= 2*day {
		return report.Count(int(seconds/day), "day")
	}
	return duration(float64(seconds))
}

// momentsWithZone is how many of the first momentLayouts have a zone.
const momentsWithZone = 2

// momentLayouts are those of ISO 8601 that people write. Without a zone the time
// is local.
var momentLayouts = []string{
	time.RFC3339, "2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02",
}

// Decode implements kong.MapperValue.
func (m *moment) Decode(ctx *kong.DecodeContext) error {
	if ctx.Scan.Len() == 0 {
		return errors.New("missing value")
	}
	text := ctx.Scan.Pop().String()
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		m.Time, m.hasZone = time.Unix(seconds, 0), true
		return nil
	}
	for i, layout := range momentLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			m.Time, m.hasZone = t, i < momentsWithZone
			return nil
		}
	}
	return fmt.Errorf("%q is no time: write 2026-11-21T10:00:00, with a zone such as Z or +01:00 or in local time, or seconds since 1970", text)
}
