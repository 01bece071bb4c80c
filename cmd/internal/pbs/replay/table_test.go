package replay

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"fairshare/cmd/internal/report"
)

// The table of docs/evidence/replay.md has what the recorded runs come to.
func TestTableOfFidelity(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/evidence/replay.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"P1x", "P2", "P3", "P4", "P4b", "P5", "P6", "P6r", "L1", "Q1", "Q3y", "Q4y", "V1", "V2", "V3", "V4", "V4m", "V5", "V6", "R1", "R3", "R9", "R5", "R6", "R14"} {
		r := openRun(t, name)
		result := r.replay(t)
		trust := result.Trust()
		row := fmt.Sprintf("| %s | %d | %d | %.0f s | %.2f %% | %s | %s | %.1f h |", name, trust.Jobs, trust.Equal, trust.Mean, 100*trust.Inverted,
			report.Duration(trust.MeanWait[0]), report.Duration(trust.MeanWait[1]), fork(r.starts, r.startsOf(result), 60))
		if !strings.Contains(string(page), row+"\n") {
			t.Errorf("docs/evidence/replay.md lacks the row\n%s", row)
		}
	}
}
