package record

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// FuzzRecord replays any table of sacct on a recorded site, and makes sure that it is read or refused,
// and that what is read can be run.
func FuzzRecord(f *testing.F) {
	const header = "JobID|User|Account|Partition|QOS|Submit|Eligible|Start|End|Timelimit|ReqCPUS|ReqTRES|SubmitLine|Constraints\n"
	f.Add(header + "1|bob|hep|main|normal|2026-03-02T09:00:00|2026-03-02T09:00:00|2026-03-02T09:00:01|2026-03-02T10:00:00|02:00:00|16|cpu=16,mem=32000M,node=1|sbatch -N1 -n16 x|\n")
	f.Add(header + "2|bob|hep|gpu|high|2026-03-02T09:00:00||Unknown|2026-03-02T08:00:00|UNLIMITED|-1|cpu=1e300,node=0,gres/gpu=1e99||a&b\n3|x\n")
	f.Fuzz(func(t *testing.T, text string) {
		setup, _, err := setup.Open("../../../../testdata/slurm-replay/S3a/site.tgz")
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "sacct.txt")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		record, err := Read(setup, []file.Source{file.At(name)}, time.UTC)
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		_, _ = sched.Run(ctx, setup, record.Work(), sched.Options{Swept: record.Swept})
	})
}
