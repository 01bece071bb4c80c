package pbs

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"fairshare/cmd/internal/pattern"
)

// Amounts of attributes, which += and -= of qmgr add to and subtract from: whole numbers, sizes and times.

var (
	wholeAmount = pattern.Of(`^-?\d{1,15}$`)
	sizeAmount  = pattern.Of(`^(\d{1,15})([kmgtp]?)([bw]?)$`)
	timeAmount  = pattern.Of(`^\d{1,9}(:\d{1,9}){1,2}$`)
)

// isAmount reports whether both values of an attribute are amounts, or that of a resource before is a size or a time: what is
// not is a list.
func isAmount(name, before, value string) bool {
	const ofResources = "resources_"
	isWhole := wholeAmount().MatchString(before)
	isSizeOrTime := sizeAmount().MatchString(strings.ToLower(before)) || timeAmount().MatchString(before)
	isBoth := (isWhole || isSizeOrTime) && (wholeAmount().MatchString(value) || sizeAmount().MatchString(strings.ToLower(value)) || timeAmount().MatchString(value))
	return isBoth || !isWhole && isSizeOrTime && strings.HasPrefix(name, ofResources)
}

// changed returns what an amount is when another one is added to it or subtracted. It is false where they are of different
// kinds, and where a size or a time would fall below 0.
func changed(before, operator, value string) (sum string, ok bool) {
	sign := int64(1)
	if operator == "-=" {
		sign = -1
	}
	isWhole := func(text string) bool { return wholeAmount().MatchString(text) }
	isTime := func(text string) bool { return isWhole(text) || timeAmount().MatchString(text) }
	switch {
	case isWhole(before) && isWhole(value):
		return strconv.FormatInt(wholeOf(before)+sign*wholeOf(value), 10), true
	case isTime(before) && isTime(value):
		n := secondsOf(before) + sign*secondsOf(value)
		return fmt.Sprintf("%02d:%02d:%02d", n/3600, n/60%60, n%60), n >= 0
	}
	return changedSize(strings.ToLower(before), sign, strings.ToLower(value))
}

func wholeOf(text string) int64 { n, _ := strconv.ParseInt(text, 10, 64); return n }

// secondsOf reads HH:MM:SS, MM:SS, or seconds.
func secondsOf(text string) (n int64) {
	for part := range strings.SplitSeq(text, ":") {
		n = n*60 + wholeOf(part)
	}
	return n
}

// changedSize returns the sum of two sizes in the smaller one of their units. Words are of eight bytes.
func changedSize(before string, sign int64, value string) (sum string, ok bool) {
	const units, ofUnit, ofWord = " kmgtp", 10, 3 // powers of two
	a, b := sizeAmount().FindStringSubmatch(before), sizeAmount().FindStringSubmatch(value)
	if a == nil || b == nil {
		return "", false
	}
	power := func(size []string) int {
		if size[2] == "" {
			return 0
		}
		return strings.Index(units, size[2])
	}
	unit, isInWords := min(power(a), power(b)), a[3] == "w" && b[3] == "w"
	n := int64(0)
	for i, size := range [][]string{a, b} {
		shift, amount := ofUnit*(power(size)-unit), wholeOf(size[1])
		if size[3] == "w" && !isInWords {
			shift += ofWord
		}
		if amount > math.MaxInt64>>(shift+1) {
			return "", false
		}
		if amount <<= shift; i == 1 {
			amount *= sign
		}
		n += amount
	}
	suffix := "b"
	if isInWords {
		suffix = "w"
	}
	return strconv.FormatInt(n, 10) + strings.TrimSpace(units[unit:unit+1]) + suffix, n >= 0
}
