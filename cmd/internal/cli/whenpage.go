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
)

// writePage writes the forecast of some jobs as a page, which tells nothing of other jobs.
func (c *whenCmd) writePage(s *session, f *forecast.Forecast, zone *time.Location, v *view) error {
	p := c.newPage(s, f, zone)
	p.Title = "When will it start?"
	switch {
	case len(c.Job) == 1:
		p.Title = "When will job " + c.Job[0] + " start?"
	case len(c.User) > 0:
		p.Title = "When will the jobs of " + report.Listed(c.User) + " start?"
	}
	p.Summary = v.summary(f.Jobs)
	if len(f.Jobs) == 0 {
		p.Summary = report.Capital(c.noneWaits()) + "."
	}
	columns := startFirst(v.columns(f.Jobs))
	if len(c.User) == 1 { // whose all of them are
		columns = slices.DeleteFunc(columns, func(c report.Column[*forecast.Job]) bool { return c.Title == userTitle })
	}
	columns = slices.DeleteFunc(columns, func(x report.Column[*forecast.Job]) bool { // what all are of is said once
		isOf := x.Title == report.Capital(v.words.Queue) || slices.ContainsFunc(parties, func(p party) bool { return p.title == x.Title })
		if !isOf || len(f.Jobs) < 2 || slices.ContainsFunc(f.Jobs, func(j *forecast.Job) bool { return x.Text(j) != x.Text(f.Jobs[0]) }) {
			return false
		}
		p.Facts = append(p.Facts, page.Figure{Label: x.Title, Value: x.Text(f.Jobs[0])})
		return true
	})
	rows := tabulate(&p, columns, f.Jobs)
	p.Marked = v.legends()
	for i, j := range f.Jobs {
		text := ""
		if j.Held == "" {
			text = j.ID + " starts"
		}
		p.Jobs = append(p.Jobs, v.bar(j, text, rows[i]))
	}
	return c.renderPage(s, p, v, zone)
}

// writeAdvice writes a page of when a job would start that asks for this or that.
func (c *whenCmd) writeAdvice(s *session, f *forecast.Forecast, list []forecast.Advice, isSet bool, zone *time.Location, v *view) error {
	p := c.newPage(s, f, zone)
	p.Title = "When would job " + f.Jobs[0].ID + " start?"
	if c.Submit != "" {
		p.Title = "When would a new job of " + strings.Join(c.User, ", ") + " start?"
		p.Facts = append(p.Facts, page.Figure{Label: "It asks for", Value: c.Submit})
		if c.Queue != "" {
			p.Facts = append(p.Facts, page.Figure{Label: report.Capital(v.words.Queue), Value: c.Queue})
		}
	}
	p.Summary = v.adviceSummary(list)
	rows := tabulate(&p, v.adviceColumns(list, isSet), list)
	p.Marked = v.legends()
	for i, l := range list {
		text := ""
		if staysOf(l) == "" {
			text = asked(l) + ", it starts"
		}
		p.Jobs = append(p.Jobs, v.bar(l.Job, text, rows[i]))
	}
	return c.renderPage(s, p, v, zone)
}

// newPage returns a page of a forecast without a title and rows: of which site and time it is, and what was said of it.
func (c *whenCmd) newPage(s *session, f *forecast.Forecast, zone *time.Location) page.Forecast {
	p := page.Forecast{Now: float64(f.At)}
	if name := c.clusterFlags.names(c.queueFlags.names(c.Site)).Site(); name != "" {
		p.Facts = append(p.Facts, page.Figure{Label: "Site", Value: page.Sources([]string{name})})
	}
	p.Facts = append(p.Facts, page.Figure{Label: "State of", Value: moment.Clock(f.At, zone)})
	if !f.IsExpected {
		p.Facts = append(p.Facts, page.Figure{Label: "Made of", Value: fmt.Sprintf("%s of what is to come, drawn by chance with seed %d", f.Drawn(), c.Seed)})
	}
	var tried []string
	var warnings []diag.Remark
	own := f.Remarks() // which are of all jobs, and come before others
	for _, r := range s.diag.Said() {
		switch {
		case r.IsVerdict && len(c.User) > 0: // without the names of others
			if c.judged.Disagrees() {
				r.Text, r.Short = c.judged.OfAll(), ""
				warnings = append(warnings, r)
			}
		case r.IsOfPeople && len(c.User) > 0:
		case r.Tried != "":
			tried = append(tried, r.Tried)
		case r.Kind == diag.Warning:
			warnings = append(warnings, r)
		default:
			p.Notes = append(p.Notes, r.Text)
		}
	}
	turn := func(r diag.Remark) int {
		if r.IsVerdict {
			return -1
		}
		return len(own) - 1 - slices.Index(own, r)
	}
	slices.SortStableFunc(warnings, func(a, b diag.Remark) int { return cmp.Compare(turn(a), turn(b)) })
	if tried != nil {
		p.Facts = append(p.Facts, page.Figure{Label: "What if", Value: strings.Join(tried, ", ")})
	}
	switch len(warnings) {
	case 0:
		return p
	case 1:
		p.Foremost = page.Sentence(warnings[0].Text)
		return p
	}
	p.Foremost = page.Sentence(diag.Foremost(warnings))
	for _, r := range warnings {
		p.Warnings = append(p.Warnings, page.Sentence(r.Text))
	}
	return p
}

