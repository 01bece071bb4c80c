package door

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/pbs/explain"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/report"
)

// printer returns what prints an explanation.
func (s *Site) printer(e explain.Explanation) func(*report.Printer) error {
	return func(to *report.Printer) error { return s.print(to, e) }
}

// print prints all that is said of the place of a job.
func (s *Site) print(to *report.Printer, e explain.Explanation) error {
	printHeading(to, e)
	for _, print := range []func(*report.Printer, explain.Explanation) error{s.printSteps, printKeys, printLevels, printTargets, printOthers, printRounding} {
		if err := print(to, e); err != nil {
			return err
		}
	}
	return nil
}

// printHeading says whose job it is, where it stands, what put it there, and what keeps it from starting.
func printHeading(to *report.Printer, e explain.Explanation) {
	if e.Comment != "" {
		text := "PBS says: " + e.Comment
		if e.Written != "" {
			text += " (written " + e.Written + ")"
		}
		fmt.Fprintln(to, report.Printable(text))
	}
	if words := qstat.InWords(e.Comment); words != "" {
		fmt.Fprintln(to, report.Printable("in words: "+words))
	}
	if e.Estimated != "" {
		fmt.Fprintln(to, report.Printable("PBS expects to start it at "+e.Estimated+" (estimated.start_time)"))
	}
	if e.Until != "" {
		fmt.Fprintln(to, report.Printable("its user holds it until "+e.Until+" (Execution_Time)"))
	}
	printPlace(to, e)
	for _, line := range e.Course.Words() {
		fmt.Fprintln(to, report.Printable(line))
	}
	if e.Requests != "" && (e.Now == nil || e.Now.Asks == "") && e.State == "Q" {
		fmt.Fprintln(to, report.Printable("it asks for "+e.Requests))
	}
	if e.Now != nil {
		if e.Now.Text != "" {
			fmt.Fprintln(to, report.Printable("right now: "+e.Now.Text))
		}
		if e.Now.Asks != "" {
			text := "it asks for " + e.Now.Asks
			if e.Now.Free != "" {
				text += "; " + e.Now.Free
			}
			fmt.Fprintln(to, report.Printable(text))
		}
	}
	if e.Ineligible != "" {
		fmt.Fprintln(to, report.Printable(e.Ineligible))
	}
}

// printPlace says whose job it is, where it stands and what put it there.
func printPlace(to *report.Printer, e explain.Explanation) {
	text := fmt.Sprintf("%s of %s (entity %s, queue %s): ", e.ID, e.User, e.Entity, e.Queue)
	byValue := e.PlaceByValue()
	if byValue != "" {
		text += fmt.Sprintf("number %d%s of %d by PBS's defaults; %s", *e.Rank, unsure(e.Line), e.Waiting, byValue)
	} else if e.Unplaced != "" && e.Rank != nil && e.Waiting > 1 {
		text += fmt.Sprintf("number %d%s of %d by when jobs came to their queues, %d of them in queue %s", *e.Rank, unsure(e.Line), e.Waiting, e.WaitingInQueue, e.Queue)
	} else if e.Unplaced != "" && e.Waiting == 1 {
		text += "it waits, and no other job of the list does"
	} else if e.Unplaced != "" {
		text += fmt.Sprintf("it waits beside %s, %d of them in its queue", report.Count(e.Waiting-1, "other"), e.WaitingInQueue-1)
	} else if e.Place != nil {
		text += fmt.Sprintf("number %d%s of %d", *e.Rank, unsure(e.Line), e.Place.Of)
		if e.IsOfSome {
			text += " among the jobs of your list (its place among all is not known from it)"
		}
		if e.State == "S" {
			text += ", suspended (it goes on only where it was)"
		}
	} else {
		text += "not considered, " + e.Reason
	}
	if e.Unplaced != "" && e.IsOfSome && e.Waiting > 1 {
		text += ", as far as your list goes, which may lack those of others"
	}
	if e.Value != nil {
		text += ", value " + e.Log
	}
	fmt.Fprintln(to, report.Printable(text))
	if e.Unplaced != "" {
		place := "its place is not known"
		if e.Rank != nil && e.Waiting > 1 {
			place = "its place may be another"
		}
		fmt.Fprintln(to, report.Printable(place+": "+e.Unplaced))
		printKnown(to, e)
	}
	if e.Assumed != "" {
		fmt.Fprintln(to, report.Printable("that is "+e.Assumed))
	}
	if len(e.Terms) > 0 {
		var values []string
		for _, t := range e.Terms {
			values = append(values, t.Name+" "+t.String())
		}
		fmt.Fprintln(to, report.Printable(fmt.Sprintf("of the formula %s it has: %s", e.Formula, strings.Join(values, ", "))))
	}
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
	if n := e.Place.NeverRun; n > 0 {
		text += fmt.Sprintf("; PBS says of %d of them: Can Never Run", n)
	}
	if e.Place.Ties > 0 {
		text += fmt.Sprintf("; its value ties with %s", report.Count(e.Place.Ties, "other"))
	}
	fmt.Fprintln(to, text)
}

