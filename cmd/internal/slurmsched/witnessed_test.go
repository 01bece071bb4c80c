package slurmsched_test

import (
	"os"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurmsched"
	"fairshare/cmd/internal/slurmsite"
)

// TestWitnessed compares each main pass and each backfill cycle of recorded runs with what an engine decides in the
// state in which slurmctld was.
func TestWitnessed(t *testing.T) {
	for _, name := range []string{"S4a", "S5a", "S6a"} {
		t.Run(name, func(t *testing.T) {
			folder := os.Getenv("WITNESS") + "/" + name + "/"
			past, _, err := slurmsite.OpenPast(folder + "site.tgz")
			if err != nil {
				t.Fatal(err)
			}
			record, err := slurmsite.ReadRecord(past.Setup, file.At(folder+"sacct.txt.gz"), time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := past.ReadWorld(nil, record, time.UTC); err != nil {
				t.Fatal(err)
			}
			for _, r := range record.Remarks {
				t.Log(r)
			}
			text, err := file.ReadText(folder+"decisions.txt.gz", 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			w := slurmsched.Witness{Setup: past.Setup, Jobs: map[string]*slurmsched.Job{}, Text: text, Trace: t.Logf}
			for _, x := range record.Jobs {
				w.Jobs[x.ID] = x.Job
			}
			t.Logf("%+v", w.Verify(t))
		})
	}
}
