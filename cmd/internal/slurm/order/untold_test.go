package order

import (
	"math"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/dump"
)

// Where neither sprio nor a table tells fairshare and QOS, they are no terms of 0: what is left of Slurm's priority stands for them.
func TestUntold(t *testing.T) {
	text, err := dump.Open("../../../../testdata/slurm-now/24.11-busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	d := text.Empty()
	for _, name := range []string{"scontrol-show-job.txt", "scontrol-show-node.txt", "scontrol-show-partition.txt", "scontrol-show-config.txt"} {
		d.Set(name, text.Text(name))
	}
	s, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	seen, rows := 0, s.Rows()
	for _, r := range rows {
		if r.Rank == 0 || len(r.Job.Partitions) > 1 {
			continue
		}
		e, sum, hasRest := s.Explain(rows, r), 0., false
		for _, term := range e.Parts {
			sum += float64(term.Points)
			hasRest = hasRest || strings.HasPrefix(term.Name, "fairshare, QOS") && strings.HasSuffix(term.Name, "(the rest of Slurm's Priority)")
			if term.Name == "fairshare" || term.Name == "QOS" {
				t.Errorf("job %s has a term %s of %v", e.ID, term.Name, term.Points)
			}
		}
		if seen++; !hasRest || math.Abs(sum-r.Value) > 1e-6 || e.Computed != nil || e.Difference != "" || e.Terms["fairshare"] != nil {
			t.Errorf("job %s: %+v", e.ID, e)
		}
	}
	if seen < 10 {
		t.Errorf("only %d jobs", seen)
	}
}
