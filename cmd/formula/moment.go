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
	hasZone bool // whether the text says which
}

// in returns a moment as of a zone, if it does not say one itself.
func (m *moment) in(zone *time.Location) time.Time {
	if m.hasZone {
		return m.Time
	}
	return time.Date(m.Year(), m.Month(), m.Day(), m.Hour(), m.Minute(), m.Second(), 0, zone)
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
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			m.Time, m.hasZone = t, i < momentsWithZone
			return nil
		}
	}
	return fmt.Errorf("%q is no time: write 2026-11-21T10:00:00, with a zone such as Z or +01:00 or in local time, or seconds since 1970", text)
}
