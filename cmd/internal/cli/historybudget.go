package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/page"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/trace"
)

// balanceLine is what is spent of a budget, in JSON. What is not known is null.
type balanceLine struct {
	Name     string         `json:"name"`
	Kind     string         `json:"kind"`
	Resource string         `json:"resource"`
	Hours    float64        `json:"hours"`
	Begin    int64          `json:"begin"`
	End      int64          `json:"end"`
	Spent    float64        `json:"spent"`
	Left     float64        `json:"left"`
	Pace     *report.Number `json:"hours_per_day"`
	SpentOn  *int64         `json:"spent_on"`
	Lacks    string         `json:"lacks"`
	Below    below          `json:"below"`        // other accounts, whose jobs count as well
	PaceOf   int64          `json:"pace_seconds"` // of how much time the pace is

	isOpen bool // whether that is too little to tell when all is spent, which is told in words
}

// below are names of accounts.
type below []string

// Cell returns them as CSV has them.
func (b below) Cell() string { return strings.Join(b, ",") }

// budgets prints what is spent of budgets.
func (c *historyCmd) budgets(s *session, logs *pbssite.Logs, recorder site.Recorder, zone *time.Location) error {
	const most = 1 << 26
	from := s.in.Source(c.Budget, "--budget")
	text, err := from.Text(most)
	if err != nil {
		return s.failed(fmt.Errorf("--budget needs a table in CSV, with a first line such as name,kind,resource,hours,from,to: %w", err))
	}
	budgets, err := history.ParseBudgets(text, zone)
	if err != nil {
		return fail(exitUsage, "--budget %s: %v", c.Budget, err)
	}
	charges, err := history.ParseCharges(c.Charge)
	if err != nil {
		return fail(exitUsage, "--charge: %v", err)
	}
	books := history.NewBooks(budgets, zone, charges)
	if books.AreOfAccounts() {
		books.Nest(parentsOf(recorder))
	}
	if to := c.To.moment(); to != nil {
		at, err := to.In(zone)
		if err != nil {
			return err
		}
		books.UpTo(at.Unix())
	}
	t, err := s.readLogs(logs, books.Keep())
	if err != nil {
		return err
	}
	if err := checkRecord(logs, t); err != nil {
		return err
	}
	if err := books.Check(t); err != nil {
		return err
	}
	s.say(books.Missing(t)...)
	var lines []balanceLine
	for _, b := range books.Balances(t, logs.Continuity()) {
		line := balanceLine{b.Name, b.Named, b.Asked, b.Hours, b.Begin, b.End, b.Spent, b.Left, report.Optional(b.Pace), nil, b.Lacks, b.Below, b.PaceOf, b.Spent > 0 && b.Left > 0 && !b.TellsWhen()}
		if b.SpentOn != trace.Unknown {
			line.SpentOn = &b.SpentOn
		}
		lines = append(lines, line)
	}
	if err := printLines(s, c.Output, lines, func() error { return printBalances(s, lines, books.Last(t), zone) }); err != nil || c.HTML == nil {
		return err
	}
	return c.writeBudgets(s, lines, t, books.Last(t), zone)
}

// writeBudgets writes the page of budgets.
func (c *historyCmd) writeBudgets(s *session, lines []balanceLine, t *trace.Trace, last int64, zone *time.Location) error {
	rows, lacks := balanceRows(lines, zone)
	labels := budgetLabels(lines, zone)
	var names []string
	for i, l := range lines {
		if !slices.Contains(names, l.Name) {
			names = append(names, l.Name)
		}
		rows[i][0] = labels[i] // a narrow screen shows what the column of names has, without scrolling
		if l.Lacks != "" {
			rows[i][0] += lackMark
		}
	}
	p := page.Report{Title: cmp.Or(c.Title, "Budgets of "+budgetNames(names)), Facts: c.pageFacts(t, zone), Lacks: lacks, Names: 1}
	section := page.Section{Title: "Budgets", About: strings.Join(aboutBalances(lines, last, zone), " "), IsOfFew: true}
	// What a budget is comes last: first is read what is left of it.
	const gone = 10 // the part of its time, behind what the terminal has
	order := []struct {
		title string
		at    int // in the rows of the terminal
	}{{"Name", 0}, {"Part spent", 6}, {"Time gone", gone}, {"Hours left", 7}, {"All spent on", 9}, {"Ends", 3}, {"Hours spent", 5}, {"Hours in all", 4}, {"Hours a day", 8}, {"Kind", 1}, {"Resource", 2}}
	for _, column := range order {
		section.Header = append(section.Header, column.title)
	}
	percent := func(x float64) string { return report.Fixed(100*x, 0) + " %" }
	section.Chart = &page.Chart{Label: "Part of the budget that is spent; the line is the whole of it", IsAcross: true, Whole: 1, Marked: "how much of its time has gone", Text: percent}
	for i, l := range lines {
		timeGone := l.timeGone(last)
		rows[i] = append(rows[i], report.Percent(timeGone, 0))
		var cells []string
		for _, column := range order {
			cells = append(cells, rows[i][column.at])
		}
		section.Rows = append(section.Rows, page.Row{Cells: cells})
		section.Chart.Bars = append(section.Chart.Bars, page.Bar{Name: labels[i], Value: l.Spent / l.Hours, Mark: timeGone, Lacks: l.Lacks != ""})
	}
	p.Summary = spentSentence(lines, labels, zone)
	p.Sections = []page.Section{section}
	return c.write(s, p)
}

