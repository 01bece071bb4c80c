package figure

import (
	"math"
	"slices"
	"strconv"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/trace"
)

// Whole is how a replay went as a whole, for the figures that are not of single jobs. What
// cannot be told is NaN.
type Whole interface {
	Started() float64       // jobs that have started by the end of the record
	LeftWaiting() float64   // jobs that wait then
	LeftCoreHours() float64 // their core hours
	Preempted() float64     // how often a job was preempted
	Utilisation() float64   // the part of the cluster that jobs occupy, 0 to 1
	ShareDistance() float64 // how far usage is from what shares promise, 0 to 1
	Convergence() float64   // seconds until that distance stays small
	Witness() float64       // the part of the recorded starts that are what the rules of the first policy give, 0 to 1
}

// wholes are the figures of a replay as a whole.
var wholes = map[string]struct {
	unit Unit
	of   func(Whole) float64
}{
	"started":         {Plain, Whole.Started},
	"left_waiting":    {Plain, Whole.LeftWaiting},
	"left_core_hours": {Hours, Whole.LeftCoreHours},
	"preempted":       {Plain, Whole.Preempted},
	"utilisation":     {Fraction, Whole.Utilisation},
	"share_distance":  {Fraction, Whole.ShareDistance},
	"convergence":     {Seconds, Whole.Convergence},
	"witness":         {Fraction, Whole.Witness},
}

// quantities are what a statistic can be of: a number that each job has, NaN where the job
// does not tell it. Those of a job that still waits when the record ends are only known to be larger.
var quantities = map[string]struct {
	unit    Unit
	ofWaits bool // whether it is only known to be larger while a job waits
	of      func(w outcome.Wait) float64
}{
	"wait": {Seconds, true, func(w outcome.Wait) float64 { return float64(w.Seconds) }},
	"slowdown": {Plain, true, func(w outcome.Wait) float64 {
		run, ok := w.Run()
		return orNaN(trace.SlowdownOf(w.Seconds, run), ok)
	}},
	"response": {Seconds, false, func(w outcome.Wait) float64 {
		return orNaN(float64(w.End-w.Arrival), w.State == trace.Ended)
	}},
	"core_hours": {Hours, false, func(w outcome.Wait) float64 {
		run, ok := w.Run()
		return orNaN(float64(max(0, w.NCPUs))*float64(run)/3600, ok)
	}},
}

func orNaN(x float64, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return x
}

// Of returns what a figure comes to for the waits of some jobs of a trace, or for the whole replay that
// they are of, and whether it is only known to be longer. It is NaN where no job tells it; a count is 0 there.
func (f Figure) Of(t *trace.Trace, waits []outcome.Wait, whole Whole) (value float64, isLonger bool) {
	if f.Statistic == "" {
		return wholes[f.Quantity].of(whole), false
	}
	compute, _ := statistic(f.Statistic)
	list := make([]outcome.Sample, 0, len(waits))
	isChosen := f.chooser(t)
	quantity := quantities[f.Quantity]
	for _, w := range waits {
		if !isChosen(w.Job) {
			continue
		}
		if x := quantity.of(w); !math.IsNaN(x) {
			list = append(list, outcome.Sample{Value: x, IsLonger: quantity.ofWaits && w.IsLonger})
		}
	}
	switch {
	case len(list) > 0:
		slices.SortFunc(list, outcome.Sample.Compare)
		return compute(list)
	case f.Statistic == "count":
		return 0, false
	}
	return math.NaN(), false
}

// chooser returns a function that reports whether all filters of a figure choose a job of a
// trace. With an account, those below it are chosen.
func (f Figure) chooser(t *trace.Trace) func(*trace.Job) bool {
	kinds := t.Kinds()
	var names []func(*trace.Job) string // by filter
	for _, filter := range f.Filters {
		at := slices.IndexFunc(kinds, func(k trace.Kind) bool { return k.Name == filter.Kind })
		names = append(names, kinds[at].Of)
	}
	return func(j *trace.Job) bool {
		for i, filter := range f.Filters {
			name := names[i](j)
			if isOf := name == filter.Name || filter.Kind == trace.OfAccounts && t.Parents.Has(name, filter.Name); !isOf {
				return false
			}
		}
		return true
	}
}

// isPercentile matches p1 to p99.9.
var isPercentile = pattern.Of(`^p[0-9]{1,2}(\.[0-9]{1,6})?$`)

// statistic returns the function that makes one number of some samples, of which there is at
// least one, and says whether it is only known to be larger; and whether there is such a statistic.
// A sum, and so a mean, is one of what is known by the end of the record.
func statistic(name string) (of func(samples []outcome.Sample) (value float64, isLonger bool), ok bool) {
	sum := func(samples []outcome.Sample) float64 {
		total := 0.
		for _, s := range samples {
			total += s.Value
		}
		return total
	}
	switch name {
	case "mean":
		return func(list []outcome.Sample) (float64, bool) { return sum(list) / float64(len(list)), false }, true
	case "sum":
		return func(list []outcome.Sample) (float64, bool) { return sum(list), false }, true
	case "count":
		return func(list []outcome.Sample) (float64, bool) { return float64(len(list)), false }, true
	case "max":
		return func(list []outcome.Sample) (float64, bool) { return outcome.Quantile(list, 1) }, true
	case "min":
		return func(list []outcome.Sample) (float64, bool) { return outcome.Quantile(list, 0) }, true
	case "median":
		name = "p50"
	}
	if !isPercentile().MatchString(name) {
		return nil, false
	}
	n, err := strconv.ParseFloat(name[1:], 64)
	if err != nil || n <= 0 {
		return nil, false
	}
	return func(list []outcome.Sample) (float64, bool) { return outcome.Quantile(list, n/100) }, true
}
