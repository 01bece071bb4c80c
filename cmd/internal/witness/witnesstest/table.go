// Package witnesstest makes the tables of docs/evidence/witness.md, which say what the witness of a scheduler notices of rules
// that are taken away.
package witnesstest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"fairshare/cmd/internal/witness"
	"fairshare/cmd/internal/workshop"
)

// Judged is a record with its judgement.
type Judged struct {
	*witness.Judgement
	findings map[start][4]witness.Finding // by side
}

// start names a start of a record, or a job that waits until its end.
type start struct {
	job string
	at  int64
}

// Judge judges a record.
func Judge(tb testing.TB, r witness.Record) *Judged {
	tb.Helper()
	j := &Judged{findings: map[start][4]witness.Finding{}}
	var err error
	if j.Judgement, err = witness.Judge(context.Background(), noted{r, j}); err != nil {
		tb.Fatal(err)
	}
	return j
}

// noted is a record whose findings are noted.
type noted struct {
	witness.Record
	in *Judged
}

// Starts implements witness.Record.
func (r noted) Starts(ctx context.Context, yield func(*witness.Start)) error {
	return r.Record.Starts(ctx, func(s *witness.Start) {
		var findings [4]witness.Finding
		for side := range findings {
			findings[side] = s.Verdict(witness.Side(side)).Finding
		}
		r.in.findings[start{s.Job, s.At}] = findings
		yield(s)
	})
}

// Otherwise returns how many starts another judgement of the same record judges otherwise, or jobs that wait until its end.
func (j *Judged) Otherwise(other *Judged) (n int) {
	for s, findings := range j.findings {
		if findings != other.findings[s] {
			n++
		}
	}
	for s := range other.findings {
		if _, isKnown := j.findings[s]; !isKnown {
			n++
		}
	}
	return n
}

// Differing returns the jobs of a record at whose last starts the rules would have started others, or not these.
func Differing(tb testing.TB, r witness.Record) map[string]bool {
	tb.Helper()
	differs := map[string]bool{}
	err := r.Starts(context.Background(), func(s *witness.Start) {
		differs[s.Job] = s.At != 0 && (s.May.Finding == witness.Differs || s.Others)
	})
	if err != nil {
		tb.Fatal(err)
	}
	return differs
}

// Few is how many starts at least have to be judged otherwise without a rule for its lack to be seen, and Unseen what the table
// says where they are not.
const (
	Few    = 2
	Unseen = "*nothing to notice*"
)

// Table is what is noticed with one scheduler.
type Table struct {
	scheduler string
	text      strings.Builder
}

// NewTable returns the table of a scheduler, without rows.
func NewTable(scheduler string) *Table {
	t := &Table{scheduler: scheduler}
	t.text.WriteString("| rule that is taken away | record | judged otherwise | may | where | who | the first group |\n|---|---|---:|---|---|---|---|\n")
	return t
}

// First returns what a judgement says of its first group, in one sentence with its side; "" where it has none.
func First(j *Judged) string {
	if len(j.Causes) == 0 {
		return ""
	}
	c := &j.Causes[0]
	return c.Side.String() + ": " + c.Sentence(j.Facts) + ": " + c.Question(j.Facts)
}

// Add adds the row of a rule that was taken from the site of a record, with what is said of the first group. whole is the
// judgement by the whole site.
func (t *Table) Add(rule, record string, j, whole *Judged, first string) {
	fmt.Fprintf(&t.text, "| %s | %s | %d |", rule, record, j.Otherwise(whole))
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