// unsure returns the mark of a rank that sched_config, which is not there, may make another.
func unsure(l order.Line) string {
	if l.RankUnsure {
		return "?"
	}
	return ""
}

// printKnown says what is known of a job whose place is not.
func printKnown(to *report.Printer, e explain.Explanation) {
	var known []string
	text := ""
	if e.Queued != "" {
		text = "it came to its queue at " + e.Queued
	}
	if others := e.WaitingInQueue - 1; e.QueuedBefore != nil && others > 0 {
		text = cmp.Or(text, "it came to its queue")
		switch before := *e.QueuedBefore; {
		case others > 1:
			text += fmt.Sprintf(", after %d of the %d others that wait there", before, others)
		case before > 0:
			text += ", after the other that waits there"
		default:
			text += ", before the other that waits there"
		}
		if e.QueuedBy == "numbers" {
			text += " (by their numbers)"
		}
	}
	if text != "" {
		known = append(known, text)
	}
	if e.QueuePriority != nil {
		known = append(known, fmt.Sprintf("queue %s has priority %d", e.Queue, *e.QueuePriority))
	}
	if known != nil {
		fmt.Fprintln(to, report.Printable("known is: "+strings.Join(known, "; ")))
	}
	if of := e.Surely; e.RankFrom != nil && of.Ahead+of.Behind > 0 {
		place := strconv.Itoa(*e.RankFrom)
		if *e.RankTo > *e.RankFrom {
			place += fmt.Sprintf(" to %d", *e.RankTo)
		}
		text := fmt.Sprintf("whatever %s, before it are at least %d and after it at least %d: it is number %s of %d", report.Having(e.Unknown(), "is", "are"), of.Ahead, of.Behind, place, e.Waiting)
		if e.IsOfSome {
			text += " among the jobs of your list"
		}
		fmt.Fprintln(to, report.Printable(text))
	}
}

// printSteps prints the formula's tree, values aligned.
func (s *Site) printSteps(to *report.Printer, e explain.Explanation) error {
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
		table = append(table, []string{"  " + indented(to, step.Depth, step.Text), value})
	}
	fmt.Fprintln(to)
	if err := to.Table(report.Table{Rows: table}); err != nil {
		return err
	}
	if e.Err != nil {
		s.to.Fault(&order.FormulaError{Source: e.Formula, Err: e.Err})
	}
	return nil
}

// widest is how many characters a value of a part of the formula has at most.
const widest = 20

// indented returns a part of the formula, cut so that on a terminal columns are
// left for the values.
func indented(to *report.Printer, depth int, text string) string {
	const values = 44 // columns
	most := 60
	if to.Width > 0 {
		most = min(most, max(20, to.Width-values))
	}
	return report.Cut(report.Indent(min(depth, most/3), strings.Join(strings.Fields(text), " ")), most)
}

// printKeys prints what the job has of each key of job_sort_key, and between which jobs they decide.
func printKeys(to *report.Printer, e explain.Explanation) error {
	if len(e.Keys) == 0 {
		return nil
	}
	between := "without a formula, job_sort_key decides"
	switch {
	case e.Place.Ties > 0:
		between = fmt.Sprintf("job_sort_key decides between this job and the %s of its value", report.Count(e.Place.Ties, "other"))
	case len(e.Fairshare) > 0:
		between = "without a formula, job_sort_key decides where fairshare is equal"
	}
	fmt.Fprintf(to, "\n  %s\n", between)
	var table [][]string
	for _, key := range e.Keys {
		table = append(table, []string{"  " + report.Printable(key.Text), key.Value})
	}
	return to.Table(report.Table{Rows: table})
}

