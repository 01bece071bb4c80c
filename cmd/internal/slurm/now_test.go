package slurm

import (
	"strings"
	"testing"
	"time"
)

// A job of which a field says what Slurm never does is left out, and the message says which it is and where.
func TestParseNow(t *testing.T) {
	const job = "JobId=7 JobName=a\n   UserId=ann(2) GroupId=g(2)\n   JobState=RUNNING Reason=None\n   TimeLimit=01:00:00\n   Priority=5\n   SubmitTime=2026-03-02T10:00:00\n   StartTime=2026-03-02T10:00:00\n   Partition=main\n   NumNodes=2-4 NumCPUs=16 NumTasks=N/A CPUs/Task=1\n   TRES=cpu=16\n"
	jobs, problems, err := ParseNow(job, time.UTC)
	if err != nil || len(problems) > 0 || len(jobs) != 1 || jobs[0].CPUs != 16 || jobs[0].MinNodes != 2 || jobs[0].MaxNodes != 4 {
		t.Fatal(jobs, problems, err)
	}
	for _, test := range []struct{ was, is, want string }{
		{"JobState=RUNNING", "JobState=WHAT", `line 1: JobState "WHAT" of job 7 is none that Slurm has`},
		{"JobState=RUNNING ", "", "line 1: job 7 has no JobState, which Slurm prints of every job"},
		{"NumCPUs=16", "NumCPUs=-3", `line 1: job 7: NumCPUs "-3" is no number that a job has`},
		{"NumCPUs=16", "NumCPUs=99999999999999", `NumCPUs "99999999999999" is no number that a job has`},
		{"NumNodes=2-4", "NumNodes=-7", `NumNodes "-7" is no number that a job has`},
		{"NumTasks=N/A", "NumTasks=4x", `NumTasks "4x" is no number that a job has`},
		{"StartTime=2026", "StartTime=26", `StartTime "26-03-02T10:00:00" is not a time`},
	} {
		jobs, problems, err := ParseNow(strings.Replace(job, test.was, test.is, 1), time.UTC)
		if err != nil || len(jobs) != 0 || len(problems) != 1 || !strings.Contains(problems[0].Error(), test.want) {
			t.Errorf("%s: %v, %v, %v; want %s", test.is, jobs, problems, err, test.want)
		}
	}
}
