package figure

import (
	"math"
	"regexp"
	"slices"
	"strconv"

	"fairshare/cmd/internal/trace"
)

// Whole is how a replay went as a whole, for the figures that are not of single jobs. What
// cannot be told is NaN.
type Whole interface {
	Started() float64       // jobs that have started before the record ends
	Preempted() float64     // how often a job was preempted
	Utilisation() float64   // the part of the cluster that jobs occupy, 0 to 1
	ShareDistance() float64 // how far usage is from what shares promise, 0 to 1
	Convergence() float64   // seconds until that distance stays small
}

// wholes are the figures of a replay as a whole.
var wholes = map[string]struct {
	unit Unit
	of   func(Whole) float64
}{
	"started":        {Plain, Whole.Started},
	"preempted":      {Plain, Whole.Preempted},
	"utilisation":    {Fraction, Whole.Utilisation},
	"share_distance": {Fraction, Whole.ShareDistance},
	"convergence":    {Seconds, Whole.Convergence},
}

// quantities are what a statistic can be of: a number that each job has, NaN where the job
// does not tell it.
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
	"core_hours": {Hours, func(j *trace.Job) float64 {
		run, ok := j.Run()
		return orNaN(float64(max(0, j.NCPUs))*float64(run)/3600, ok)
	}},
}

func orNaN(x float64, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return x
}

// Of returns what a figure comes to for some jobs of a trace, or for the whole replay that
// they are of. It is NaN where no job tells it; a count is 0 there.
func (f Figure) Of(t *trace.Trace, jobs []*trace.Job, whole Whole) float64 {
	if f.Statistic == "" {
		return wholes[f.Quantity].of(whole)
	}
	compute, _ := statistic(f.Statistic)
	var list []float64
	isChosen := f.chooser(t)
	quantity := quantities[f.Quantity].of
	for _, j := range jobs {
		if !isChosen(j) {
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

// chooser returns a function that reports whether all filters of a figure choose a job of a
// trace.
func (f Figure) chooser(t *trace.Trace) func(*trace.Job) bool {
	kinds := t.Kinds()
	var names []func(*trace.Job) string // by filter
	for _, filter := range f.Filters {
		at := slices.IndexFunc(kinds, func(k trace.Kind) bool { return k.Name == filter.Kind })
		names = append(names, kinds[at].Of)
	}
	return func(j *trace.Job) bool {
		for i, filter := range f.Filters {
			if names[i](j) != filter.Name {
				return false
			}
		}
		return true
	}
}

// isPercentile matches p1 to p99.9.
var isPercentile = regexp.MustCompile(`^p[0-9]{1,2}(\.[0-9]{1,6})?$`)

// statistic returns the function that makes one number of sorted ones, of which there is at
// least one, and whether there is such a statistic.
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
