package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// partTitles are what kinds of figures are called on a page. A picture shows of periods alone the first figure, and of names
// the second one, in which they stand upon each other if it is a sum.
var partTitles = []struct {
	part           history.Part
	chart, label   string
	byName, ofName string
	isSum          bool
}{
	{history.OfMachine, "utilisation", "Part of the cpus in use", "cpu_hours", "Cpu hours that jobs occupied", true},
	{history.OfFairness, "", "", "share", "Part of all cpu hours that were occupied", false},
	{history.OfWork, "core_hours_ended", "Core hours of the work that ended", "core_hours_ended", "Core hours of the work that ended", true},
	{history.OfWaiting, "wait_median", "Median wait, in hours:minutes:seconds", "wait_median", "Median wait, in hours:minutes:seconds", false},
}

// longWaits is what a picture of waits shows where most medians are of nothing.
const longWaits = "Wait of 9 of 10 jobs at most, in hours:minutes:seconds (most medians are below a minute)"

// heads are what figures are called on a page, where their label in tables is shorter.
var heads = map[string]string{
	"cpu_hours": "Cpu hours", "capacity_hours": "Cpu hours there were", "utilisation": "In use", "jobs_started": "Jobs started", "jobs_ended": "Jobs ended",
	"wait_mean": "Mean wait", "wait_median": "Median wait", "wait_p90": "9 of 10 waited up to", "wait_p95": "19 of 20 up to", "wait_p99": "99 of 100 up to",
	"slowdown": "Mean slowdown", "jobs_waiting": "Still waiting at the end", "core_hours_ended": "Core hours", "reruns": "Runs before a requeue", "core_hours_rerun": "Core hours of those",
	"cpu_efficiency": "Cpu time used", "walltime_efficiency": "Walltime used", "mem_efficiency": "Memory used", "deleted_waiting": "Deleted before they started", "failed_unstarted": "Failed before they started", "killed_at_walltime": "Killed at walltime", "run_max_given": "Given to that one", "used_mem_max_given": "Given to that one", "failed": "Failed",
	"share": "Share", "target": "Target", "distance": "Above or below it", "periods_on_that_side": "For so many periods", "charged_hours": "Core hours charged",
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
	p := page.Report{
		Summary: strings.TrimSpace(strings.Join([]string{sheet.Summary(), sheet.Leaders(), sheet.Movers()}, " ")),
		Title:   cmp.Or(c.Title, "Jobs and waiting, "+moment.Days(sheet.Record.Begin, sheet.Record.End-1, sheet.Zone)),
		Facts:   c.pageFacts(t, sheet.Zone),
		Lacks:   sheet.Missing(),
	}
	if about := sheet.AboutMissing(); about != "" {
		p.Lacks = append(p.Lacks, about)
	}
	if names := c.choice().Names(); len(names) > 0 {
		p.Facts = append(p.Facts, page.Figure{Label: "Jobs of", Value: strings.Join(names, ", ")})
	}
	for _, part := range partTitles {
		if !slices.Contains(sheet.Parts(), part.part) {
			continue
		}
		if part.part == history.OfWaiting && sheet.HardlyWaits() { // bars of nothing say nothing
			part.chart, part.byName = "wait_p90", "wait_p90"
			part.label, part.ofName = longWaits, longWaits
		}
		section := c.section(sheet, part.part)
		section.Title, section.About = part.part.Title(), report.Capital(sheet.About(part.part))
		switch isOne := sheet.Lines[0].Span == last.Span; { // a single period, of which a bar beside no other one says nothing
		case sheet.Kind == "" && !isOne:
			section.Chart = chart(sheet, part.chart, part.label)
		case sheet.Kind != "" && isOne:
			section.Chart = chartOfNames(sheet, part.byName, part.ofName)
		case sheet.Kind != "" && part.isSum:
			section.Chart = chartOfParts(sheet, part.byName, part.ofName)
		case sheet.Kind != "" && part.part == history.OfWaiting:
			section.Chart = chart(&history.Sheet{Lines: sheet.Totals(), Columns: sheet.Columns, Step: sheet.Step, Zone: sheet.Zone}, part.chart, part.label+", of all")
		}
		p.Sections = append(p.Sections, section)
	}
	p.Names = sheet.NameColumns()
	return c.write(s, p)
}

