package figure

import (
	"math"

	"fairshare/cmd/internal/report"
)

// Unit is what a figure counts in.
type Unit byte

// The units of figures.
const (
	Plain    Unit = iota // a number
	Seconds              // a time
	Fraction             // of the whole, 0 to 1
)

// Unit returns what a figure counts in.
func (f Figure) Unit() Unit {
	switch f.Statistic {
	case "":
		return wholes[f.Quantity].unit
	case "count":
		return Plain
	}
	return quantities[f.Quantity].unit
}

// Text returns a number of a unit as people read it, "-" for NaN.
func (u Unit) Text(x float64) string {
	switch {
	case math.IsNaN(x):
		return "-"
	case u == Seconds && x < 0:
		return "-" + report.Duration(-x)
	case u == Seconds:
		return report.Duration(x)
	case u == Fraction:
		return report.Percent(x, 1)
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		return report.Plain(x)
	}
	return report.Fixed(x, 1)
}

// titles are what the column of a figure is called in a table of the standard ones.
var titles = map[string]string{
	"started": "STARTED", "mean(wait)": "WAIT MEAN", "median(wait)": "MEDIAN", "p90(wait)": "P90", "p95(wait)": "P95", "p99(wait)": "P99",
	"mean(slowdown)": "SLOWDOWN", "utilisation": "IN USE", "share_distance": "DISTANCE",
}

// Title returns what the column of a standard figure is called, "" for any other figure.
func (f Figure) Title() string { return titles[f.String()] }
