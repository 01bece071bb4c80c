package record

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// Of each run usage has what it was billed, times the UsageFactor of its QOS and what has not decayed, in its association and all above it: for
// two runs that were computed by hand, of which one goes on, and not for one that stands there twice, one after the moment, and one of a factor of 0.
func TestUsageOfRuns(t *testing.T) {
	d, err := dump.Open("../../../../testdata/slurm-now/24.11-evening.tgz")
	if err != nil {
		t.Fatal(err)
	}
	past, _, err := setup.Past(d)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 9, 14, 14, 0, 0, 0, time.UTC).Unix()
	const text = `JobID|User|Account|Partition|QOS|Submit|Start|End|Timelimit|ReqCPUS|ReqTRES|AllocTRES|State
1|ada|hep|batch|high|2026-09-14T07:00:00|2026-09-14T08:00:00|2026-09-14T09:00:00|1:00:00|4|cpu=4|billing=5,cpu=4|COMPLETED
2|ada|hep|batch|low|2026-09-14T07:00:00|2026-09-14T13:00:00|Unknown|2:00:00|4|cpu=4|billing=10,cpu=4|RUNNING
2|ada|hep|batch|low|2026-09-14T07:00:00|2026-09-14T13:00:00|Unknown|2:00:00|4|cpu=4|billing=10,cpu=4|RUNNING
3|ada|hep|batch|low|2026-09-14T07:00:00|2026-09-14T14:30:00|Unknown|2:00:00|4|cpu=4|billing=10,cpu=4|RUNNING
4|ada|hep|batch|scavenger|2026-09-14T07:00:00|2026-09-14T13:00:00|Unknown|2:00:00|4|cpu=4|billing=10,cpu=4|RUNNING
`
	table := filepath.Join(t.TempDir(), "table")
	if err := os.WriteFile(table, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	used, remarks, err := Usage(past.Setup, []file.Source{file.At(table)}, at, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	const want = 30723.0204 + 16808.8447 // 5 * 2 a second for an hour, 10 * 0.5 from 13:00 to the last sweep at 13:56:52: added up sweep by sweep, as half remains after a day
	for _, name := range []sched.AccountName{{Account: "hep", User: "ada"}, {Account: "hep"}, {Account: "root"}} {
		if got := used[name]; math.Abs(got-want) > 0.01 {
			t.Errorf("%v: %v, want %v", name, got, want)
		}
	}
	said := ""
	for _, r := range remarks {
		said += r.Text + "\n"
	}
	if !strings.Contains(said, "REBUILT has nothing of before 2026-09-14 08:00:00") {
		t.Error(said)
	}
}
