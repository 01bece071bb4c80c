package moment

import (
	"fmt"
	"strconv"
	"time"
)

// ParseTime returns a time in seconds since 1970, of a text in any of the usual forms.
func ParseTime(text string, zone *time.Location) (int64, error) {
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		return seconds, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "01/02/2006 15:04:05"} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at.Unix(), nil
		}
	}
	return 0, fmt.Errorf("%q is not a time, such as 2026-03-02 08:10:00", text)
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
