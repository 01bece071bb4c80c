package conformance

import (
	"path/filepath"
	"strings"
	"testing"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/slurm/sched"
)

// Whatever when says that a Slurm job waits for of other jobs, explain says as well: also what it does not forecast.
func TestExplainNamesDependencies(t *testing.T) {
	t.Parallel()
	forecast, held := 0, 0
	for _, name := range []string{"23.11-morning", "24.11-busy", "25.05-evening"} {
		site := filepath.Join(testdata, "slurm-now", name+".tgz")
		for _, row := range ofCSV(t, answered(t, "when", site, "--runs", "1", "--tz", "UTC", "-o", "csv")).rows {
			jobs, isHeld := strings.CutPrefix(row["reason"], outcome.HeldForJobs+": ")
			if !isHeld {
				var isForecast bool
				if jobs, isForecast = strings.CutPrefix(row["reason"], sched.WaitsForJobs+" "); !isForecast {
					continue
				}
			}
			if isHeld {
				held++
			} else {
				forecast++
			}
			if said := answered(t, "explain", row["job"], site); !strings.Contains(said, jobs) {
				t.Errorf("%s: when says that job %s waits for %s, and explain %q", name, row["job"], jobs, said)
			}
		}
	}
	if forecast < 2 || held < 3 {
		t.Errorf("only %d jobs wait for what is forecast, and %d for what is not", forecast, held)
	}
}
