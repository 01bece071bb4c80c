package witnesstest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"fairshare/cmd/internal/witness"
	"fairshare/cmd/internal/workshop"
)

// Verdicts is the table of what records say of the rules that their sites have, and of others.
type Verdicts struct {
	scheduler string
	text      strings.Builder
	whole     map[string]*Judged
	all       [5]int // of all changes: sites, starts judged otherwise, wrong, cannot tell, can rest
}

// NewVerdicts returns the table of a scheduler, without rows.
func NewVerdicts(scheduler string) *Verdicts {
	v := &Verdicts{scheduler: scheduler, whole: map[string]*Judged{}}
	v.text.WriteString("| rules | sites | judged otherwise | wrong | cannot tell | can rest |\n|---|---:|---:|---:|---|---|\n")
	return v
}

// Row is what the records of some sites say of one change of their rules.
type Row struct {
	Disagrees, Untold, Holds []string // sites at which starts are judged otherwise, or all where nothing is changed
	Same                     int      // sites whose starts are judged the same, so that no record can show the change
}

// Judge adds a row: what the records of some runs say of their rules after a change, of which judge returns nil where it changes
// nothing. The first row is to be of no change.
func (v *Verdicts) Judge(change string, runs []string, judge func(run string) *Judged) Row {
	var r Row
	isFirst := len(v.whole) == 0
	sites := 0
	for _, run := range runs {
		j := judge(run)
		if j == nil {
			continue
		}
		sites++
		if isFirst {
			v.whole[run] = j
		} else if j.Otherwise(v.whole[run]) < Few {
			r.Same++
			continue
		}
		switch j.Summary.Standing() {
		case witness.Disagrees:
			r.Disagrees = append(r.Disagrees, run)
		case witness.Holds:
			r.Holds = append(r.Holds, run)
		default:
			r.Untold = append(r.Untold, run)
		}
	}
	otherwise, wrong, holds := strconv.Itoa(sites-r.Same), strconv.Itoa(len(r.Disagrees)), named(r.Holds)
	if isFirst {
		otherwise, wrong, holds = "-", named(r.Disagrees), strconv.Itoa(len(r.Holds))
	} else {
		for i, n := range []int{sites, sites - r.Same, len(r.Disagrees), len(r.Untold), len(r.Holds)} {
			v.all[i] += n
		}
	}
	fmt.Fprintf(&v.text, "| %s | %d | %s | %s | %s | %s |\n", change, sites, otherwise, wrong, named(r.Untold), holds)
	return r
}

// named returns how many runs there are, and which.
func named(runs []string) string {
	if len(runs) == 0 {
		return "0"
	}
	return fmt.Sprintf("%d: %s", len(runs), strings.Join(runs, ", "))
}

// Hold compares the table with that of the page, or writes it there.
func (v *Verdicts) Hold(tb testing.TB, writes bool) {
	tb.Helper()
	fmt.Fprintf(&v.text, "| all changes | %d | %d | %d | %d | %d |\n", v.all[0], v.all[1], v.all[2], v.all[3], v.all[4])
	workshop.HoldTable(tb, "evidence/witness.md", v.scheduler+", verdicts", v.text.String(), writes)
}
