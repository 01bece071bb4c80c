// Package figure has the numbers that tell how a replay went: how people write them, as in
// p95(wait, queue=debug), the conditions that hold them against each other, what they come
// to, and how their values are printed.
package figure

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// Figure is a number that tells how a replay went, such as p95(wait, queue=debug) or
// utilisation.
type Figure struct {
	Statistic string   // mean, median, p95, max, min, sum or count; "" for a figure of the whole
	Quantity  string   // of jobs: wait, slowdown, response or core_hours; else one of the whole
	Filters   []Filter // which jobs count; none for all
}

// Filter is a choice of jobs by a name of theirs, such as queue=debug.
type Filter struct{ Kind, Name string }

// MeanWait is the figure by which users, queues and the like are compared.
var MeanWait = Figure{Statistic: "mean", Quantity: "wait"}

// Standard are the figures that every comparison shows.
var Standard = []Figure{
	{"", "started", nil}, MeanWait, {"median", "wait", nil}, {"p90", "wait", nil}, {"p95", "wait", nil}, {"p99", "wait", nil},
	{"mean", "slowdown", nil}, {"", "utilisation", nil}, {"", "share_distance", nil},
}

// String returns a figure as it is written.
func (f Figure) String() string {
	if f.Statistic == "" {
		return f.Quantity
	}
	text := f.Statistic + "(" + f.Quantity
	for _, filter := range f.Filters {
		text += ", " + filter.Kind + "=" + filter.QuotedName()
	}
	return text + ")"
}

// QuotedName returns the name of a filter as it is written, in quotes unless it is a plain
// word.
func (f Filter) QuotedName() string {
	if isWord(f.Name) {
		return f.Name
	}
	return strconv.Quote(f.Name)
}

func isWord(name string) bool {
	for i, c := range []byte(name) {
		isLetter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !isLetter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// Equal reports whether two figures are the same.
func (f Figure) Equal(g Figure) bool {
	return f.Statistic == g.Statistic && f.Quantity == g.Quantity && slices.Equal(f.Filters, g.Filters)
}

// OfSlurm are the figures that every comparison of policies of a Slurm site shows.
var OfSlurm = []Figure{
	{"count", "wait", nil}, {"sum", "core_hours", nil}, MeanWait, {"median", "wait", nil}, {"p90", "wait", nil}, {"p95", "wait", nil}, {"p99", "wait", nil},
	{"mean", "slowdown", nil}, {"", "utilisation", nil}, {"", "share_distance", nil},
}

// NeedsShares reports whether a figure can be told only if the replay keeps what entities
// have used over time.
func (f Figure) NeedsShares() bool {
	return f.Quantity == "share_distance" || f.Quantity == "convergence"
}

// check returns an error for a figure that can be parsed and means nothing.
func (f Figure) check() error {
	_, isWhole := wholes[f.Quantity]
	_, isOfJobs := quantities[f.Quantity]
	switch {
	case f.Statistic == "" && isOfJobs:
		return fmt.Errorf("%s is of each job: write mean(%s), p95(%s) or the like", f.Quantity, f.Quantity, f.Quantity)
	case f.Statistic == "" && !isWhole:
		return fmt.Errorf("%s, and statistics such as p95(wait)", report.NoSuch("figure", f.Quantity, slices.Collect(maps.Keys(wholes))))
	case f.Statistic == "":
		return nil
	case !isOfJobs && isWhole:
		return fmt.Errorf("%s is of the whole replay: write it by itself", f.Quantity)
	case !isOfJobs:
		return fmt.Errorf("%s", report.NoSuch("job figure", f.Quantity, slices.Collect(maps.Keys(quantities))))
	}
	if _, ok := statistic(f.Statistic); !ok {
		return fmt.Errorf("%s is no statistic; there are mean, median, max, min, sum, count, and p1 to p99", f.Statistic)
	}
	for _, filter := range f.Filters {
		if !slices.Contains(filterKinds, filter.Kind) {
			return fmt.Errorf("jobs are chosen by %s, not by %s", strings.Join(filterKinds, ", "), filter.Kind)
		}
	}
	return nil
}

// filterKinds are the names of the kinds that a trace has, those of a PBS site first.
var filterKinds = func() []string {
	var names []string
	for _, k := range slices.Concat(new(trace.Trace).Kinds(), trace.OfSlurm().Kinds()) {
		if !slices.Contains(names, k.Name) {
			names = append(names, k.Name)
		}
	}
	return names
}()
