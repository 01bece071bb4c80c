package forecast

import (
	"fmt"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
)

// beforeBound says how many recorded starts were before the time that is told where the order is not known, and how much later the
// others were, as docs/when.md does.
const beforeBound = "1 of 8 recorded starts, at a busy moment 1 of 3; the middle one came 1 to 6 hours after it"

// Remarks returns what has to be known to read a forecast.
func (f *Forecast) Remarks() []diag.Remark {
	learned := f.learned()
	remarks := []diag.Remark{learned}
	if f.Unordered != "" {
		if f.Past == 0 && f.Begins == "" { // the next says what that comes to
			remarks[0] = diag.Generalf("%s", learned.Text).Joined(diag.Place, "no %s (--logs FILE)", f.Record)
		}
		remarks = append(remarks, diag.Warningf("%s: so it is not told about when jobs start, nor by when; few start before the time of its row (%s), and many start much later", f.Unordered, beforeBound).
			Briefly("%s: when jobs start is not told; few start before HARDLY BEFORE (%s)", inShort(f.Unordered), beforeBound).OfAsked())
	}
	if f.Kept != "" {
		remarks = append(remarks, diag.Warningf("%s", f.Kept).Briefly("%s", suchAs().ReplaceAllString(f.Kept, "")).OfAsked())
	}
	if f.IsCut() {
		r := diag.Warningf("interrupted: the forecasts are made of %s", f.Drawn())
		r.IsCut = true
		remarks = append(remarks, r)
	}
	if differs := f.differs(); differs != "" {
		remarks = append(remarks, diag.Notef("%s", differs))
	}
	return remarks
}

// suchAs is the end of a sentence with what may keep jobs.
var suchAs = pattern.Of(`, such as [^:]*$`)

// inShort returns why the order is not known without what stands in brackets, where that is long.
func inShort(why string) string {
	const long = 110 // bytes
	if len(why) > long {
		return report.WithoutBrackets(why)
	}
	return why
}

// learned says from what a forecast was learned.
func (f *Forecast) learned() diag.Remark {
	const few = 200 // jobs
	const shortest = 3 * day
	bounds, early := "", ""
	if f.Unordered == "" {
		bounds = ": starts are too early rather than too late, and fewer than 8 of 10 lie in the intervals (4 of 10 where that was measured)"
		early = ": starts are rather too early, and fewer than 8 of 10 lie between these times"
	}
	stands := func(r diag.Remark) diag.Remark { // with each answer where it says that times are too early
		r.IsOfAsked = early != ""
		return r
	}
	switch {
	case f.Past == 0 && f.Begins != "":
		return stands(diag.Warningf("the %s begin at %s, after the time of the list: run times are chosen at random up to the requested %s and nobody else comes%s", f.Record, f.Begins, f.Words.Limits, bounds).
			Briefly("run times and arrivals are not learned, for the %s begin after the time of the list%s", f.Record, early))
	case f.Past == 0:
		return stands(diag.Warningf("there are no %s (--logs FILE, also with %s): run times are chosen at random up to the requested %s and nobody else comes%s", f.Record, f.Words.Past, f.Words.Limits, bounds).
			Briefly("run times and arrivals are not learned, for there are no %s (--logs FILE, also with %s)%s", f.Record, f.Words.Past, early))
	case f.OfSome != "":
		return stands(diag.Warningf("%s: who comes and how long jobs run is learned from the jobs that it has alone%s", f.OfSome, bounds).
			Briefly("run times and arrivals are learned from the jobs of some users alone, as %s%s", f.OfSome, early))
	case f.Past < few || f.Span < shortest:
		return diag.Notef("the logs have %s of %s: run times and arrivals are learned from little", report.Count(f.Past, "job"), spanOf(f.Span)).
			Joined(diag.Place, "forecasts learn from %s of %s", report.Count(f.Past, "job"), spanOf(f.Span))
	}
	return diag.Generalf("run times and arrivals are learned from %s of %s", report.Count(f.Past, "job"), spanOf(f.Span))
}

// spanOf prints how far logs go back.
func spanOf(seconds int64) string {
	const few = 2 * day
	if seconds < few {
		return fmt.Sprintf("%.1f hours", float64(seconds)/hour)
	}
	return fmt.Sprintf("%.1f days", float64(seconds)/day)
}
