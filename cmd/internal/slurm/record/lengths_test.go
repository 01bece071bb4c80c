package record

import (
	"math"
	"testing"

	"fairshare/cmd/internal/slurm/sched"
)

// Jobs that are not over run for the part of their time limit that those used on average that used more than they have.
func TestLengths(t *testing.T) {
	const now = 1000
	job := func(start, end, limit int64, noLimit bool) *Job {
		x := &Job{Job: &sched.Job{Limit: limit, NoLimit: noLimit}, Start: start, End: end}
		if end > 0 {
			x.Run = end - start
		}
		return x
	}
	over := []*Job{job(100, 120, 100, false), job(100, 180, 200, false), job(100, 160, 100, false), job(100, 110, 1000, true)}
	for _, c := range []struct {
		x    *Job
		runs int64
	}{
		{job(0, 0, 100, false), 40},
		{job(0, 0, 1000, false), 400},
		{job(0, 0, 1000, true), 10},
		{job(now-30, 0, 100, false), 50},  // 40 and 60 % used more than 30
		{job(now-70, 0, 100, false), 100}, // none did
		{job(now-250, 0, 100, false), 251},
		{job(now-40, 0, 100, false), 60},
	} {
		r := &Record{Jobs: append(over, c.x), Last: now}
		if part := r.assume(); math.Abs(part-.4) > 1e-9 || c.x.Run != c.runs {
			t.Errorf("limit %d, started %d, %.2f: it runs for %d s, want %d", c.x.Limit, c.x.Start, part, c.x.Run, c.runs)
		}
	}
	if x := job(0, 0, 100, false); (&Record{Jobs: []*Job{x}}).assume() != 1 || x.Run != 100 {
		t.Errorf("without others it runs for %d s", x.Run)
	}
}
