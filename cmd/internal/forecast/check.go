package forecast

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// Backtest is how good forecasts of a site's own past would have been, each made from what its
// logs told by then.
type Backtest struct {
	ahead []float64 // how many seconds each start that is counted came after its forecast was made

	Moments     []int64 // of the forecasts
	Each        []Checked
	All         CheckResult
	Queues      []CheckResult // in the order of their names
	Histories   []CheckResult // by how far the logs went back, the shortest first
	Untold      int           // forecasts of jobs that were deleted, or had not started when the logs end
	Calibration *Calibration
	Words       Words // of the scheduler

	Done, Asked int // moments that were looked at, and those that there are: fewer where somebody interrupted
}

// Checked is one forecast of the past, with what came.
type Checked struct {
	At                int64 // when it was made
	Job               *Job
	Low, Median, High float64
	Start             float64 // infinity for a job that had not started when the logs end, or was deleted before
	IsMissed          bool    // whether the start is not between the times of 8 of 10 cases, also where that is proven without it
}

// CheckResult is how far forecasts were off, beside other estimates of the same jobs.
type CheckResult struct {
	Name       string
	Forecast   Score
	Calibrated Score // as the forecasts before each moment had taught
	Requested  Score // all last as long as requested, and nobody comes
	Usual      Score // as jobs of the queue have waited; where any had
}

// Remarks returns that not all moments were looked at, where somebody interrupted.
func (b *Backtest) Remarks() []diag.Remark {
	if b.Done == b.Asked {
		return nil
	}
	r := diag.Warningf("interrupted: the forecasts of the past are of the first %d of %s", b.Done, report.Count(b.Asked, "moment"))
	r.IsCut = true
	return []diag.Remark{r}
}

// Left says which forecasts have no error, "" for none. Those of them that are proven missed count in what lay within its interval.
func (b *Backtest) Left() string {
	if b.Untold == 0 {
		return ""
	}
	text := fmt.Sprintf("%s left out, of jobs that were deleted or had not started when the logs end", report.Count(b.Untold, "forecast"))
	if missed := b.All.Forecast.Missed; missed > 0 {
		text += fmt.Sprintf("; %d of them are proven missed, since the job had not started by the end of its interval", missed)
	}
	return text
}

// ErrNoPast says that there is nothing on which forecasts can be checked.
var ErrNoPast = errors.New("the past is read from accounting logs: give a snapshot that has them, or --logs FILE")

// ErrShortPast says that the logs have no moment at which some jobs waited whose starts they tell.
var ErrShortPast = errors.New("the logs have no moment, three hours or more after their begin, at which three jobs waited")

// Past are how forecasts of the past are made.
type Past struct {
	Options
	Since int64 // no forecast is made of a time before it
}

const (
	firstMoment    = 3 * hour // before the first moment, since something has to be learned
	betweenMoments = 2 * hour // between two moments
	mostMoments    = 60       // moments, spread evenly over those that there are
)

// FewestWaiting is how many jobs wait at least at a moment that counts.
const FewestWaiting = 3

// momentsOf returns the times of a past, from one on, at which forecasts are made.
func momentsOf(past *trace.Trace, since int64) []int64 {
	var all []int64
	for at := past.Begin() + firstMoment; at < past.Last; at += betweenMoments {
		if at >= since {
			all = append(all, at)
		}
	}
	if len(all) <= mostMoments {
		return all
	}
	var some []int64
	for i := range mostMoments {
		some = append(some, all[(2*i+1)*len(all)/(2*mostMoments)])
	}
	return some
}

// Check makes forecasts at moments of a site's past, from what told of it up to each of them and
// from nothing that is later, and compares them with the starts that are known. Where the context is done in the midst
// of it, it has the moments that were whole by then.
func Check(ctx context.Context, h History, p Past) (*Backtest, error) {
	past := h.Recorded()
	told := newOutcomes(past)
	b := &Backtest{}
	b.All.Name = "all"
	var forecasts []*Forecast
	moments := momentsOf(past, p.Since)
	b.Asked = len(moments)
	done := p.Done // which counts moments
	p.Done = nil
	for i, at := range moments {
		f, err := forecastOf(ctx, h, at, p.Options)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		b.Done = i + 1
		if done != nil {
			done(i+1, len(moments))
		}
		if f == nil {
			continue
		}
		b.Moments, b.Words = append(b.Moments, at), f.Words
		b.add(f, told, learn(forecasts, told, at), past.Last)
		forecasts = append(forecasts, f)
	}
	if b.All.Forecast.N == 0 {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, ErrShortPast
	}
	b.Calibration = learn(forecasts, told, past.Last)
	slices.SortFunc(b.Queues, func(a, b CheckResult) int { return strings.Compare(a.Name, b.Name) })
	return b, nil
}

