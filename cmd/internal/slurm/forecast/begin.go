package forecast

import (
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pattern"
)

// dayTimes are the hours that have names.
var dayTimes = map[string]int{"midnight": 0, "noon": 12, "fika": 15, "teatime": 16}

var (
	beginClock = pattern.Of(`^(\d{1,2}):(\d{2})(:(\d{2}))?([AaPp][Mm])?`)
	beginDates = []struct {
		form   pattern.Lazy
		layout string
	}{
		{pattern.Of(`^\d{4}-\d{1,2}-\d{1,2}`), "2006-1-2"}, {pattern.Of(`^\d{1,2}/\d{1,2}/\d{2}\b`), "1/2/06"}, {pattern.Of(`^\d{1,2}\.\d{1,2}\.\d{2}\b`), "1.2.06"},
		{pattern.Of(`^\d{6}\b`), "010206"}, {pattern.Of(`^\d{1,2}/\d{1,2}`), "1/2"}, {pattern.Of(`^\d{4}\b`), "0102"},
	}
)

// beginOf returns when a job is to begin that is submitted at a time with --begin: a time of day (10:00, 1:00PM, noon), a day (today,
// tomorrow, 2026-12-31, 12/31), both, or now+COUNT[UNIT], as Slurm's parse_time reads them. ok is false for what sbatch refuses.
func beginOf(text string, at time.Time) (begin time.Time, ok bool) {
	if len(text) >= 3 && strings.EqualFold(text[:3], "now") {
		return moment.FromNow(text, at)
	}
	const none = -1
	var day time.Time
	second, hasYear := none, false
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		isClock, isDay := false, false
		if second, rest, isClock = readClock(rest, second); isClock {
			continue
		}
		if day, hasYear, rest, isDay = readDay(rest, at); !isDay {
			return at, false
		}
		if after := strings.TrimLeft(rest, "T-"); after != "" && '0' <= after[0] && after[0] <= '9' { // 2026-12-31T10:00
			rest = after
		}
	}
	isToday := day.IsZero()
	if isToday {
		day = at
	}
	begin = time.Date(day.Year(), day.Month(), day.Day(), 0, 0, max(0, second), 0, at.Location())
	switch {
	case isToday && second == none:
		return at, false
	case isToday && begin.Before(at):
		begin = time.Date(day.Year(), day.Month(), day.Day()+1, 0, 0, second, 0, at.Location())
	case !isToday && !hasYear && begin.Before(at):
		begin = begin.AddDate(1, 0, 0)
	}
	return begin, true
}

// readClock reads a time of day at the begin of a text, in seconds, and returns the one before where there is none.
func readClock(text string, before int) (second int, rest string, ok bool) {
	for name, hour := range dayTimes {
		if after, isNamed := cutWord(text, name); isNamed {
			return hour * 3600, after, true
		}
	}
	found := beginClock().FindStringSubmatch(text)
	if found == nil {
		return before, text, false
	}
	number := func(i int) int { n, _ := strconv.Atoi(found[i]); return n }
	hour, half := number(1), strings.ToLower(found[5])
	switch {
	case half != "" && (hour < 1 || hour > 12), hour > 23, number(2) > 59, number(4) > 59:
		return before, text, false
	case half != "":
		if hour %= 12; half == "pm" {
			hour += 12
		}
	}
	return hour*3600 + number(2)*60 + number(4), text[len(found[0]):], true
}

// cutWord returns what stands behind a word at the begin of a text, in whatever letters but for a T at its own begin, which Slurm
// passes over as that between a day and a time.
func cutWord(text, word string) (after string, ok bool) {
	if len(text) < len(word) || text[0] == 'T' || !strings.EqualFold(text[:len(word)], word) {
		return text, false
	}
	return text[len(word):], true
}

// readDay reads a day at the begin of a text, and whether it has a year.
func readDay(text string, at time.Time) (day time.Time, hasYear bool, rest string, ok bool) {
	for days, name := range []string{"today", "tomorrow"} {
		if after, isNamed := cutWord(text, name); isNamed {
			return time.Date(at.Year(), at.Month(), at.Day()+days, 0, 0, 0, 0, at.Location()), true, after, true
		}
	}
	for _, d := range beginDates {
		found := d.form().FindString(text)
		if found == "" {
			continue
		}
		day, err := time.ParseInLocation(d.layout, found, at.Location())
		if hasYear = strings.Contains(d.layout, "06"); err == nil && !hasYear {
			day = time.Date(at.Year(), day.Month(), day.Day(), 0, 0, 0, 0, at.Location())
		}
		return day, hasYear, text[len(found):], err == nil
	}
	return day, false, text, false
}
