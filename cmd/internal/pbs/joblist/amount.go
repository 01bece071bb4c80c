package joblist

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"

	"fairshare/cmd/internal/trace"
	"fairshare/formula"
)

// maxSubjobs is more than PBS allows an array to have.
const maxSubjobs = 10_000_000

// countSubjobs returns how many indices of an array wait. What cannot be read as indices is
// one job.
func countSubjobs(text []byte) int32 {
	if len(text) == 0 {
		return 1
	}
	indices, ok := trace.ParseIndices(string(text))
	if !ok {
		return 1
	}
	return int32(min(indices.Count(), maxSubjobs))
}

// looksReadable reports whether an amount is, at a glance, one that the
// scheduler can read, as nearly all are: a short number, a time, a size in kb,
// mb, gb or tb.
func looksReadable(value []byte, t formula.Type) bool {
	const short = 15
	if last := len(value) - 1; t != "" && t != formula.Size && last >= 0 && value[last] == 'b' ||
		t != "" && t != formula.Duration && bytes.IndexByte(value, ':') >= 0 {
		return false
	}
	n := len(value)
	if n > 2 && value[n-1] == 'b' && (value[n-2] == 'k' || value[n-2] == 'm' || value[n-2] == 'g' || value[n-2] == 't') {
		n -= 2
	}
	for _, c := range value[:n] {
		if (c < '0' || c > '9') && (c != ':' || n < len(value)) {
			return false
		}
	}
	return 0 < n && n <= short && value[n-1] != ':' && value[0] != ':' && bytes.Count(value, []byte(":")) < 3
}

// amountKind is what the text of an amount is.
type amountKind uint8

const (
	isAmount amountKind = iota
	isText
	isUnreadable // the scheduler leaves the whole job out
)

// readAmount reads an amount as the scheduler does: a number, a size in kB, a
// time in seconds. Without a known type it is what the text looks like.
func readAmount(value []byte, t formula.Type) (float64, amountKind) {
	if f, ok := parseDigits(value); ok && t != formula.Size {
		return f, isAmount
	}
	text := string(value)
	if t == formula.Duration && strings.IndexByte(text, ':') > 0 {
		if f, ok := formula.ParseDuration(text); ok {
			return f, isAmount
		}
		return 0, isUnreadable
	}
	if t != formula.Size || text == "" {
		f, err := strconv.ParseFloat(text, 64)
		switch {
		case err == nil && !math.IsNaN(f) && !math.IsInf(f, 0):
			return f, isAmount
		case err == nil, errors.Is(err, strconv.ErrRange):
			return 0, isUnreadable
		}
	}
	if t == formula.Size || t == "" {
		if f, ok := formula.ParseSize(text); ok {
			return f, isAmount
		}
	}
	if t == formula.Duration || t == "" {
		if f, ok := formula.ParseDuration(text); ok {
			return f, isAmount
		}
	}
	if t == "" && !strings.HasSuffix(text, "pb") && !strings.HasSuffix(text, "pw") {
		return 0, isText
	}
	return 0, isUnreadable
}

// parseDigits reads a number that is nothing but digits, as most are.
func parseDigits(text []byte) (x float64, ok bool) {
	const most = 18 // digits that an int64 has room for
	if len(text) == 0 || len(text) > most {
		return 0, false
	}
	n := int64(0)
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return float64(n), true
}