// forecastOf returns the forecast of a time of the past, nil for none where hardly anybody waited.
func forecastOf(ctx context.Context, h History, at int64, o Options) (*Forecast, error) {
	st, scheduler, err := h.Then(ctx, at)
	if err != nil || st == nil {
		return nil, err
	}
	return MakeOf(ctx, st, scheduler, o)
}

// learn returns the calibration that forecasts give by a time.
func learn(forecasts []*Forecast, told outcomes, by int64) *Calibration {
	var seen []observedStart
	for _, f := range forecasts {
		for _, j := range f.Jobs {
			if j.Held != "" || math.IsInf(j.High, 1) {
				continue
			}
			came := told.of(j.ID, f.At, by)
			seen = append(seen, observedStart{j.Queue, f.At, j.position(came.start), came.ended})
		}
	}
	return calibrate(seen)
}

// add adds a forecast to the figures.
func (b *Backtest) add(f *Forecast, told outcomes, c *Calibration, last int64) {
	bound := float64(f.At + f.Horizon)
	for _, j := range f.Jobs {
		if j.Held != "" {
			continue
		}
		came := told.of(j.ID, f.At, last)
		b.ahead = append(b.ahead, came.start-float64(f.At))
		moved, _ := c.calibrated(j, float64(f.At))
		results := func() []*CheckResult {
			return []*CheckResult{&b.All, named(&b.Queues, j.Queue), named(&b.Histories, historyOf(f.Span))}
		}
		each := Checked{f.At, j, j.Low, j.Median, j.High, math.Inf(1), came.start > j.High}
		if came.ended {
			each.Start, each.IsMissed = came.start, each.IsMissed || came.start < j.Low
		}
		b.Each = append(b.Each, each)
		if !came.ended {
			b.Untold++
			if isMissed, isMissedMoved := came.start > j.High, came.start > moved.high; isMissed || isMissedMoved {
				for _, of := range results() {
					of.Forecast.miss(isMissed)
					of.Calibrated.miss(isMissedMoved)
				}
			}
			continue
		}
		for _, of := range results() {
			of.Forecast.add(estimate{j.Low, j.Median, j.High}, came.start, bound)
			of.Calibrated.add(moved, came.start, bound)
			of.Requested.add(exactly(j.Requested), came.start, bound)
			if !math.IsInf(j.Usual, 1) {
				of.Usual.add(exactly(j.Usual), came.start, bound)
			}
		}
	}
}

// named returns the figures of a name, new ones if there are none.
func named(list *[]CheckResult, name string) *CheckResult {
	for i := range *list {
		if (*list)[i].Name == name {
			return &(*list)[i]
		}
	}
	*list = append(*list, CheckResult{Name: name})
	return &(*list)[len(*list)-1]
}

// historyOf says how far logs went back.
func historyOf(seconds int64) string {
	const month = 30 * day
	switch {
	case seconds < day:
		return "less than a day"
	case seconds < week:
		return "a day to a week"
	case seconds < month:
		return "a week to a month"
	}
	return "a month or more"
}

// Sentence says what the backtest has found, to be quoted.
func (b *Backtest) Sentence(zone *time.Location) string {
	a := b.All
	date := func(at int64) string { return time.Unix(at, 0).In(zone).Format("2 January 2006") }
	when := "on " + date(b.Moments[0])
	if last := b.Moments[len(b.Moments)-1]; date(last) != date(b.Moments[0]) {
		when = fmt.Sprintf("from %s to %s", date(b.Moments[0]), date(last))
	}
	part := fmt.Sprintf("%.0f %% lie in their interval for 8 of 10 cases", 100*a.Forecast.HeldPart())
	if missed := a.Forecast.Missed; missed > 0 {
		part += fmt.Sprintf(", with %d more that are proven missed (%.0f %% without those)", missed, 100*float64(a.Forecast.Held())/float64(a.Forecast.N))
	}
	return fmt.Sprintf("Of %s made at %s %s, %s; the time in the middle was off by %.1f h on average, that of the requested %s by %.1f h.",
		report.Count(a.Forecast.N, "forecast"), report.Count(len(b.Moments), "moment"), when, part, a.Forecast.MeanError(), b.Words.Limits, a.Requested.MeanError())
}

// Reach says how far ahead the starts lie that are checked, beyond which nothing is.
func (b *Backtest) Reach() string {
	ahead := slices.Clone(b.ahead)
	slices.Sort(ahead)
	hours := func(seconds float64) string { return report.Decimals(seconds/hour, 1) + " h" }
	return fmt.Sprintf("These starts came up to %s after their forecast was made, half of them within %s: how good forecasts of later ones are is not checked.", hours(ahead[len(ahead)-1]), hours(ahead[len(ahead)/2]))
}
