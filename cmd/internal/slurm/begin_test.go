package slurm_test

import (
	"testing"
	"time"

	"fairshare/cmd/internal/slurm"
)

// Who has a job wait for a time is told by how often it was queued again, and by whether that time is the one that Slurm gives then.
func TestHeldUntil(t *testing.T) {
	const either = "held until a time that its user gave (--begin), or Slurm, if it was requeued"
	submitted := time.Date(2026, 9, 14, 13, 4, 4, 0, time.UTC)
	for _, of := range []struct {
		name   string
		job    slurm.ListedJob
		after  time.Duration // the submission
		expire int64
		want   string
	}{
		{"its user", slurm.ListedJob{TellsRestarts: true}, time.Hour, 7200, ""},
		{"Slurm", slurm.ListedJob{TellsRestarts: true, Restarts: 1}, 7201 * time.Second, 7200, "held until 15:04: it was requeued at 13:04, and Slurm lets it start from then"},
		{"Slurm, by the usual time", slurm.ListedJob{TellsRestarts: true, Restarts: 2}, 121 * time.Second, 0, "held until 13:06: it was requeued at 13:04, and Slurm lets it start from then"},
		{"Slurm, on the next day", slurm.ListedJob{TellsRestarts: true, Restarts: 1}, 86401 * time.Second, 86400, "held until 2026-09-15 13:04: it was requeued at 2026-09-14 13:04, and Slurm lets it start from then"},
		{"one of both, after it was requeued", slurm.ListedJob{TellsRestarts: true, Restarts: 1}, time.Hour, 0, either},
		{"one of both, of squeue", slurm.ListedJob{}, 121 * time.Second, 0, either},
	} {
		of.job.Submitted, of.job.Eligible = submitted, submitted.Add(of.after)
		if got := of.job.HeldUntil(of.expire); got != of.want {
			t.Errorf("%s: %q, want %q", of.name, got, of.want)
		}
	}
}

// That as many tasks of an array run as it allows is what the list refutes that has fewer, if it has jobs that run at all.
func TestRefute(t *testing.T) {
	running := func(id string) slurm.ListedJob { return slurm.ListedJob{Job: slurm.Job{ID: id, State: "RUNNING"}} }
	waiting := slurm.ListedJob{Job: slurm.Job{ID: "265", Array: "265", Indices: "13-20%2", State: "PENDING", Reason: "JobArrayTaskLimit"}}
	for want, others := range map[string][]slurm.ListedJob{
		"": nil,
		"no task of its array runs: the reason is from before, and the next pass of Slurm looks at it anew":                              {running("7")},
		"its array allows 2 tasks at a time, and has 1 that run: the reason is from before, and the next pass of Slurm looks at it anew": {running("265_12")},
	} {
		if got := slurm.RunningTasksOf(append(others, waiting)).Refute(&waiting); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := slurm.RunningTasksOf([]slurm.ListedJob{running("265_11"), running("265_12"), waiting}).Refute(&waiting); got != "" {
		t.Error(got)
	}
}
