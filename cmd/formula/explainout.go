package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

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
	fmt.Fprintf(x.s.out, "%s of %s (entity %s, queue %s): ", e.ID, e.User, e.Entity, e.Queue)
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
	const most = 60 // columns of text before it is cut
	width := 0
	var texts []string
	for _, step := range e.Steps {
		text := strings.Repeat("  ", step.Depth) + strings.Join(strings.Fields(step.Text), " ")
		if utf8.RuneCountInString(text) > most {
			text = string([]rune(text)[:most-1]) + "…"
		}
		texts = append(texts, text)
		width = max(width, utf8.RuneCountInString(text))
	}
	if len(texts) > 0 {
		fmt.Fprintln(x.s.out)
	}
	for i, step := range e.Steps {
		value := step.Value
		switch {
		case step.Error != "":
			value = step.Error
		case !step.Reached:
			value = "(not evaluated)"
		}
		if step.Most {
			value += "  <- contributes most"
		}
		fmt.Fprintf(x.s.out, "  %s%s  %s\n", texts[i], strings.Repeat(" ", width-utf8.RuneCountInString(texts[i])), value)
	}
	if e.Error != "" {
		x.s.out.Flush()
		span, _ := place(e.result.Err)
		x.s.explainFormula(e.Formula, e.result.Err, span, "")
	}
}

// printLevels prints where percentage and tree usage come from, as PP-718's
// worked example does.
func (x *explainer) printLevels(e explanation) {
	if len(e.Fairshare) == 0 {
		return
	}
	shares := [][]string{{"  fairshare_perc", "shares / level's", "", "x parent's", "= percentage"}}
	usage := [][]string{{"  fairshare_tree_usage", "usage / all", "", "+ (parent's - it) x shares", "= tree usage"}}
	parent := report.Number(1)
	for i, l := range e.Fairshare {
		shares = append(shares, []string{
			"  " + l.Name, fmt.Sprintf("%d / %d", l.Shares, l.LevelShares), "= " + digits(l.GroupPercentage), "x " + digits(parent), "= " + digits(l.TreePercentage),
		})
		drawn := ""
		if i > 0 {
			drawn = fmt.Sprintf("+ (%s - %s) x %s", digits(l.ParentUsage), digits(l.Used), digits(l.GroupPercentage))
		}
		usage = append(usage, []string{
			"  " + l.Name, fmt.Sprintf("%s / %s", plain(float64(l.Usage)), plain(float64(l.AllUsage))), "= " + digits(l.Used), drawn, "= " + digits(l.TreeUsage),
		})
		parent = l.TreePercentage
	}
	left := func(int) bool { return false }
	fmt.Fprintln(x.s.out)
	x.s.printCells(shares, left)
	fmt.Fprintln(x.s.out)
	x.s.printCells(usage, left)
	last := e.Fairshare[len(e.Fairshare)-1]
	if e.Factor != nil && last.TreePercentage != 0 {
		fmt.Fprintf(x.s.out, "\n  fairshare_factor = 2^-(%s / %s) = %s\n", digits(last.TreeUsage), digits(last.TreePercentage), digits(*e.Factor))
	} else if e.Factor != nil {
		fmt.Fprintf(x.s.out, "\n  fairshare_factor = 0: %s has no shares\n", e.Entity)
	}
}

// printOthers prints where another scheduler's numbers come from.
func (x *explainer) printOthers(e explanation) {
	for i, l := range e.Others {
		if i == 0 || e.Others[i-1].Variable != l.Variable {
			fmt.Fprintf(x.s.out, "\n  %s\n", l.Variable)
		}
		fmt.Fprintf(x.s.out, "  %s: due %s, used %s, level FS %s, fairshare %s\n",
			l.Name, sixDecimals(l.NormShares), sixDecimals(l.EffectiveUsage), dash(sixDecimals(l.LevelFS)), dash(sixDecimals(l.Fairshare)))
	}
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
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

// digits is a fraction as people read it: six significant digits.
func digits(x report.Number) string {
	return strconv.FormatFloat(float64(x), 'g', 6, 64)
}
