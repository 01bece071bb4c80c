package study

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/trace"
)

// Figure is a number that tells how a replay went, such as p95(wait, queue=debug) or
// utilisation.
type Figure struct {
	Statistic string   // mean, median, p95, max, min, sum or count; "" for a figure of the whole
	Quantity  string   // of jobs: wait, slowdown or response; else one of the whole
	Filters   []Filter // which jobs count; none for all
}

// Filter is a choice of jobs by a name of theirs.
type Filter struct{ Kind, Name string }

// Unit is what a figure counts in.
type Unit byte

// The units of figures.
const (
	Plain    Unit = iota // a number
	Seconds              // a time
	Fraction             // of the whole, 0 to 1
)

// quantities are what can be known of each job that counts, NaN for one that does not
// tell.
var quantities = map[string]struct {
	unit Unit
	of   func(j *trace.Job) float64
}{
	"wait": {Seconds, func(j *trace.Job) float64 {
		wait, ok := j.Wait()
		return orNaN(float64(wait), ok)
	}},
	"slowdown": {Plain, func(j *trace.Job) float64 {
		slowdown, ok := j.Slowdown()
		return orNaN(slowdown, ok)
	}},
	"response": {Seconds, func(j *trace.Job) float64 {
		return orNaN(float64(j.End-j.Arrival), j.State == trace.Ended)
	}},
}

func orNaN(x float64, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return x
}

// wholes are the figures of a replay as a whole.
var wholes = map[string]struct {
	unit Unit
	of   func(o *Outcome) float64
}{
	"utilisation":    {Fraction, (*Outcome).utilisation},
	"share_distance": {Fraction, func(o *Outcome) float64 { return o.Shares().Mean }},
	"convergence":    {Seconds, func(o *Outcome) float64 { return o.Shares().Convergence }},
	"started":        {Plain, func(o *Outcome) float64 { return float64(o.started()) }},
	"preempted":      {Plain, (*Outcome).preempted},
}

// needsShares reports whether a figure is of the shares that entities have used.
func (f Figure) needsShares() bool {
	return f.Quantity == "share_distance" || f.Quantity == "convergence"
}

// MeanWait is the figure that names are compared by.
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
		text += ", " + filter.Kind + "=" + filter.quoted()
	}
	return text + ")"
}

func (f Filter) quoted() string {
	if isPlainName(f.Name) {
		return f.Name
	}
	return strconv.Quote(f.Name)
}

func isPlainName(name string) bool {
	for i, c := range []byte(name) {
		isLetter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !isLetter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// Unit returns what a figure counts in.
func (f Figure) Unit() Unit {
	if f.Statistic == "" {
		return wholes[f.Quantity].unit
	}
	if f.Statistic == "count" {
		return Plain
	}
	return quantities[f.Quantity].unit
}

// check returns what is wrong with a figure by itself.
func (f Figure) check() error {
	_, isWhole := wholes[f.Quantity]
	_, isOfJobs := quantities[f.Quantity]
	switch {
	case f.Statistic == "" && isOfJobs:
		return fmt.Errorf("%s is of each job: write mean(%s), p95(%s) or the like", f.Quantity, f.Quantity, f.Quantity)
	case f.Statistic == "" && !isWhole:
		return fmt.Errorf("%s is no figure; there are %s, and statistics such as p95(wait)", f.Quantity, listed(wholes))
	case f.Statistic == "":
		return nil
	case !isOfJobs && isWhole:
		return fmt.Errorf("%s is of the whole replay: write it by itself", f.Quantity)
	case !isOfJobs:
		return fmt.Errorf("%s is nothing that jobs have; there are %s", f.Quantity, listed(quantities))
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

// filterKinds are the names of the kinds that a trace has.
var filterKinds = func() []string {
	var names []string
	for _, k := range new(trace.Trace).Kinds() {
		names = append(names, k.Name)
	}
	return names
}()

func listed[T any](of map[string]T) string {
	var names []string
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// isPercentile matches p1 to p99.9.
var isPercentile = regexp.MustCompile(`^p[0-9]{1,2}(\.[0-9]{1,6})?$`)

// statistic returns how some sorted numbers, of which there is at least one, become one.
func statistic(name string) (of func(sorted []float64) float64, ok bool) {
	sum := func(sorted []float64) float64 {
		total := 0.
		for _, x := range sorted {
			total += x
		}
		return total
	}
	switch name {
	case "mean":
		return func(sorted []float64) float64 { return sum(sorted) / float64(len(sorted)) }, true
	case "sum":
		return sum, true
	case "count":
		return func(sorted []float64) float64 { return float64(len(sorted)) }, true
	case "max":
		return slices.Max[[]float64], true
	case "min":
		return slices.Min[[]float64], true
	case "median":
		name = "p50"
	}
	if !isPercentile.MatchString(name) {
		return nil, false
	}
	n, err := strconv.ParseFloat(name[1:], 64)
	if err != nil || n <= 0 {
		return nil, false
	}
	return func(sorted []float64) float64 { return trace.Quantile(sorted, n/100) }, true
}

// of returns what a figure comes to. It is NaN if no job tells, but for a count, and
// where nothing was observed.
func (f Figure) of(o *Outcome) float64 {
	if o.isUnknown() {
		return math.NaN()
	}
	if f.Statistic == "" {
		return wholes[f.Quantity].of(o)
	}
	compute, _ := statistic(f.Statistic)
	var list []float64
	filters := o.filters(f.Filters)
	quantity := quantities[f.Quantity].of
	for _, j := range o.Counted {
		if !filters(j) {
			continue
		}
		if x := quantity(j); !math.IsNaN(x) {
			list = append(list, x)
		}
	}
	switch {
	case len(list) > 0:
		slices.Sort(list)
		return compute(list)
	case f.Statistic == "count":
		return 0
	}
	return math.NaN()
}

// filters returns whether a job is among those that filters choose.
func (o *Outcome) filters(filters []Filter) func(*trace.Job) bool {
	kinds := o.study.Work.Trace.Kinds()
	var tests []func(*trace.Job) bool
	for _, f := range filters {
		at := slices.IndexFunc(kinds, func(k trace.Kind) bool { return k.Name == f.Kind })
		of := kinds[at].Of
		tests = append(tests, func(j *trace.Job) bool { return of(j) == f.Name })
	}
	return func(j *trace.Job) bool {
		return !slices.ContainsFunc(tests, func(is func(*trace.Job) bool) bool { return !is(j) })
	}
}

// Equal reports whether two figures are the same.
func (f Figure) Equal(g Figure) bool {
	return f.Statistic == g.Statistic && f.Quantity == g.Quantity && slices.Equal(f.Filters, g.Filters)
}
