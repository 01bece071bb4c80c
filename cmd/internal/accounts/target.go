package accounts

import (
	"fmt"
	"math"

	"fairshare/cmd/internal/report"
)

// Target is what a member of a level of a tree has used beside its share of the level.
type Target struct {
	Name string         `json:"name"`
	Used report.Number  `json:"used"` // the part of what the level has used
	Due  report.Number  `json:"due"`  // the part of the level's shares
	Back *report.Number `json:"back"` // after how many seconds the two are equal, 0 where no more is used; null where they never are, or where that is not known
	Says string         `json:"says"` // Back in words, which tell the two apart
}

// NewTarget returns that of a member that has used some of what its level has. Back is when decay alone, which leaves half
// of usage after halfLife seconds (0 for no decay, NaN where it is not known), has brought its usage to its share: it runs nothing, and the usage of the
// others stays what it is, so that what they add is as much as decays.
func NewTarget(name string, usage, level, due, halfLife float64) Target {
	t := Target{Name: name, Due: report.Number(due)}
	if level > 0 {
		t.Used = report.Number(usage / level)
	}
	others := level - usage
	switch target := due / (1 - due) * others; {
	case !(usage/level > due):
		t.Back, t.Says = report.Optional(0), "it is not above it"
	case math.IsNaN(halfLife):
		t.Says = "not known"
	case target > 0 && halfLife > 0:
		t.Back = report.Optional(math.Ceil(halfLife * math.Log2(usage/target)))
		t.Says = "after " + report.Span(float64(*t.Back))
	default:
		t.Says = "never"
	}
	return t
}

// PrintTargets prints them, from the level below the root on, with the half-life that they are of.
func PrintTargets(to *report.Printer, list []Target, halfLife float64) error {
	if len(list) == 0 {
		return nil
	}
	table := [][]string{{"  LEVEL", "USED", "DUE", "BACK AT ITS SHARE"}}
	isOver := false
	for _, t := range list {
		isOver = isOver || t.Back != nil && *t.Back > 0
		table = append(table, []string{"  " + report.Printable(t.Name), report.Percent(float64(t.Used), 1), report.Percent(float64(t.Due), 1), t.Says})
	}
	fmt.Fprintln(to)
	if err := to.Table(report.Table{Rows: table, Right: func(column int) bool { return column == 1 || column == 2 }}); err != nil || !isOver {
		return err
	}
	_, err := fmt.Fprintf(to, "  (by the half-life of %s alone: nothing of it runs, and the usage of the others stays what it is)\n", report.Span(halfLife))
	return err
}
