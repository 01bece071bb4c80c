package report

import (
	"fmt"
	"math"
	"time"
)

// Duration returns seconds as hours, minutes and seconds, "-" for NaN.
func Duration(seconds float64) string {
	if math.IsNaN(seconds) {
		return "-"
	}
	n := int64(math.Round(seconds))
	return fmt.Sprintf("%d:%02d:%02d", n/3600, n/60%60, n%60)
}

// Span returns a time as people say it: 1h30m0s, or 2.5 days.
func Span(seconds float64) string {
	if seconds >= 48*3600 {
		return fmt.Sprintf("%.1f days", seconds/86400)
	}
	return (time.Duration(seconds) * time.Second).String()
}

// Shift returns a difference in time with its sign, "-" for NaN.
func Shift(seconds float64) string {
	switch {
	case math.IsNaN(seconds):
		return "-"
	case math.Round(seconds) < 0:
		return "-" + Duration(-seconds)
	}
	return "+" + Duration(seconds)
}

// Decimals returns a number with some decimals, "-" for NaN.
func Decimals(x float64, n int) string {
	if math.IsNaN(x) {
		return "-"
	}
	return Fixed(x, n)
}
