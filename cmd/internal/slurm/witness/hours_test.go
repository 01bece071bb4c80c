package witness

import (
	"context"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/witness"
)

// The hours of a start are those that are recorded, however long a job that had not ended is assumed to go on: wherever a record
// is cut, they are no more than its CPUs had until then, and of no job more than in the whole record.
func TestHours(t *testing.T) {
	const hour = 3600
	for _, run := range []string{"S3a", "S5a"} {
		past, _, err := setup.OpenPast(recordings + run + "/site.tgz")
		if err != nil {
			t.Fatal(err)
		}
		whole, err := record.Read(past.Setup, []file.Source{file.At(recordings + run + "/sacct.txt.gz")}, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		type start struct {
			job string
			at  int64
		}
		hours := func(of *record.Record) map[start]*witness.Start {
			starts := map[start]*witness.Start{}
			if err := New(past.Setup, of, time.UTC).Starts(context.Background(), func(s *witness.Start) {
				if s.At != 0 {
					kept := *s
					starts[start{s.Job, s.At}] = &kept
				}
			}); err != nil {
				t.Fatal(err)
			}
			return starts
		}
		first := whole.Last
		for _, x := range whole.Jobs {
			first = min(first, x.Submit)
		}
		cut, all := first+(whole.Last-first)/2, hours(whole)
		running := 0
		for of, s := range hours(whole.UpTo(cut)) {
			if s.End == 0 {
				running++
			}
			if most := float64(s.CPUs*(cut-s.At)) / hour; s.Hours > most || s.Hours > all[of].Hours || s.End > cut {
				t.Errorf("%s: job %s has %g hours until %d, of %g at most; in the whole record %g", run, s.Job, s.Hours, s.End, most, all[of].Hours)
			}
		}
		if running == 0 {
			t.Errorf("%s: no job runs in the middle of the record", run)
		}
	}
}
