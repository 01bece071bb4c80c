package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
)

func (x *explainer) explain(row int, asJSON bool) error {
	e := x.explanation(row)
	if asJSON {
		return x.s.encode(e)
	}
	x.heading(e)
	x.printSteps(e)
	x.printLevels(e)
	x.printOthers(e)
	x.printRounding(e)
	return nil
}

// heading says whose job it is and where it stands.
func (x *explainer) heading(e explanation) {
	fmt.Fprint(x.s.out, diag.Printable(fmt.Sprintf("%s of %s (entity %s, queue %s): ", e.ID, e.User, e.Entity, e.Queue)))
	if e.Rank != nil {
		fmt.Fprintf(x.s.out, "number %d of %d", *e.Rank, len(x.r.order))
	} else {
		fmt.Fprintf(x.s.out, "not considered, %s", e.Reason)
	}
	if e.Value != nil {
		fmt.Fprintf(x.s.out, ", value %s", e.Log)
	}
	fmt.Fprintln(x.s.out)
}

// printSteps prints the formula's tree, values aligned.
func (x *explainer) printSteps(e explanation) {
	if len(e.Steps) == 0 {
		return
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
		most := ""
		if step.Most {
			most = "  <- contributes most"
		}
		table = append(table, []string{"  " + x.part(step.Depth, step.Text, 44), brief(value) + most})
	}
	fmt.Fprintln(x.s.out)
	x.s.printCells(table, func(int) bool { return false })
	if e.Error != "" {
		x.s.out.Flush()
		span, _ := place(e.result.Err)
		x.s.explainFormula(e.Formula, e.result.Err, span, "")
	}
}

// part is a sub-expression, indented and cut so that on a terminal columns are
// left for the values.
func (x *explainer) part(depth int, text string, values int) string {
	most := 60
	if width := x.s.terminalWidth(); width > 0 {
		most = min(most, max(20, width-values))
	}
	text = indent(min(depth, most/3), strings.Join(strings.Fields(text), " "))
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most-1]) + "…"
	}
	return text
}

// printLevels prints where percentage and tree usage come from, as PP-718's
// worked example does.
func (x *explainer) printLevels(e explanation) {
	if len(e.Fairshare) == 0 {
		return
	}
	shares := [][]string{{"  fairshare_perc", "", "= shares / level's x parent's"}}
	usage := [][]string{{"  fairshare_tree_usage", "", "= used + (parent's - used) x shares"}}
	used := [][]string{{"  used", "", "= usage / all"}}
	parent := report.Number(1)
	for i, l := range e.Fairshare {
		shares = append(shares, []string{"  " + l.Name, digits(l.TreePercentage), fmt.Sprintf("= %d / %d x %s", l.Shares, l.LevelShares, digits(parent))})
		used = append(used, []string{"  " + l.Name, digits(l.Used), fmt.Sprintf("= %s / %s", plain(float64(l.Usage)), plain(float64(l.AllUsage)))})
		drawn := "= " + digits(l.Used)
		if i > 0 {
			drawn += fmt.Sprintf(" + (%s - %s) x %s", digits(l.ParentUsage), digits(l.Used), digits(l.GroupPercentage))
		}
		usage = append(usage, []string{"  " + l.Name, digits(l.TreeUsage), drawn})
		parent = l.TreePercentage
	}
	for _, table := range [][][]string{shares, used, usage} {
		fmt.Fprintln(x.s.out)
		x.s.printCells(abbreviated(table), func(int) bool { return false })
	}
	last := e.Fairshare[len(e.Fairshare)-1]
	if e.Factor != nil && last.TreePercentage != 0 {
		fmt.Fprintf(x.s.out, "\n  fairshare_factor = 2^-(%s / %s) = %s\n", digits(last.TreeUsage), digits(last.TreePercentage), digits(*e.Factor))
	} else if e.Factor != nil {
		fmt.Fprintf(x.s.out, "\n  fairshare_factor = 0: %s has no shares\n", diag.Printable(e.Entity))
	}
}

// abbreviated is a table without the middle of a very deep tree.
func abbreviated(table [][]string) [][]string {
	const most = 40
	if len(table) <= most {
		return table
	}
	short := append([][]string{}, table[:most/2]...)
	short = append(short, []string{fmt.Sprintf("  … %d more levels", len(table)-most), "", ""})
	return append(short, table[len(table)-most/2:]...)
}

// printOthers prints where another scheduler's numbers come from.
func (x *explainer) printOthers(e explanation) {
	for i, l := range e.Others {
		if i == 0 || e.Others[i-1].Variable != l.Variable {
			fmt.Fprintf(x.s.out, "\n  %s\n", l.Variable)
		}
		fmt.Fprintf(x.s.out, "  %s: due %s, used %s, level FS %s, fairshare %s\n",
			diag.Printable(l.Name), sixDecimals(l.NormShares), sixDecimals(l.EffectiveUsage), dash(sixDecimals(l.LevelFS)), dash(sixDecimals(l.Fairshare)))
	}
}

func (x *explainer) printRounding(e explanation) {
	if len(e.Rounding) == 0 {
		return
	}
	fmt.Fprintln(x.s.out, "\n  Rounded on the way:")
	for _, l := range e.Rounding {
		fmt.Fprintf(x.s.out, "  %s: %s becomes %s, %s\n", l.Name, l.From, l.To, l.Why)
	}
}
