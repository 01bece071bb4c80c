package obfuscate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"fairshare/cmd/internal/pattern"
)

// Shift is by how much a copy is moved, so that times and numbers of jobs cannot be looked up elsewhere. Weeks keep the days
// of the week.
type Shift struct {
	Weeks   int
	Numbers int64 // that the numbers of jobs grow by
}

// RandomShift returns a shift into the past that nobody can guess, by so much that no time of a site is near one of its
// copy.
func RandomShift() Shift {
	const (
		leastWeeks  = 2 * 52
		mostWeeks   = 10 * 52
		mostNumbers = 1_000_000
	)
	return Shift{Weeks: -leastWeeks - rand.IntN(mostWeeks-leastWeeks), Numbers: 1 + rand.Int64N(mostNumbers)}
}

// Seconds returns by how many seconds times are moved.
func (s Shift) Seconds() int64 {
	const week = 7 * 24 * 60 * 60
	return int64(s.Weeks) * week
}

// Move returns a time that is moved.
func (s Shift) Move(at time.Time) time.Time {
	return at.Add(time.Duration(s.Seconds()) * time.Second)
}

// UnitOf returns how many of its units a second has, where a number is a time since 1970: 1, or those of milliseconds,
// microseconds or nanoseconds; 0 for what is no time, as the marks for one that is not set.
func UnitOf(number float64) float64 {
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
	isNumberOf = pattern.Of(`[0-9A-Za-z_.+-]+`)
	isEpoch    = pattern.Of(`^[0-9]{9,19}(\.[0-9]*)?$|^[0-9.]+e\+[0-9]{2}$`)
	isDate     = pattern.Of(`[0-9]{2}/[0-9]{2}/[0-9]{4}|[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} [0-9]{4}|[0-9]{4}-[0-9]{2}-[0-9]{2}`)
)

// Epochs returns those words of a text that may be times since 1970, by how they look.
func Epochs(text string) (words []string) {
	for _, word := range isNumberOf().FindAllString(text, -1) {
		if isEpoch().MatchString(word) {
			words = append(words, word)
		}
	}
	return words
}

// Check returns an error if a text of a copy tells when its site was asked, or by how much times are moved: by a number of
// seconds, milliseconds, microseconds or nanoseconds since 1970 or by a date that is nearer to when the site was asked than
// to when its copy says that it was. Of amounts it is known that they are no times.
func (s Shift) Check(name, text string, taken time.Time, amounts map[string]bool) error {
	if s.Weeks > -52 { // so that times of the site may be near those of the copy
		return nil
	}
	if at := s.unmoved(text, taken, amounts); at != "" {
		return fmt.Errorf("no copy is made: %s in %s would tell when the site was asked, though all times are to be moved", at, name)
	}
	by := strconv.FormatInt(-s.Seconds(), 10)
	for _, word := range isNumberOf().FindAllString(text, -1) {
		if len(word) >= len(by) && (word == by || word[1:] == by) && !amounts[word] {
			return fmt.Errorf("no copy is made: %s would tell by how much times are moved", name)
		}
	}
	return nil
}

// unmoved returns a time in a text that is nearer to when a site was asked than to when its copy says that it was, "" for none.
func (s Shift) unmoved(text string, taken time.Time, amounts map[string]bool) string {
	moved := s.Move(taken)
	isNear := func(at float64) bool {
		return math.Abs(at-float64(taken.Unix())) < math.Abs(at-float64(moved.Unix()))
	}
	for _, word := range Epochs(text) {
		number, err := strconv.ParseFloat(word, 64)
		if unit := UnitOf(number); err == nil && unit > 0 && !amounts[word] && isNear(number/unit) {
			return word
		}
	}
	for _, date := range isDate().FindAllString(text, -1) {
		for _, layout := range []string{"01/02/2006", time.ANSIC, time.DateOnly} {
			if at, err := time.Parse(layout, date); err == nil && isNear(float64(at.Unix())) {
				return date
			}
		}
	}
	return ""
}
