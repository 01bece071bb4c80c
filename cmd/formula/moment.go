package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/alecthomas/kong"
)

// moment is a time that a flag names.
type moment struct{ time.Time }

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
		m.Time = time.Unix(seconds, 0)
		return nil
	}
	for _, layout := range momentLayouts {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			m.Time = t
			return nil
		}
	}
	return fmt.Errorf("%q is no time: write 2026-11-21T10:00:00, with a zone such as Z or +01:00 or in local time, or seconds since 1970", text)
}