// printLevels prints where percentage and tree usage come from, as PP-718's
// worked example does.
func printLevels(to *report.Printer, e explain.Explanation) error {
	if len(e.Fairshare) == 0 || e.OfTies {
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
		fmt.Fprintln(to)
		if err := to.Table(report.Table{Rows: report.WithoutMiddle(rows, most, "levels")}); err != nil {
			return err
		}
	}
	last := e.Fairshare[len(e.Fairshare)-1]
	switch {
	case e.Factor == nil:
	case last.TreePercentage != 0:
		fmt.Fprintf(to, "\n  fairshare_factor = 2^-(%s / %s) = %s\n", six(last.TreeUsage), six(last.TreePercentage), six(*e.Factor))
	default:
		fmt.Fprintf(to, "\n  fairshare_factor = 0: %s has no shares\n", report.Printable(e.Entity))
	}
	return nil
}

// printTargets prints what the levels on the way to the entity have used beside their shares.
func printTargets(to *report.Printer, e explain.Explanation) error {
	if e.OfTies {
		if e.Place == nil || e.Place.Ties == 0 {
			return nil
		}
		fmt.Fprintf(to, "\n  fairshare is no term of the formula: it decides between this job and the %s of its value\n", report.Count(e.Place.Ties, "other"))
	}
	return accounts.PrintTargets(to, e.Targets, e.Decay)
}

// printOthers prints where another scheduler's numbers come from.
func printOthers(to *report.Printer, e explain.Explanation) error {
	for i, l := range e.Others {
		if i == 0 || e.Others[i-1].Variable != l.Variable {
			fmt.Fprintf(to, "\n  %s\n", l.Variable)
		}
		fmt.Fprintf(to, "  %s: due %s, used %s, level FS %s, fairshare %s\n",
			report.Printable(l.Name), report.SixDecimals(l.NormShares), report.SixDecimals(l.EffectiveUsage),
			report.DashIfEmpty(report.SixDecimals(l.LevelFS)), report.DashIfEmpty(report.SixDecimals(l.Fairshare)))
	}
	return nil
}

func printRounding(to *report.Printer, e explain.Explanation) error {
	for i, r := range e.Rounding {
		if i == 0 {
			fmt.Fprintln(to, "\n  Rounded on the way:")
		}
		fmt.Fprintf(to, "  %s: %s becomes %s, %s\n", r.Name, r.From, r.To, r.Why)
	}
	return nil
}

// printVerdict prints why one of two jobs goes first.
func printVerdict(to *report.Printer, v explain.Verdict) error {
	compare.PrintPlaces(to, v.Places)
	fmt.Fprintln(to, report.Printable(v.Why))
	if v.Unplaced != "" {
		fmt.Fprintln(to, report.Printable(v.Unplaced))
	}
	for i, of := range v.Turned {
		if i == 0 {
			fmt.Fprintln(to, "it could be turned by")
		}
		fmt.Fprintln(to, report.Printable("  - "+of))
	}
	for _, parts := range [][]explain.Part{v.Parts, v.Keys} {
		if len(parts) == 0 {
			continue
		}
		table := [][]string{{"  ", v.First, v.Second}}
		for _, part := range parts {
			mark := "  "
			first, second := report.Fitted(part.First, widest), report.Fitted(part.Second, widest)
			if part.Differ {
				mark = "! "
				if first == second {
					first, second = part.First, part.Second
				}
			}
			table = append(table, []string{mark + indented(to, part.Depth, part.Text), first, second})
		}
		fmt.Fprintln(to)
		if err := to.Table(report.Table{Rows: table}); err != nil {
			return err
		}
	}
	if l := v.Level; l != nil {
		fmt.Fprintf(to, "\n  The paths part at level %d: %s against %s\n", l.Depth, report.Printable(l.First.String()), report.Printable(l.Second.String()))
	}
	compare.PrintTurns(to, v.Turn, v.Notes)
	return nil
}
