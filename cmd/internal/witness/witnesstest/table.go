// Package witnesstest makes the tables of docs/evidence/witness.md, which say what the witness of a scheduler notices of rules
// that are taken away.
package witnesstest

import (
	"fmt"
	"strings"
	"testing"

	"fairshare/cmd/internal/witness"
	"fairshare/cmd/internal/workshop"
)

// Table is what is noticed with one scheduler.
type Table struct {
	scheduler string
	text      strings.Builder
}

// NewTable returns the table of a scheduler, without rows.
func NewTable(scheduler string) *Table {
	t := &Table{scheduler: scheduler}
	t.text.WriteString("| rule that is taken away | record | may | where | who | the first group |\n|---|---|---|---|---|---|\n")
	return t
}

// First returns what a judgement says of its first group, in one sentence with its side; "" where it has none.
func First(j *witness.Judgement) string {
	if len(j.Causes) == 0 {
		return ""
	}
	c := &j.Causes[0]
	return c.Side.String() + ": " + c.Sentence(j.Facts) + ": " + c.Question(j.Facts)
}

// Add adds the row of a rule that was taken from the site of a record, with what is said of the first group.
func (t *Table) Add(rule, record string, j *witness.Judgement, first string) {
	fmt.Fprintf(&t.text, "| %s | %s |", rule, record)
	for _, side := range []witness.Side{witness.May, witness.Where, witness.Who} {
		fmt.Fprintf(&t.text, " %.1f%% |", 100*j.Counts.Sides[side].Share())
	}
	fmt.Fprintf(&t.text, " %s |\n", first)
}

// Hold compares the table with that of the page, or writes it there.
func (t *Table) Hold(tb testing.TB, writes bool) {
	tb.Helper()
	workshop.HoldTable(tb, "evidence/witness.md", t.scheduler, t.text.String(), writes)
}