// pageFacts are what a page says of the logs and of itself.
func (c *historyCmd) pageFacts(t *trace.Trace, zone *time.Location) []page.Figure {
	return []page.Figure{
		{Label: "From", Value: fmt.Sprintf("the accounting logs of %s, from %s to %s", page.Sources(c.Logs), moment.Clock(t.Begin(), zone), moment.Clock(t.Last, zone))},
		{Label: "Made", Value: time.Now().In(zone).Format(moment.Layout)},
	}
}

// write writes a page of a report.
func (c *historyCmd) write(s *session, p page.Report) error {
	if whole := page.WholeSources(c.Logs); whole != "" {
		p.Notes = append(p.Notes, whole)
	}
	text, err := page.RenderReport(p)
	return s.writePage(*c.HTML, text, err)
}

// section returns the table of a kind of figures: all rows, of which those behind the first --top of a period are shown when they
// are asked for, with what they come to in all.
func (c *historyCmd) section(sheet *history.Sheet, part history.Part) (section page.Section) {
	if sheet.Step != history.Whole || sheet.Kind == "" {
		section.Header = append(section.Header, "Period from")
	}
	if sheet.Kind != "" {
		section.Header = append(section.Header, report.Capital(sheet.KindWord))
	}
	for _, column := range sheet.Of(part) {
		head := heads[column.Name]
		if head == "" {
			head = report.Capital(strings.ToLower(column.Label))
		}
		section.Header = append(section.Header, head)
		if column.Changes && sheet.Step != history.Whole {
			section.Header = append(section.Header, "Change")
		}
	}
	totals := sheet.Totals()
	if part == history.OfFairness {
		totals = nil
	}
	shown, n := 0, len(sheet.Lines)
	for i, r := range sheet.Lines {
		if i > 0 && r.Span != sheet.Lines[i-1].Span {
			shown = 0
		}
		shown++
		row := page.Row{Cells: c.row(sheet, part, r), IsMore: sheet.Kind != "" && c.Top > 0 && shown > c.Top}
		if row.IsMore {
			section.More++
		}
		section.Rows = append(section.Rows, row)
		if isLast := i == n-1 || sheet.Kind != "" && sheet.Lines[i+1].Span != r.Span; isLast && len(totals) > 0 {
			cells := c.row(sheet, part, totals[0])
			if sheet.Kind == "" {
				cells[0] = history.AllNames
			}
			section.Rows = append(section.Rows, page.Row{Cells: cells, IsTotal: true})
			totals = totals[1:]
		}
	}
	dropEmpty(&section, sheet.NameColumns())
	return section
}

// dropEmpty takes away the columns behind those of names of which no row says anything, such as changes where there is one
// period.
func dropEmpty(section *page.Section, names int) {
	says := func(column int) bool {
		return slices.ContainsFunc(section.Rows, func(row page.Row) bool { return !report.IsBlank(row.Cells[column]) })
	}
	for column := len(section.Header) - 1; column >= names; column-- {
		if says(column) {
			continue
		}
		section.Header = slices.Delete(section.Header, column, column+1)
		for i := range section.Rows {
			section.Rows[i].Cells = slices.Delete(section.Rows[i].Cells, column, column+1)
		}
	}
}

// emptyChart returns a chart of a figure without bars, and the figure.
func emptyChart(sheet *history.Sheet, name, label string) (*page.Chart, history.Column, bool) {
	column, ok := columnNamed(sheet, name)
	if !ok {
		return nil, column, false
	}
	c := &page.Chart{Label: label, Text: func(x float64) string { return report.Shortest(x) }}
	switch column.Unit {
	case history.Ratio:
		c.Text = func(x float64) string { return report.Significant(100*x, 3) + " %" }
	case history.Seconds:
		c.Text, c.Steps = report.Duration, waitSteps
	case history.Hours:
		c.Text = func(x float64) string { return report.Significant(x, 6) + " h" }
	}
	return c, column, true
}

