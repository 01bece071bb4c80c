package sacct

import (
	"math"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/moment"
)

// Unknown is a time, an amount or a number that nothing tells.
const Unknown = math.MinInt64

const (
	secondsOfHour = 3600
	secondsOfDay  = 24 * secondsOfHour
)

// The bound of times: Slurm keeps the seconds since 1970 in 32 bits, which end in 2106.
const (
	endOfTime = 1 << 32
	lastYear  = 2105
)

// clock reads times in a zone. Nearly all of them are of a quarter of an hour of which others are.
type clock struct {
	zone     *time.Location
	quarters map[int64]int64 // when quarters of an hour of local time begin
	twice    map[int64]bool  // those of the hour that comes twice in autumn, of which the first is read
	isTwice  bool            // whether one of the times that were read is of that hour
}

// layouts are how times are written with a zone (SLURM_TIME_FORMAT).
var layouts = []string{time.RFC3339, "2006-01-02T15:04:05-0700"}

const local = "2006-01-02T15:04:05"

// time reads a time: local, with a zone behind it, or seconds since 1970. It is Unknown where there is none.
func (c *clock) time(text []byte) (at int64, ok bool) {
	switch {
	case len(text) == 0 || text[0] == 'U' || text[0] == 'N': // Unknown, None, N/A
		return Unknown, true
	case len(text) < len(local):
		n, err := strconv.ParseInt(string(text), 10, 64)
		if n == 0 {
			n = Unknown
		}
		return n, err == nil && n < endOfTime && (n == Unknown || n > 0)
	case len(text) > len(local):
		for _, layout := range layouts {
			if t, err := time.Parse(layout, string(text)); err == nil {
				return t.Unix(), t.Unix() < endOfTime
			}
		}
		return Unknown, false
	}
	n := [6]int{}
	for i, at := range [6][2]int{{0, 4}, {5, 7}, {8, 10}, {11, 13}, {14, 16}, {17, 19}} {
		for _, digit := range text[at[0]:at[1]] {
			if digit < '0' || digit > '9' {
				return Unknown, false
			}
			n[i] = n[i]*10 + int(digit-'0')
		}
	}
	if text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':' || !isMoment(n) {
		return Unknown, false
	}
	key := int64(n[0]*12+n[1])<<16 | int64(n[2])<<8 | int64(n[3])<<2 | int64(n[4]/15)
	begin, isKnown := c.quarters[key]
	if !isKnown {
		const quarterMinutes = 15
		if day := time.Date(n[0], time.Month(n[1]), n[2], 0, 0, 0, 0, time.UTC); day.Day() != n[2] {
			return Unknown, false // the month has no such day
		}
		begin = time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4]/quarterMinutes*quarterMinutes, 0, 0, c.zone).Unix()
		if moment.ComesTwice(c.zone, begin-secondsOfHour) {
			begin -= secondsOfHour
		}
		c.quarters[key] = begin
		if moment.ComesTwice(c.zone, begin) {
			c.twice[key] = true
		}
	}
	c.isTwice = c.isTwice || len(c.twice) > 0 && c.twice[key]
	return begin + int64(n[4]%15)*60 + int64(n[5]), true
}

// isMoment reports whether a year, a month, a day, an hour, a minute and a second may be those of a moment.
func isMoment(n [6]int) bool {
	return n[0] >= 1970 && n[0] <= lastYear && n[1] >= 1 && n[1] <= 12 && n[2] >= 1 && n[2] <= 31 && n[3] <= 23 && n[4] <= 59 && n[5] <= 60
}

// duration reads [DAYS-]HOURS:MINUTES:SECONDS or MINUTES:SECONDS with parts of a second.
func duration(text []byte) int64 {
	if len(text) == 0 {
		return Unknown
	}
	s, _, _ := strings.Cut(string(text), ".")
	days, rest, hasDays := strings.Cut(s, "-")
	if !hasDays {
		days, rest = "0", s
	}
	total, err := strconv.ParseInt(days, 10, 32)
	if err != nil || rest == "" {
		return Unknown
	}
	seconds, fields := int64(0), 0
	for field := range strings.SplitSeq(rest, ":") {
		n, err := strconv.ParseInt(field, 10, 32)
		if err != nil || n < 0 {
			return Unknown
		}
		fields++
		seconds = seconds*60 + n
	}
	if fields < 2 || fields > 3 {
		return Unknown
	}
	return total*secondsOfDay + seconds
}

// integer returns a number, Unknown for what is none.
func integer(text []byte) int64 {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return Unknown
	}
	return n
}

// positive returns the first of some numbers that is known and above 0, else Unknown.
func positive(numbers ...int64) int64 {
	for _, n := range numbers {
		if n > 0 {
			return n
		}
	}
	return Unknown
}
