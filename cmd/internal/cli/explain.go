package cli

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"fairshare/cmd/internal/explain"
	"fairshare/cmd/internal/joblist"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurmsite"
)

type explainCmd struct {
	Names []string `arg:"" optional:"" name:"job-or-site" help:"The job to explain, as qstat names it, with or without the server; and a snapshot, a sched_priv, a job list or a Slurm site. Either of them may come first."`
	Job   string   `placeholder:"ID" help:"The job to explain."`
	User  string   `placeholder:"NAME" help:"Explain this user's first job."`
	Vs    string   `placeholder:"ID" help:"Explain why one of the two jobs goes first, and what would reverse their order. ID may be 'ahead' (the job just before) or 'first' (the first job)."`
	queueFlags
	Notes  bool   `help:"Also print the notes on where the site comes from."`
	Output string `short:"o" enum:"text,json" default:"text" placeholder:"FORM" help:"What to print (${enum})."`
}

func (c *explainCmd) Run(s *session) error {
	site, err := c.names()
	if err != nil {
		return err
	}
	switch {
	case c.Output == "text":
		s.answerFirst(c.Notes)
	case c.Notes:
		return fail(exitUsage, "%s", notesOfOne)
	}
	o, err := c.order(s, site, false)
	if err != nil {
		at, err := s.slurmInstead(cmp.Or(site, c.Snapshot), c.siteFlags, err)
		if err != nil {
			return err
		}
		return c.explainSlurm(s, at)
	}
	row, err := c.row(o)
	if err != nil {
		return err
	}
	if c.Vs == "" {
		return c.explain(s, explain.Explain(o, row))
	}
	other, err := explain.Other(o, row, c.Vs)
	if err != nil {
		return err
	}
	if other == row {
		return fail(exitUsage, "%s would be compared with itself", o.List.Job(row).ID)
	}
	verdict := explain.Compare(o, row, other)
	if c.Output == "json" {
		return s.encode(verdict)
	}
	return printVerdict(s, verdict)
}

// names tells the job and the site among the arguments: what looks like a job's
// ID and is no file is the job.
func (c *explainCmd) names() (site string, err error) {
	for _, name := range c.Names {
		_, missing := os.Stat(name)
		switch {
		case (joblist.LooksLikeID(name) || slurmsite.LooksLikeJob(name)) && missing != nil && c.Job == "":
			c.Job = name
		case site == "":
			site = name
		default:
			return "", fail(exitUsage, "%s and %s: one job and one site or list can be named; --vs ID names another job", site, name)
		}
	}
	switch {
	case c.Job != "" && c.User != "":
		return "", fail(exitUsage, "job %s and --user %s both say what to explain, give one of them", c.Job, c.User)
	case c.Job == "" && c.User == "":
		return "", fail(exitUsage, "which job? Give its ID, or --user NAME for a user's first one")
	}
	return site, nil
}

// row returns the row of the job to explain.
func (c *explainCmd) row(o *order.Order) (int, error) {
	if c.User == "" {
		return o.List.Find(c.Job)
	}
	return o.FirstOf(c.User)
}

func (c *explainCmd) explain(s *session, e explain.Explanation) error {
	s.partly = s.partly || e.Err != nil
	if c.Output == "json" {
		return s.encode(e)
	}
	printHeading(s, e)
	for _, print := range []func(*session, explain.Explanation) error{printSteps, printLevels, printOthers, printRounding} {
		if err := print(s, e); err != nil {
			return err
		}
	}
	return nil
}

// printHeading says whose job it is, where it stands and what put it there.
func printHeading(s *session, e explain.Explanation) {
	text := fmt.Sprintf("%s of %s (entity %s, queue %s): ", e.ID, e.User, e.Entity, e.Queue)
	if e.Place != nil {
		text += fmt.Sprintf("number %d of %d", *e.Rank, e.Place.Of)
	} else {
		text += "not considered, " + e.Reason
	}
	if e.Value != nil {
		text += ", value " + e.Log
	}
	fmt.Fprintln(s.out, report.Printable(text))
	if e.Place == nil || e.Place.Of < 2 {
		return
	}
	text = "nobody ahead"
	if ahead := *e.Rank - 1; ahead > 0 {
		var parts []string
		for _, key := range explain.Keys() {
			if n := e.Place.Ahead[key]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d by %s", n, explain.Word(key)))
			}
		}
		text = fmt.Sprintf("%d ahead: %s", ahead, strings.Join(parts, ", "))
	}
	if e.Place.Ties > 0 {
		text += fmt.Sprintf("; its value ties with %s", report.Count(e.Place.Ties, "other"))
	}
	fmt.Fprintln(s.out, text)
}

// printSteps prints the formula's tree, values aligned.
func printSteps(s *session, e explain.Explanation) error {
	if len(e.Steps) == 0 {
		return nil
	}
	var table [][]string
	for _, step := range e.Steps {
		value := step.Value
		switch {
		case step.Error != "":
			value, _, _ = strings.Cut(step.Error, ":") // the whole is told below
		case !step.Reached:
			value = "(not evaluated)"
		}
		value = report.Fitted(value, widest)
		if step.Most {
			value += "  <- contributes most"
		}
		table = append(table, []string{"  " + indented(s, step.Depth, step.Text), value})
	}
	fmt.Fprintln(s.out)
	if err := s.print(report.Table{Rows: table}); err != nil {
		return err
	}
	if e.Err != nil {
		s.explainFormula(&order.FormulaError{Source: e.Formula, Err: e.Err})
	}
	return nil
}

