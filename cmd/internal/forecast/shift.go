package forecast

import (
	"context"
	"fmt"
	"math"

	"fairshare/cmd/internal/report"
)

// Shift is by how many seconds a job starts sooner than under something else, on average over runs in
// which the same is to come, and what of that may be chance: two standard errors.
type Shift struct {
	Sooner, Chance float64

	IsWon, IsLost bool // whether it starts in no run without the change, or with it, so that there is no such time
	IsLeast       bool // whether in some runs it does not start, which counts as a start at the last time that is looked at
	IsUnknown     bool // whether nothing can be said of it: where the order is not known, only whether a job starts at all can
}

// IsNoise reports whether the difference may be chance, or is shorter than anybody cares for.
func (s Shift) IsNoise() bool {
	const least = 60 // seconds
	return !s.IsUnknown && math.Abs(s.Sooner) <= max(least, s.Chance)
}

// shiftOf finds by how much a job of a forecast starts sooner than another one, of which all runs were made. What starts after a bound
// counts as if it started then.
func (f *Forecast) shiftOf(job, base *Job, bound float64) Shift {
	sum, squares := 0., 0.
	n := float64(len(f.numbers))
	start := func(j *Job, run int) float64 {
		if j.Drawn == nil { // it never starts
			return bound
		}
		return min(j.Drawn[run], bound)
	}
	starts, started := 0, 0 // in how many runs, with the change and without
	for run, number := range f.numbers {
		before, after := start(base, number), start(job, run)
		if before < bound {
			started++
		}
		if after < bound {
			starts++
		}
		d := before - after
		sum += d
		squares += d * d
	}
	s := Shift{Sooner: sum / n, Chance: math.Inf(1), IsWon: started == 0 && starts > 0, IsLost: starts == 0 && started > 0, IsLeast: min(starts, started) < len(f.numbers)}
	s.IsUnknown = f.Unordered != "" && !s.IsWon && !s.IsLost
	if n > 1 {
		s.Chance = 2 * math.Sqrt(max(0, squares/n-s.Sooner*s.Sooner)/(n-1))
	}
	return s
}

// MakeAgainst returns when the jobs of a subject start that wait, and by how much sooner each does than
// at another subject with the same jobs, which is what there is without a change.
func MakeAgainst(ctx context.Context, of, base Subject, o Options) (*Forecast, error) {
	st, scheduler := base.Begin()
	without := forecasterOf(st, scheduler, o.partly(0, 2))
	was, err := without.make(ctx)
	switch {
	case err != nil:
		return nil, err
	case was.IsCut(): // nothing is known of what is asked
		return nil, ctx.Err()
	}
	st, scheduler = of.Begin()
	with := forecasterOf(st, scheduler, o.partly(1, 2))
	with.lengths, with.arrivals, with.load = without.lengths, without.arrivals, without.load
	f, err := with.make(ctx)
	if err != nil {
		return nil, err
	}
	before := map[string]*Job{}
	for _, j := range was.Jobs {
		before[j.ID] = j
	}
	for _, j := range f.Jobs {
		if base := before[j.ID]; base != nil && (j.Drawn != nil || base.Drawn != nil) {
			shift := f.shiftOf(j, base, float64(f.At+o.Horizon))
			j.Shift = &shift
		}
	}
	return f, nil
}

// partly returns the options of one of several forecasts, whose runs are told as of all of them.
func (o Options) partly(number, of int) Options {
	if done := o.Done; done != nil {
		o.Done = func(n, all int) { done(number*all+n, of*all) }
	}
	return o
}

// differs says how many jobs sooner and later than without a change, "" where nothing is compared.
func (f *Forecast) differs() string {
	sooner, later, same := 0, 0, 0
	for _, j := range f.Jobs {
		switch {
		case j.Shift == nil || j.Shift.IsUnknown:
		case j.Shift.IsNoise():
			same++
		case j.Shift.Sooner > 0:
			sooner++
		default:
			later++
		}
	}
	if sooner+later+same == 0 {
		return ""
	}
	return fmt.Sprintf("of %s, with what is set %d start sooner, %d later, and %d without a difference that is more than chance", report.Count(sooner+later+same, "job"), sooner, later, same)
}
