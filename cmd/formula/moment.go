package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/alecthomas/kong"
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
		return at, fail(exitUsage, "%s does not occur in %s: the clocks are put forward then", m.Format(written), zone)
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
			return at, fail(exitUsage, "%s occurs twice in %s: write %s or %s", m.Format(written), zone, first.Format(time.RFC3339), second.Format(time.RFC3339))
		}
	}
	return at, nil
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
