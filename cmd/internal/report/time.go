package report

import (
	"fmt"
	"math"
)

// Duration returns seconds as hours, minutes and seconds, "-" for NaN.
func Duration(seconds float64) string {
	if math.IsNaN(seconds) {
		return "-"
	}
	n := int64(math.Round(seconds))
	return fmt.Sprintf("%d:%02d:%02d", n/3600, n/60%60, n%60)
}

// Shift returns a difference in time with its sign, "-" for NaN.
func Shift(seconds float64) string {
	switch {
	case math.IsNaN(seconds):
		return "-"
	case seconds < 0:
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
