package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/study"
)

// writePage writes the forecast of some jobs as a page, which tells nothing of other jobs.
func (c *whenCmd) writePage(s *session, f *forecast.Forecast, zone *time.Location, v *view) error {
	now := float64(f.At)
	p := page.Forecast{
		Title: "When will it start?", Now: now,
		Facts: []page.Figure{
			{Label: "State of", Value: moment.Clock(f.At, zone)},
			{Label: "From", Value: fmt.Sprintf("%s, with seed %d", f.Drawn(), c.Seed)},
		},
	}
	var tried []string
	for _, r := range s.diag.Said() {
		switch {
		case r.IsOfPeople && len(c.User) > 0:
		case r.Tried != "":
			tried = append(tried, r.Tried)
		case r.Kind == diag.Warning:
			p.Warnings = append(p.Warnings, r.Text)
		default:
			p.Notes = append(p.Notes, r.Text)
		}
	}
	if tried != nil {
		p.Facts = append(p.Facts, page.Figure{Label: "What if", Value: strings.Join(tried, ", ")})
	}
	p.Summary = v.summary(f.Jobs)
	if len(f.Jobs) == 0 {
		p.Summary = capital(c.noneWaits()) + "."
	}
	if len(c.User) > 0 {
		p.Facts = append(p.Facts, page.Figure{Label: "Jobs of", Value: strings.Join(c.User, ", ")})
	}
	columns := startFirst(v.columns(f.Jobs))
	if len(c.User) == 1 { // whose all of them are
		columns = slices.DeleteFunc(columns, func(c report.Column[*forecast.Job]) bool { return c.Title == userTitle })
	}
	columns = slices.DeleteFunc(columns, func(x report.Column[*forecast.Job]) bool { // what all are of is said once
		isOf := x.Title == capital(v.words.Queue) || slices.ContainsFunc(parties, func(p party) bool { return p.title == x.Title })
		if !isOf || len(f.Jobs) < 2 || slices.ContainsFunc(f.Jobs, func(j *forecast.Job) bool { return x.Text(j) != x.Text(f.Jobs[0]) }) {
			return false
		}
		p.Facts = append(p.Facts, page.Figure{Label: x.Title, Value: x.Text(f.Jobs[0])})
		return true
	})
	l := &report.Listing[*forecast.Job]{Columns: columns, Rows: slices.Values(f.Jobs)}
	rows := l.Table().Rows
	if v.isMarked {
		p.Warnings = append(p.Warnings, study.DoubtNote)
	}
	p.Header, p.BarAt = rows[0], slices.IndexFunc(columns, func(c report.Column[*forecast.Job]) bool { return c.Title == startTitle || c.Title == boundTitle })+1
	last := now
	for i, j := range f.Jobs {
		of := page.ForecastJob{Low: j.Low, Median: j.Median, High: j.High, Cells: rows[i+1]}
		if j.Held != "" || v.isUnordered {
			of.Median = math.NaN()
		} else {
			of.Text = fmt.Sprintf("%s starts about %s, in %s from %s to %s", j.ID, v.clock(j.Median), v.cases(), v.clock(j.Low), v.clock(j.High))
			if !math.IsInf(j.High, 1) {
				last = max(last, j.High)
			}
		}
		p.Jobs = append(p.Jobs, of)
	}
	p.Marks = v.marks(now, last, zone)
	text, err := page.RenderForecast(p)
	return s.writePage(c.HTML, text, err)
}

// summary says which job starts first, and how many never do, "" where nothing is known of any.
func (v *view) summary(jobs []*forecast.Job) string {
	var first *forecast.Job
	never := 0
	for _, j := range jobs {
		if j.IsNever() {
			never++
		}
		if j.Held == "" && !j.IsNever() && !math.IsInf(j.Median, 1) && (first == nil || j.Median < first.Median) {
			first = j
		}
	}
	switch {
	case never == len(jobs) && never == 1:
		return "Job " + jobs[0].ID + " never starts as things are."
	case never == len(jobs) && never > 1:
		return fmt.Sprintf("None of %d jobs ever starts as things are.", never)
	case first == nil:
		return ""
	}
	if v.isUnordered {
		return "About when jobs start is not told."
	}
	which := "Of " + report.Count(len(jobs), "job") + ", " + first.ID + " starts first: about "
	if len(jobs) == 1 {
		which = "Job " + first.ID + " starts about "
	}
	text := fmt.Sprintf("%s%s, in %s between %s and %s.", which, v.clock(first.Median), v.cases(), v.clock(first.Low), v.clock(first.High))
	switch never {
	case 0:
		return text
	case 1:
		return text + " 1 never starts as things are."
	}
	return fmt.Sprintf("%s %d never start as things are.", text, never)
}

// startFirst puts the job and its start before all other columns, so that a narrow screen has them without scrolling.
func startFirst(columns []report.Column[*forecast.Job]) []report.Column[*forecast.Job] {
	first := func(c report.Column[*forecast.Job]) int {
		if at := slices.Index([]string{jobTitle, startTitle, boundTitle}, c.Title); at >= 0 {
			return at
		}
		return len(columns)
	}
	slices.SortStableFunc(columns, func(a, b report.Column[*forecast.Job]) int { return cmp.Compare(first(a), first(b)) })
	return columns
}

// marks returns the times that a page of the time from one to another marks.
func (v *view) marks(now, last float64, zone *time.Location) (marks []page.Mark) {
	const most = 7 // midnights that are marked
	for n, at := 0, v.today; at < last && n < most; n++ {
		marks = append(marks, page.Mark{At: at, Name: time.Unix(int64(at), 0).In(zone).Format("midnight to Mon 02 Jan")})
		at = endOfDay(int64(at), zone)
	}
	if v.deadline > 0 {
		marks = append(marks, page.Mark{At: v.deadline, Name: "the deadline at " + v.clock(v.deadline)})
		slices.SortFunc(marks, func(a, b page.Mark) int { return cmp.Compare(a.At, b.At) })
	}
	return marks
}
