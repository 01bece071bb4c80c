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

// NewTarget returns that of a member that has used some of what its level has. Back is when decay alone has brought its usage
// to its share: it runs nothing, and the others run as much as decays of theirs.
func NewTarget(name string, usage, level, due float64, decay Decay) Target {
	t := Target{Name: name, Due: report.Number(due)}
	if level > 0 {
		t.Used = report.Number(usage / level)
	}
	others := level - usage
	switch target := due / (1 - due) * others; {
	case !(usage/level > due):
		t.Back, t.Says = report.Optional(0), "it is not above it"
	case math.IsNaN(decay.HalfLife):
		t.Says = "not known"
		if decay.Lacks != "" {
			t.Says += ": " + decay.Lacks
		}
	case target > 0 && decay.HalfLife > 0:
		t.Back, t.Says = report.Optional(decay.Until(target/usage)), decay.after(target/usage)
	default:
		t.Says = "never"
	}
	return t
}

// PrintTargets prints them, from the level below the root on, with the decay that they are of.
func PrintTargets(to *report.Printer, list []Target, decay Decay) error {
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
	_, err := fmt.Fprintf(to, "  (%s: if it ran nothing, and the others ran as much as decays of theirs)\n", decay)
	return err
}
