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
		{"StartTime=", "EndTime=soon StartTime=", `EndTime "soon" is not a time`},
		{"StartTime=", "SecsPreSuspend=ten StartTime=", `SecsPreSuspend "ten" is no number of seconds`},
	} {
		jobs, problems, err := ParseNow(strings.Replace(job, test.was, test.is, 1), time.UTC)
		if err != nil || len(jobs) != 0 || len(problems) != 1 || !strings.Contains(problems[0].Error(), test.want) {
			t.Errorf("%s: %v, %v, %v; want %s", test.is, jobs, problems, err, test.want)
		}
	}
}

// Since when a job has run, and for how long it may in all: it started at 10:00 for an hour, and it is 10:40.
func TestRuns(t *testing.T) {
	const at, hour, year = 1772448000, 3600, 365 * 24 * 3600 // 10:40
	for _, test := range []struct {
		name, fields  string
		limit         int64
		since, length int64 // before at, and in all
	}{
		{"nothing tells its end", "", hour, 2400, hour},
		{"its end is that of its limit", "EndTime=2026-03-02T11:00:00 SuspendTime=None SecsPreSuspend=0", hour, 2400, hour},
		{"it was suspended for half an hour", "EndTime=2026-03-02T11:30:00 SuspendTime=2026-03-02T10:35:00 SecsPreSuspend=300", hour, 600, hour},
		{"or its nodes were booted in ten minutes", "EndTime=2026-03-02T11:10:00 SuspendTime=None SecsPreSuspend=0", hour, 1800, hour},
		{"it is in its grace time", "EndTime=2026-03-02T10:42:00 PreemptTime=2026-03-02T10:37:00", hour, 2400, 2520},
		{"it may run on for ever, and was suspended", "EndTime=Unknown SuspendTime=2026-03-02T10:35:00 SecsPreSuspend=300", year, 600, year},
		{"and was not", "EndTime=Unknown SuspendTime=None SecsPreSuspend=0", year, 2400, year},
		{"it is suspended", "EndTime=2026-03-02T11:00:00 SuspendTime=2026-03-02T10:05:00 SecsPreSuspend=300 JobState=SUSPENDED", hour, 300, hour},
		{"its end is of another time", "EndTime=2026-03-09T11:00:00", hour, 0, hour},
	} {
		state := "JobState=RUNNING"
		if strings.HasSuffix(test.fields, "SUSPENDED") {
			state = ""
		}
		text := "JobId=7 JobName=a\n   UserId=ann(2)\n   " + test.fields + "\n   " + state + " TimeLimit=01:00:00 Priority=5 SubmitTime=2026-03-02T10:00:00\n   StartTime=2026-03-02T10:00:00 Partition=main NumNodes=1 NumCPUs=1\n   TRES=cpu=1\n"
		jobs, problems, err := ParseNow(text, time.UTC)
		if err != nil || len(problems) > 0 || len(jobs) != 1 {
			t.Fatal(test.name, problems, err)
		}
		if since, length := jobs[0].Runs(at, test.limit); at-since != test.since || length != test.length {
			t.Errorf("%s: it has run for %d seconds of %d; want %d of %d", test.name, at-since, length, test.since, test.length)
		}
	}
}