// budgetNames returns the names of budgets in a sentence, of many the first ones.
func budgetNames(names []string) string { return report.Listed(firstBudgets(names)) }

// firstBudgets returns the names of budgets, of many the first ones and how many more there are.
func firstBudgets(names []string) []string {
	const most = 4
	if n := len(names); n > most {
		return append(slices.Clone(names[:most-1]), fmt.Sprintf("%d more", n-most+1))
	}
	return names
}

// timeGone returns which part of the time of a budget has gone at a time.
func (l balanceLine) timeGone(at int64) float64 {
	return float64(max(0, min(at, l.End)-l.Begin)) / float64(l.End-l.Begin)
}

// spentSentence says which of some budgets are spent, and how long the others last.
func spentSentence(lines []balanceLine, labels []string, zone *time.Location) string {
	var spent, lasting, coming, unknown, open []string
	var soon []int
	for i, l := range lines {
		switch {
		case l.Spent == 0 && l.Pace == nil && l.Lacks == "":
			coming = append(coming, labels[i])
		case l.Spent == 0 && l.Lacks != "":
			unknown = append(unknown, labels[i])
		case l.Left <= 0:
			spent = append(spent, labels[i])
		case l.SpentOn != nil:
			soon = append(soon, i)
		case l.isOpen:
			open = append(open, labels[i])
		default:
			lasting = append(lasting, labels[i])
		}
	}
	slices.SortStableFunc(soon, func(i, k int) int { return cmp.Compare(*lines[i].SpentOn, *lines[k].SpentOn) })
	var until []string
	for _, i := range soon {
		until = append(until, labels[i]+" lasts until "+time.Unix(*lines[i].SpentOn, 0).In(zone).Format(time.DateOnly))
	}
	const most = 4
	if n := len(until); n > most {
		until = append(until[:most-1], fmt.Sprintf("%d more do not last to their end", n-most+1))
	}
	if len(lasting) > 0 {
		until = append(until, report.Having(firstBudgets(lasting), "lasts", "last")+" to the end")
	}
	var parts []string
	if len(spent) > 0 {
		parts = append(parts, report.Having(firstBudgets(spent), "is", "are")+" spent")
	}
	if len(until) > 0 {
		parts = append(parts, "at the pace until now "+strings.Join(until, ", "))
	}
	if len(coming) > 0 {
		parts = append(parts, report.Having(firstBudgets(coming), "is", "are")+" still to come")
	}
	text := ""
	if len(parts) > 0 {
		text = fmt.Sprintf("Of %s, %s.", report.Count(len(lines), "budget"), strings.Join(parts, "; "))
	}
	if len(open) > 0 {
		text += " When all of " + budgetNames(open) + " is spent is not told: the logs have too little of the time."
	}
	if len(unknown) > 0 {
		text += " Of " + budgetNames(unknown) + " nothing is spent, as far as the logs tell."
	}
	return strings.TrimSpace(text)
}

// budgetLabels returns what budgets are called where each stands without its row: its name and, where others have it too, in what
// it differs from them.
func budgetLabels(lines []balanceLine, zone *time.Location) []string {
	labels := make([]string, len(lines))
	for i, l := range lines {
		differs := func(is func(other balanceLine) bool) bool {
			return slices.ContainsFunc(lines, func(other balanceLine) bool { return other.Name == l.Name && is(other) })
		}
		var of []string
		if differs(func(other balanceLine) bool { return other.Resource != l.Resource }) {
			of = append(of, l.Resource)
		}
		if differs(func(other balanceLine) bool { return other.Kind != l.Kind }) {
			of = append(of, l.Kind)
		}
		day := func(at int64) string { return time.Unix(at, 0).In(zone).Format(time.DateOnly) }
		if differs(func(other balanceLine) bool { return other.Begin != l.Begin || other.End != l.End }) {
			of = append(of, day(l.Begin)+" to "+day(l.End-1))
		}
		if labels[i] = l.Name; len(of) > 0 {
			labels[i] += " (" + strings.Join(of, ", ") + ")"
		}
	}
	return labels
}

