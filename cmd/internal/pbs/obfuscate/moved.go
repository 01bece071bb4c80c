package obfuscate

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	"fairshare/cmd/internal/file"
)

// unitOf returns how many of its units a second has, where a number is a time since 1970: 1, or those of milliseconds,
// microseconds or nanoseconds; 0 for what is no time, as the marks for one that is not set.
func unitOf(number float64) float64 {
	const (
		longAgo = 100_000_000 // seconds, 1973: less is no time
		latest  = 1000        // times as late
	)
	switch number {
	case math.MaxInt32, math.MaxUint32, math.MaxUint32 - 1, math.MaxUint32 - 2, math.MaxInt64:
		return 0
	}
	for unit := 1.0; unit <= 1e9; unit *= 1000 {
		if number > longAgo*unit && number <= longAgo*unit*latest {
			return unit
		}
	}
	return 0
}

var (
	isNumberOf = regexp.MustCompile(`[0-9A-Za-z_.+-]+`)
	isEpoch    = regexp.MustCompile(`^[0-9]{9,19}(\.[0-9]*)?$|^[0-9.]+e\+[0-9]{2}$`)
	isDate     = regexp.MustCompile(`[0-9]{2}/[0-9]{2}/[0-9]{4}|[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} [0-9]{4}|[0-9]{4}-[0-9]{2}-[0-9]{2}`)
)

// unmoved returns a time in a text that is nearer to when a site was asked than to when its copy says that it was, "" for
// none: a number of seconds, milliseconds, microseconds or nanoseconds since 1970, or a date.
func unmoved(text string, taken, moved time.Time) string {
	isNear := func(at float64) bool {
		return math.Abs(at-float64(taken.Unix())) < math.Abs(at-float64(moved.Unix()))
	}
	for _, word := range isNumberOf.FindAllString(text, -1) {
		if !isEpoch.MatchString(word) {
			continue
		}
		number, err := strconv.ParseFloat(word, 64)
		if unit := unitOf(number); err == nil && unit > 0 && isNear(number/unit) {
			return word
		}
	}
	for _, date := range isDate.FindAllString(text, -1) {
		for _, layout := range []string{"01/02/2006", time.ANSIC, time.DateOnly} {
			if at, err := time.Parse(layout, date); err == nil && isNear(float64(at.Unix())) {
				return date
			}
		}
	}
	return ""
}

// checkMoved returns an error if something of a copy that is moved tells by how much.
func (o *obfuscator) checkMoved() error {
	if o.shift.Weeks > -52 { // so that times of the site may be near those of the copy
		return nil
	}
	taken := o.takenAt()
	moved := taken.Add(time.Duration(o.shift.seconds()) * time.Second)
	by := strconv.FormatInt(-o.shift.seconds(), 10)
	check := func(name, text string) error {
		if at := unmoved(text, taken, moved); at != "" {
			return fmt.Errorf("no copy is made: %s in %s would tell when the site was asked, though all times are to be moved", at, name)
		}
		for _, word := range isNumberOf.FindAllString(text, -1) {
			if len(word) >= len(by) && (word == by || word[1:] == by) {
				return fmt.Errorf("no copy is made: %s would tell by how much times are moved", name)
			}
		}
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(o.files)) {
		if err := check(name, string(o.files[name])); err != nil {
			return err
		}
	}
	for _, logs := range [][]file.Source{o.logs, o.serverLog} {
		for _, log := range logs {
			err := file.EachLine(log, func(_ int, line []byte) error { return check(log.Name, string(line)) }, func(int, string) {})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
