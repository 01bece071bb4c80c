package obfuscate

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/trace"
)

// A copy keeps what memory jobs used, which the rows of their steps tell, and no name of a step.
func TestMemoryKept(t *testing.T) {
	const text = "JobID|JobName|User|Account|Partition|State|Submit|Start|End|AllocCPUS|MaxRSS|TRESUsageInTot\n" +
		"7|train|bob|hep|main|COMPLETED|2026-03-02T09:00:00|2026-03-02T09:10:00|2026-03-02T09:20:00|4||\n" +
		"7.batch|secret||hep||COMPLETED|2026-03-02T09:10:00|2026-03-02T09:10:00|2026-03-02T09:20:00|4|7168K|\n" +
		"7.extern|secret||hep||COMPLETED|2026-03-02T09:10:00|2026-03-02T09:10:00|2026-03-02T09:20:00|4||\n" +
		"8_3|train|bob|hep|main|COMPLETED|2026-03-02T09:00:00|2026-03-02T09:10:00|2026-03-02T09:20:00|4||\n" +
		"8_3.0|secret||hep||COMPLETED|2026-03-02T09:10:00|2026-03-02T09:10:00|2026-03-02T09:20:00|4|1K|cpu=00:00:04,mem=9216K\n"
	used := func(text string) (amounts []float64) {
		from := file.Source{Name: "sacct", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
		done := func(tr *trace.Trace, _ *trace.Job, number int) { amounts = append(amounts, tr.UseOf(number)...) }
		if _, err := trace.Read([]file.Source{from}, time.UTC, trace.Keep{Used: []string{"mem"}, Done: done}, sacct.Format()); err != nil {
			t.Fatal(err)
		}
		slices.Sort(amounts)
		return amounts
	}
	copied := newHider(obfuscate.Shift{}).accounting(text)
	want := []float64{7168, 9216}
	if got := used(text); !slices.Equal(got, want) {
		t.Fatalf("%v is used", got)
	}
	if got := used(copied); !slices.Equal(got, want) || strings.Contains(copied, "secret") || strings.Contains(copied, "extern") {
		t.Errorf("%v is used, as a copy says:\n%s", got, copied)
	}

	const step = `{"step": {"id": "7.batch", "name": "secret"}, "tres": {"requested": {"max": [{"type": "cpu", "count": 4000}, {"type": "mem", "name": "", "count": 7340032}], "total": [%s]}, "consumed": {"max": [{"type": "mem", "count": 1}]}}}`
	job := func(id int, steps ...string) string {
		return fmt.Sprintf(`{"job_id": %d, "allocation_nodes": 1, "name": "train", "user": "bob", "account": "hep", "partition": "main", "state": {"current": ["COMPLETED"]}, "required": {"CPUs": 4}, "time": {"submission": 1772442000, "eligible": 1772442000, "start": 1772442600, "end": 1772443200, "elapsed": 600}, "steps": [%s]}`,
			id, strings.Join(steps, ", "))
	}
	asJSON := `{"jobs": [` + job(7, fmt.Sprintf(step, "")) + `, ` + job(8, fmt.Sprintf(step, ""), fmt.Sprintf(step, `{"type": "mem", "name": "", "count": 9437184}`)) + `]}`
	if got := used(asJSON); !slices.Equal(got, want) {
		t.Errorf("%v is used, as JSON says", got)
	}
	copied = newHider(obfuscate.Shift{}).accountingOfJSON(asJSON)
	if got := used(copied); !slices.Equal(got, want) || strings.Contains(copied, "secret") {
		t.Errorf("%v is used, as a copy of JSON says:\n%s", got, copied)
	}
}