// lackMark stands behind the name of a budget of which the logs lack something.
const lackMark = " *"

// lackLines returns what the logs lack of budgets, each of it once with all budgets that lack it.
func lackLines(lines []balanceLine, zone *time.Location) []string {
	labels := budgetLabels(lines, zone)
	lack := map[string][]string{} // budgets, by what is lacking
	var lacking []string          // in the order in which it comes first
	for i, l := range lines {
		for part := range strings.SplitSeq(l.Lacks, "; ") {
			if lack[part] == nil && part != "" {
				lacking = append(lacking, part)
			}
			lack[part] = append(lack[part], labels[i])
		}
	}
	said := map[string][]string{} // what is lacking, by all whose it is
	var of []string
	for _, part := range lacking {
		whose := budgetNames(lack[part])
		if n := len(lines); n > 2 && len(lack[part]) == n {
			whose = fmt.Sprintf("All %d budgets", n)
		}
		if said[whose] == nil {
			of = append(of, whose)
		}
		said[whose] = append(said[whose], part)
	}
	list := make([]string, len(of))
	for i, whose := range of {
		list[i] = whose + ": " + strings.Join(said[whose], "; ")
	}
	return list
}

// balanceRows returns the cells of budgets, and what the logs lack of them.
func balanceRows(lines []balanceLine, zone *time.Location) (rows [][]string, lacks []string) {
	for _, l := range lines {
		if l.Lacks != "" {
			l.Name += lackMark
		}
		spentOn, pace := "-", "-"
		if l.SpentOn != nil {
			spentOn = time.Unix(*l.SpentOn, 0).In(zone).Format(time.DateOnly)
		}
		if l.Pace != nil {
			pace = report.Fixed(float64(*l.Pace), 1)
		}
		rows = append(rows, []string{l.Name, l.Kind, l.Resource, time.Unix(l.End-1, 0).In(zone).Format(time.DateOnly), report.Fixed(l.Hours, 1),
			report.Fixed(l.Spent, 1), report.Fixed(100*l.Spent/l.Hours, 0) + "%", report.Fixed(l.Left, 1), pace, spentOn})
	}
	return rows, lackLines(lines, zone)
}

// aboutBalances says what the hours of budgets are, nothing of logs without a line.
func aboutBalances(lines []balanceLine, last int64, zone *time.Location) (about []string) {
	if last == trace.Unknown {
		return nil
	}
	about = append(about, fmt.Sprintf("What jobs occupied up to %s, by every one that ran in any part of a budget's time, without the time it was suspended.", moment.Clock(last, zone)))
	about = append(about, aboutPaces(lines, zone)...)
	said := map[string]bool{}
	for _, l := range lines {
		if len(l.Below) > 0 && !said[l.Name] {
			about = append(about, fmt.Sprintf("What %s spent includes what jobs of the accounts below it did: %s.", report.Printable(l.Name), report.Printable(report.Some(l.Below, 10))))
		}
		said[l.Name] = said[l.Name] || l.Kind == "account"
	}
	return about
}

// aboutPaces says of which budgets the logs have so little that the pace does not tell when all is spent.
func aboutPaces(lines []balanceLine, zone *time.Location) (about []string) {
	labels := budgetLabels(lines, zone)
	of := map[string][]string{} // budgets, by how much the logs have of their time
	var hours []string
	for i, l := range lines {
		if l.isOpen {
			text := report.Fixed(float64(l.PaceOf)/3600, 1)
			if of[text] == nil {
				hours = append(hours, text)
			}
			of[text] = append(of[text], labels[i])
		}
	}
	for _, text := range hours {
		about = append(about, fmt.Sprintf("The logs have %s hours of the time of %s: the pace is that of the hours the logs have, which does not tell when all is spent.", text, report.Printable(budgetNames(of[text]))))
	}
	return about
}

// printBalances prints budgets as a table, those first of which most is spent.
func printBalances(s *session, lines []balanceLine, last int64, zone *time.Location) error {
	rows, lacks := balanceRows(lines, zone)
	for _, lack := range lacks {
		fmt.Fprintln(s.out, "* "+lack)
	}
	if len(lacks) > 0 {
		fmt.Fprintln(s.out)
	}
	for _, about := range aboutBalances(lines, last, zone) {
		fmt.Fprintln(s.out, about)
	}
	header := []string{"NAME", "KIND", "RESOURCE", "TO", "HOURS", "SPENT", "", "LEFT", "A DAY", "SPENT ON"}
	return s.print(report.Table{Rows: append([][]string{header}, rows...), Right: func(column int) bool { return column > 3 }})
}
