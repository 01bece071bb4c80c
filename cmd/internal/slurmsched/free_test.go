package slurmsched_test

import (
	"context"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurmsched"
	"fairshare/cmd/internal/slurmsite"
)

const recordings = "../../../testdata/slurm-replay/"

// open returns a recorded site and its jobs.
func open(t *testing.T, run string) (*slurmsched.Setup, *slurmsite.Record) {
	t.Helper()
	setup, remarks, err := slurmsite.OpenScheduler(recordings + run + "/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range remarks {
		t.Log(r)
	}
	record, err := slurmsite.ReadRecord(setup, file.At(recordings+run+"/sacct.txt.gz"), time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range record.Remarks {
		t.Log(r)
	}
	return setup, record
}

// TestFree runs the recorded work freely, and compares the waits with the recorded ones.
func TestFree(t *testing.T) {
	for _, run := range []string{"S1a", "S2a", "S3a"} {
		t.Run(run, func(t *testing.T) {
			setup, record := open(t, run)
			result, err := slurmsched.Run(context.Background(), setup, record.Work(), slurmsched.Options{})
			if err != nil {
				t.Fatal(err)
			}
			type mean struct{ n, mine, observed float64 }
			by := map[string]*mean{}
			add := func(key string, mine, observed int64) {
				if by[key] == nil {
					by[key] = &mean{}
				}
				by[key].n++
				by[key].mine += float64(mine)
				by[key].observed += float64(observed)
			}
			var pairs, inverted int
			for i, j := range result.Jobs {
				x := record.Jobs[i]
				if x.Start == 0 || j.Start == 0 {
					continue
				}
				for _, key := range []string{"all", "qos " + x.QOS, "partition " + x.Partition} {
					add(key, j.Start-j.Submit, x.Start-j.Submit)
				}
				for k := range i {
					y := record.Jobs[k]
					if y.Start == 0 || result.Jobs[k].Start == 0 {
						continue
					}
					pairs++
					if (x.Start-y.Start)*(j.Start-result.Jobs[k].Start) < 0 {
						inverted++
					}
				}
			}
			t.Logf("%d passes, %d cycles, inverted pairs %.2f %%", result.Passes, result.Cycles, 100*float64(inverted)/float64(pairs))
			for key, m := range by {
				t.Logf("%-16s %3.0f jobs, mean wait %6.0f s, observed %6.0f s, %+.1f %%", key, m.n, m.mine/m.n, m.observed/m.n, 100*(m.mine/m.observed-1))
			}
		})
	}
}
