package moment

import (
	"strconv"
	"strings"
	"time"
)

// units are the lengths of the units of now+3hours, in seconds.
var units = map[string]int{"": 1, "second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}

// FromNow returns the time that a text names by that of now, as Slurm's commands read it: now, now-7days or now+COUNT[UNIT].
func FromNow(text string, now time.Time) (at time.Time, ok bool) {
	text, ok = strings.CutPrefix(strings.ToLower(strings.TrimSpace(text)), "now")
	if text = strings.TrimSpace(text); text == "" || !ok {
		return now, ok
	}
	sign, digits := text[0], strings.TrimSpace(text[1:])
	unit := strings.TrimLeft(digits, "0123456789")
	count, err := strconv.Atoi(strings.TrimSuffix(digits, unit))
	length, isUnit := units[strings.TrimSuffix(strings.TrimSpace(unit), "s")]
	const most = 10 * 365 * 86400 // seconds
	if sign != '+' && sign != '-' || err != nil || !isUnit || unit == "s" || count > most/length {
		return now, false
	}
	if sign == '-' {
		count = -count
	}
	return now.Add(time.Duration(count*length) * time.Second), true
}

// Of returns a time as a moment.
func Of(at time.Time) Moment { return Moment{Time: at, hasZone: true} }
