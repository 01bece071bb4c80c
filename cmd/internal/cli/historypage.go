package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// partTitles are what kinds of figures are called on a page, and the figure of the chart.
var partTitles = []struct {
	part         history.Part
	title, chart string
	label        string
}{
	{history.OfMachine, "The machine", "utilisation", "Part of the cpus in use"},
	{history.OfFairness, "Fairness", "", ""},
	{history.OfWork, "Work that ended", "core_hours_ended", "Core hours of the work that ended"},
	{history.OfWaiting, "Waiting", "wait_median", "Median wait"},
}

// waitSteps are the lines of an axis of waits, in seconds.
var waitSteps = []float64{1, 5, 10, 30, 60, 300, 600, 1800, 3600, 2 * 3600, 6 * 3600, 12 * 3600, 24 * 3600}

// writePage writes the page of a report.
func (c *historyCmd) writePage(s *session, sheet *history.Sheet, t *trace.Trace) error {
	if len(sheet.Lines) == 0 {
		s.diag.Warning("there is nothing to show, so %s was not written", *c.HTML)
		s.partly = true
		return nil
	}
	last := sheet.Lines[len(sheet.Lines)-1]
	clock := func(at int64) string { return moment.Clock(at, sheet.Zone) }
	p := page.Report{
		Summary: sheet.Summary(),
		Title:   "Report of " + strings.Join(c.Logs, ", "),
		Facts: []page.Figure{
			{Label: "Period", Value: clock(sheet.Lines[0].Begin) + " to " + clock(last.End)},
			{Label: "From", Value: fmt.Sprintf("the accounting logs of %s, from %s to %s", strings.Join(c.Logs, ", "), clock(t.Begin()), clock(t.Last))},
			{Label: "Made", Value: time.Now().In(sheet.Zone).Format(moment.Layout)},
		},
		Lacks: sheet.Missing(),
	}
	if names := c.choice().Names(); len(names) > 0 {
		p.Facts = append(p.Facts, page.Figure{Label: "Jobs of", Value: strings.Join(names, ", ")})
	}
	for _, part := range partTitles {
		if !slices.Contains(sheet.Parts(), part.part) {
			continue
		}
		table := c.table(sheet, part.part)
		section := page.Section{Title: part.title, About: sheet.About(part.part), Header: table.Rows[0], Rows: table.Rows[1:]}
		if sheet.Kind == "" && sheet.Step != history.Whole {
			section.Chart = chart(sheet, part.chart, part.label)
		}
		for table.Right != nil && !table.Right(p.Names) {
			p.Names++
		}
		p.Sections = append(p.Sections, section)
	}
	text, err := page.RenderReport(p)
	if err == nil {
		err = file.Replace(*c.HTML, text)
	}
	if err != nil {
		return fail(exitUnreadable, "cannot write the page: %w", err)
	}
	return nil
}

// chart returns the bars of a figure by period.
func chart(sheet *history.Sheet, name, label string) *page.Chart {
	for _, column := range sheet.Columns {
		if column.Name != name {
			continue
		}
		c := &page.Chart{Label: label, Text: func(x float64) string { return report.Shortest(x) }}
		switch column.Unit {
		case history.Ratio:
			c.Text = func(x float64) string { return report.Significant(100*x, 3) + " %" }
		case history.Seconds:
			c.Text, c.Steps = report.Duration, waitSteps
		case history.Hours:
			c.Text = func(x float64) string { return report.Significant(x, 6) }
		}
		for _, r := range sheet.Lines {
			c.Bars = append(c.Bars, page.Bar{Name: sheet.Title(r), Value: column.Of(r), Lacks: r.Lacks != ""})
		}
		return c
	}
	return nil
}
