package figure

import (
	"math"
	"strings"

	"fairshare/cmd/internal/report"
)

// Unit is what a figure counts in.
type Unit byte

// The units of figures.
const (
	Plain    Unit = iota // a number
	Seconds              // a time
	Fraction             // of the whole, 0 to 1
	Hours                // of cpus
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
	case u == Hours:
		return report.Fixed(x, 0)
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		return report.Plain(x)
	}
	return report.Fixed(x, 1)
}

// Difference returns by how much a number of a unit is another one, as people read it: parts of a whole differ by points.
func (u Unit) Difference(x float64) string {
	if u == Fraction && !math.IsNaN(x) {
		return report.Fixed(100*x, 1) + " pt"
	}
	return u.Text(x)
}

// titles are what the column of a figure is called in a table of the standard ones.
var titles = map[string]string{
	"started": "STARTED", "mean(wait)": "WAIT MEAN", "median(wait)": "MEDIAN", "p90(wait)": "P90", "p95(wait)": "P95", "p99(wait)": "P99",
	"count(wait)": "JOBS", "sum(core_hours)": "CORE HOURS",
	"mean(slowdown)": "SLOWDOWN", "utilisation": "IN USE", "share_distance": "DISTANCE",
}

// inWords are what figures of the whole and statistics are called in words.
var inWords = map[string]string{
	"started": "jobs started", "left_waiting": "jobs left waiting", "left_core_hours": "core hours left waiting", "preempted": "preemptions", "utilisation": "cpus in use",
	"share_distance": "distance from shares", "convergence": "seconds to convergence", "witness": "starts that are what the rules give",
	"mean": "mean", "median": "median", "max": "longest", "min": "shortest", "sum": "sum of",
}

// Words returns what a figure is called in words, such as 95th percentile of wait, queue debug.
func (f Figure) Words() string {
	if f.Statistic == "" {
		return inWords[f.Quantity]
	}
	of, isNamed := inWords[f.Statistic]
	if !isNamed {
		of = strings.TrimPrefix(f.Statistic, "p") + "th percentile of"
	}
	text := of + " " + strings.ReplaceAll(f.Quantity, "_", " ")
	if f.Statistic == "count" {
		text = "jobs"
	}
	for _, filter := range f.Filters {
		text += ", " + filter.Kind + " " + filter.Name
	}
	return text
}

// Title returns what the column of a standard figure is called, "" for any other figure.
func (f Figure) Title() string { return titles[f.String()] }

// About says what a figure is that its words do not tell, "" for others.
func (f Figure) About() string {
	switch f.Quantity {
	case "share_distance":
		return "which part of all usage was with entities beyond their shares, on average over the time"
	case "slowdown":
		return "how many times as long as its run, or as 10 s if that is longer, the wait and the run of a job are together"
	}
	return ""
}