// tabulate gives a page the columns of its rows, without those that say nothing of any, and returns the cells of each row.
func tabulate[R any](p *page.Forecast, columns []report.Column[R], rows []R) [][]string {
	columns = slices.DeleteFunc(columns, func(x report.Column[R]) bool {
		return len(rows) > 0 && !slices.ContainsFunc(rows, func(r R) bool { return !report.IsBlank(x.Text(r)) })
	})
	cells := (&report.Listing[R]{Columns: columns, Rows: slices.Values(rows)}).Table().Rows
	p.Header, p.BarAt = cells[0], 1+slices.IndexFunc(columns, func(c report.Column[R]) bool { return c.Title == startTitle || c.Title == boundTitle })
	if at := slices.Index(p.Header, todayTitle); at >= 0 {
		p.Header[at] = "Starts today"
	}
	return cells[1:]
}

// bar returns the row of a job, with a bar where a text says that it starts and more is told than before when it hardly does.
func (v *view) bar(j *forecast.Job, text string, cells []string) page.ForecastJob {
	if text == "" || v.isBound(j) {
		return page.ForecastJob{Median: math.NaN(), Cells: cells}
	}
	text += " about " + v.clock(j.Median) + v.interval(j)
	if v.isOneRun {
		return page.ForecastJob{Low: j.Median, Median: j.Median, High: j.Median, Text: text, Cells: cells}
	}
	return page.ForecastJob{Low: j.Low, Median: j.Median, High: j.High, Text: text, Cells: cells}
}

// renderPage writes a page of a forecast.
func (c *whenCmd) renderPage(s *session, p page.Forecast, v *view, zone *time.Location) error {
	last := p.Now
	for _, j := range p.Jobs {
		if j.High < math.Inf(1) { // not NaN either
			last = max(last, j.High)
		}
	}
	p.Marks, p.Clock = v.marks(p.Now, last, zone), v.clock
	text, err := page.RenderForecast(p)
	return s.writePage(c.HTML, text, err)
}

// adviceSummary says when a job starts as it is asked for, and with which change it does soonest, "" where nothing is known of it.
func (v *view) adviceSummary(list []forecast.Advice) string {
	if len(list) == 0 || v.isUnordered {
		return ""
	}
	first := list[0]
	text := report.Capital(asked(first)) + ", it "
	switch stays := staysOf(first); {
	case stays == "" && v.isBound(first.Job):
		text += v.beforeText(first.Job)
	case stays == "":
		text += "starts about " + v.clock(first.Job.Median) + v.interval(first.Job) + "."
	case stays == "never" || stays == "held":
		text += "does not start: " + v.advice(first).Reason + "."
	default:
		text += "cannot be asked for: " + v.advice(first).Reason + "."
	}
	var best *forecast.Advice
	for i, l := range list[1:] {
		isSooner := staysOf(l) == "" && !l.IsFirst && sizeOf(l.Shift) != nil && !l.IsNoise() && l.Sooner > 0
		if isSooner && (best == nil || l.Sooner > best.Sooner) {
			best = &list[i+1]
		}
	}
	if best != nil {
		text += fmt.Sprintf(" With %s it starts %s.", asked(*best), verdictOf(best.Shift))
	}
	return text
}

// summary says which job starts first, and how many never do, "" for none.
func (v *view) summary(jobs []*forecast.Job) string {
	var first *forecast.Job
	never := 0
	for _, j := range jobs {
		if j.IsNever() {
			never++
		}
		if j.Held == "" && !j.IsNever() && !math.IsInf(j.Median, 1) && (v.isUnordered || !v.isBound(j)) && (first == nil || j.Median < first.Median) {
			first = j
		}
	}
	switch {
	case never == len(jobs) && never == 1:
		return "Job " + jobs[0].ID + " never starts as things are."
	case never == len(jobs) && never > 1:
		return fmt.Sprintf("None of %d jobs ever starts as things are.", never)
	case first == nil && len(jobs) == 1 && jobs[0].Held == "" && jobs[0].Unmodelled != nil:
		return "Job " + jobs[0].ID + " " + v.beforeText(jobs[0])
	case first == nil && len(jobs) == 1:
		return "No start of job " + jobs[0].ID + " is forecast: " + v.waitsFor(jobs[0]) + "."
	case first == nil && len(jobs) > 1:
		return fmt.Sprintf("No start is forecast of any of %d jobs.", len(jobs))
	case first == nil:
		return ""
	}
	if v.isUnordered {
		return "About when jobs start is not told."
	}
	which := "Of " + report.Count(len(jobs), "job") + ", job " + first.ID + " starts first: about "
	if len(jobs) == 1 {
		which = "Job " + first.ID + " starts about "
	}
	text := which + v.clock(first.Median) + v.interval(first) + "."
	switch never {
	case 0:
		return text
	case 1:
		return text + " 1 never starts as things are."
	}
	return fmt.Sprintf("%s %d never start as things are.", text, never)
}

// beforeText says before when a job hardly starts, and why no more is told.
func (v *view) beforeText(j *forecast.Job) string {
	text := "waits, and when it starts is not told: "
	if j.Low > v.now {
		text = "hardly starts before " + v.clock(j.Low) + ", and about when is not told: "
	}
	return text + strings.Join(j.Unmodelled, ", ") + " is not modelled, for which it may start later."
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