// columnNamed returns the column of a name, and whether a sheet has one.
func columnNamed(sheet *history.Sheet, name string) (c history.Column, ok bool) {
	at := slices.IndexFunc(sheet.Columns, func(c history.Column) bool { return c.Name == name })
	if at < 0 {
		return c, false
	}
	return sheet.Columns[at], true
}

// chart returns the bars of a figure by period. A median of few jobs has none: it says little, and may be higher than all others.
func chart(sheet *history.Sheet, name, label string) *page.Chart {
	const few = 10
	c, column, ok := emptyChart(sheet, name, label)
	if !ok {
		return nil
	}
	started, _ := columnNamed(sheet, "jobs_started")
	left := 0
	for _, r := range sheet.Lines {
		bar := page.Bar{Name: sheet.Title(r), Value: column.Of(r), Lacks: r.Lacks != ""}
		if column.Unit == history.Seconds && started.Of(r) < few {
			bar.Value = math.NaN()
			left++
		}
		c.Bars = append(c.Bars, bar)
	}
	if left > 0 {
		c.Label += fmt.Sprintf(" (no bar for %s in which fewer than %d jobs started)", report.Count(left, "period"), few)
	}
	return c
}

// othersName is what names are called together of which a picture has no bars of their own.
const othersName = "others"

// chartOfNames returns a bar for each of the names that occupied most.
func chartOfNames(sheet *history.Sheet, name, label string) *page.Chart {
	const most = 12
	c, column, ok := emptyChart(sheet, name, label)
	if !ok {
		return nil
	}
	c.IsAcross = true
	if column.Unit == history.Hours {
		c.Text = func(x float64) string { return report.Fixed(x, 1) + " h" }
	}
	n := len(sheet.Lines)
	if n > most+1 { // a single other one has a bar of its own
		n = most
	}
	for _, r := range sheet.Lines[:n] {
		c.Bars = append(c.Bars, page.Bar{Name: report.DashIfEmpty(r.Name), Value: column.Of(r), Lacks: r.Lacks != ""})
	}
	if rest := sheet.Lines[len(c.Bars):]; len(rest) > 0 && column.Unit == history.Hours {
		others := page.Bar{Name: report.Count(len(rest), "other"), Lacks: rest[0].Lacks != ""}
		for _, r := range rest {
			others.Value += column.Of(r)
		}
		c.Bars = append(c.Bars, others)
	} else if len(rest) > 0 {
		c.Label += fmt.Sprintf(", of the %d that occupied most", most)
	}
	return c
}

// namesByHours returns the names of a sheet, those first that occupied most, so that a name has one colour in all pictures
// of a page.
func namesByHours(sheet *history.Sheet) []string {
	hours, _ := columnNamed(sheet, partTitles[0].byName)
	sums := map[string]float64{}
	for _, r := range sheet.Lines {
		if x := hours.Of(r); !math.IsNaN(x) {
			sums[r.Name] += x
		}
	}
	names := sheet.Names()
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(sums[b], sums[a]) })
	return names
}

// chartOfParts returns a bar for each period, in which the names that occupied most in all stand upon each other.
func chartOfParts(sheet *history.Sheet, name, label string) *page.Chart {
	const most = 7 // colours, behind which the others are grey
	c, column, ok := emptyChart(sheet, name, label)
	if !ok {
		return nil
	}
	names := namesByHours(sheet)
	shown := names[:min(most, len(names))]
	for _, name := range shown {
		c.Parts = append(c.Parts, report.DashIfEmpty(name))
	}
	if len(names) > most {
		c.Parts = append(c.Parts, othersName)
	}
	for i, r := range sheet.Lines {
		if i == 0 || r.Span != sheet.Lines[i-1].Span {
			c.Bars = append(c.Bars, page.Bar{Name: sheet.Title(r), Parts: make([]float64, len(c.Parts)), Lacks: r.Lacks != ""})
		}
		bar := &c.Bars[len(c.Bars)-1]
		at := slices.Index(shown, r.Name)
		if at < 0 {
			at = most
		}
		if x := column.Of(r); !math.IsNaN(x) {
			bar.Parts[at] += x
			bar.Value += x
		}
	}
	return c
}