// widest is how many characters a value of a part of the formula has at most.
const widest = 20

// indented returns a part of the formula, cut so that on a terminal columns are
// left for the values.
func indented(s *session, depth int, text string) string {
	const values = 44 // columns
	most := 60
	if s.terminal.Width > 0 {
		most = min(most, max(20, s.terminal.Width-values))
	}
	return report.Cut(report.Indent(min(depth, most/3), strings.Join(strings.Fields(text), " ")), most)
}

// printLevels prints where percentage and tree usage come from, as PP-718's
// worked example does.
func printLevels(s *session, e explain.Explanation) error {
	if len(e.Fairshare) == 0 {
		return nil
	}
	shares := [][]string{{"  fairshare_perc", "", "= shares / level's x parent's"}}
	used := [][]string{{"  used", "", "= usage / all"}}
	usage := [][]string{{"  fairshare_tree_usage", "", "= used + (parent's - used) x shares"}}
	six := func(x report.Number) string { return report.Significant(float64(x), 6) }
	parent := report.Number(1)
	for i, l := range e.Fairshare {
		name := "  " + l.Name
		shares = append(shares, []string{name, six(l.TreePercentage), fmt.Sprintf("= %d / %d x %s", l.Shares, l.LevelShares, six(parent))})
		used = append(used, []string{name, six(l.Used), fmt.Sprintf("= %s / %s", report.Plain(float64(l.Usage)), report.Plain(float64(l.AllUsage)))})
		drawn := "= " + six(l.Used)
		if i > 0 {
			drawn += fmt.Sprintf(" + (%s - %s) x %s", six(l.ParentUsage), six(l.Used), six(l.GroupPercentage))
		}
		usage = append(usage, []string{name, six(l.TreeUsage), drawn})
		parent = l.TreePercentage
	}
	const most = 40 // levels
	for _, rows := range [][][]string{shares, used, usage} {
		fmt.Fprintln(s.out)
		if err := s.print(report.Table{Rows: report.WithoutMiddle(rows, most, "levels")}); err != nil {
			return err
		}
	}
	last := e.Fairshare[len(e.Fairshare)-1]
	switch {
	case e.Factor == nil:
	case last.TreePercentage != 0:
		fmt.Fprintf(s.out, "\n  fairshare_factor = 2^-(%s / %s) = %s\n", six(last.TreeUsage), six(last.TreePercentage), six(*e.Factor))
	default:
		fmt.Fprintf(s.out, "\n  fairshare_factor = 0: %s has no shares\n", report.Printable(e.Entity))
	}
	return nil
}

// printOthers prints where another scheduler's numbers come from.
func printOthers(s *session, e explain.Explanation) error {
	for i, l := range e.Others {
		if i == 0 || e.Others[i-1].Variable != l.Variable {
			fmt.Fprintf(s.out, "\n  %s\n", l.Variable)
		}
		fmt.Fprintf(s.out, "  %s: due %s, used %s, level FS %s, fairshare %s\n",
			report.Printable(l.Name), report.SixDecimals(l.NormShares), report.SixDecimals(l.EffectiveUsage),
			report.DashIfEmpty(report.SixDecimals(l.LevelFS)), report.DashIfEmpty(report.SixDecimals(l.Fairshare)))
	}
	return nil
}

func printRounding(s *session, e explain.Explanation) error {
	for i, r := range e.Rounding {
		if i == 0 {
			fmt.Fprintln(s.out, "\n  Rounded on the way:")
		}
		fmt.Fprintf(s.out, "  %s: %s becomes %s, %s\n", r.Name, r.From, r.To, r.Why)
	}
	return nil
}

// printVerdict prints why one of two jobs goes first.
func printVerdict(s *session, v explain.Verdict) error {
	fmt.Fprintln(s.out, report.Printable(v.Why))
	if len(v.Parts) > 0 {
		table := [][]string{{"  ", v.First, v.Second}}
		for _, part := range v.Parts {
			mark := "  "
			first, second := report.Fitted(part.First, widest), report.Fitted(part.Second, widest)
			if part.Differ {
				mark = "! "
				if first == second {
					first, second = part.First, part.Second
				}
			}
			table = append(table, []string{mark + indented(s, part.Depth, part.Text), first, second})
		}
		fmt.Fprintln(s.out)
		if err := s.print(report.Table{Rows: table}); err != nil {
			return err
		}
	}
	if l := v.Level; l != nil {
		fmt.Fprintf(s.out, "\n  The paths part at level %d: %s against %s\n", l.Depth, report.Printable(l.First.String()), report.Printable(l.Second.String()))
	}
	if len(v.Turn) > 0 {
		when := ""
		if v.UsageGrows {
			when = ", as it is when the cycle begins (before jobs that start add to usage),"
		}
		fmt.Fprintf(s.out, "\n  The order%s would be reversed if\n", when)
		for _, t := range v.Turn {
			fmt.Fprintf(s.out, "  - %s\n", report.Printable(t.Text))
		}
	}
	for _, note := range v.Notes {
		fmt.Fprintf(s.out, "  (%s)\n", note)
	}
	return nil
}
