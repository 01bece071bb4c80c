package sched_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/set"
	"fairshare/cmd/internal/workshop"
)

// TestEverySettingChangesStarts: a change of each kind leads to other starts, and leaves the site that
// it was made of as it was.
func TestEverySettingChangesStarts(t *testing.T) {
	workshop.Long(t)
	setup, record := open(t, "S3a")
	starts := func(s *sched.Setup) []int64 {
		result, err := sched.Run(context.Background(), s, record.Work(), sched.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var list []int64
		for _, j := range result.Jobs {
			list = append(list, j.Start)
		}
		return list
	}
	differ := func(a, b []int64) int {
		n := 0
		for i := range a {
			if a[i] != b[i] {
				n++
			}
		}
		return n
	}
	before := starts(setup)
	for _, x := range [][2]string{
		{"PriorityWeightAge", "50000"}, {"PriorityWeightFairshare", "0"}, {"PriorityWeightQOS", "0"}, {"PriorityWeightJobSize", "90000"}, {"PriorityWeightPartition", "90000"},
		{"PriorityMaxAge", "0:10:0"}, {"PriorityDecayHalfLife", "0:10:0"}, {"PriorityCalcPeriod", "60"}, {"SchedulerType", "sched/builtin"},
		{"bf_interval", "600"}, {"bf_resolution", "3600"}, {"bf_window", "30"}, {"bf_max_job_user", "1"}, {"bf_max_job_test", "2"}, {"bf_max_job_start", "1"}, {"bf_max_job_part", "2"}, {"bf_max_job_assoc", "1"}, {"bf_max_job_user_part", "1"}, {"partition_job_depth", "1"}, {"bf_min_prio_reserve", "100000"}, {"bf_min_age_reserve", "7200"}, {"qos.normal.MinPrioThres", "100000"}, {"sched_interval", "1000"}, {"default_queue_depth", "1"},
		{"partition.main.tier", "20"}, {"partition.gpu.factor", "1000"}, {"qos.low.priority", "5000"}, {"qos.normal.UsageFactor", "9"}, {"qos.normal.MaxJobsPU", "2"}, {"qos.normal.GrpJobs", "5"},
		{"qos.normal.MaxTRESPU", "cpu=32"}, {"qos.low.GrpTRES", "cpu=16"}, {"qos.normal.MaxTRES", "cpu=8"}, {"qos.normal.MaxWall", "1:0:0"}, {"qos.normal.GrpWall", "20:0:0"}, {"qos.normal.MaxJobsPA", "2"}, {"qos.normal.MaxTRESPA", "cpu=32"}, {"qos.normal.MaxTRESPerNode", "cpu=8"}, {"qos.normal.MinTRES", "cpu=2"},
		{"qos.normal.MaxTRESMins", "cpu=3000"}, {"qos.normal.GrpTRESMins", "cpu=20000"}, {"qos.normal.GrpTRESRunMins", "cpu=9000"}, {"chem.shares", "1000"}, {"hep/bob.shares", "parent"}, {"dora.shares", "900"},
	} {
		changed, _, err := set.ChangeSetup(setup, []string{x[0] + "=" + x[1]})
		if err != nil {
			t.Errorf("%s=%s: %v", x[0], x[1], err)
			continue
		}
		if n := differ(before, starts(changed)); n == 0 {
			t.Errorf("%s=%s changes no start", x[0], x[1])
		}
	}
	if n := differ(before, starts(setup)); n > 0 {
		t.Errorf("after all changes of copies, %d jobs of the site itself start at other times", n)
	}
	for _, x := range [][2]string{{"bf_windows", "1"}, {"bf_window", "x"}, {"qos.none.priority", "1"}, {"partition.none.tier", "1"}, {"none.shares", "1"}, {"alice.shares", "1"}, {"PriorityFlags", "x"}, {"SchedulerType", "sched/wiki"}, {"qos.normal.MaxTRESPU", "fs/disk=3"}, {"ncpus", "1"}} {
		if _, _, err := set.ChangeSetup(setup, []string{x[0] + "=" + x[1]}); err == nil {
			t.Errorf("%s=%s is no setting, and is not refused", x[0], x[1])
		}
	}
}

// What one job may use until its time limit keeps those that ask for more from starting for ever.
func TestMinutesOfOneJob(t *testing.T) {
	const minutes = 4000
	setup, record := open(t, "S3a")
	cpus := func(n int64) sched.Amounts {
		limit := slices.Clone(sched.Unlimited(len(setup.GRES)).AllTRES)
		limit[setup.AmountOf("cpu")] = n
		return limit
	}
	for _, c := range []struct {
		reason string
		limit  func(l *sched.Limits)
		isOver func(j *sched.Job) bool
	}{
		{"MaxCpuMinutesPerJobLimit", func(l *sched.Limits) { l.JobMinutes = cpus(minutes) }, func(j *sched.Job) bool { return int64(j.Request.CPUs)*(j.Limit/60) > minutes }},
	} {
		for _, of := range []string{"QOS", "Assoc"} {
			changed := setup.Clone()
			for i := range changed.QOS {
				if of == "QOS" {
					c.limit(&changed.QOS[i].Limits)
				}
			}
			for i := range changed.Accounts {
				if of == "Assoc" {
					c.limit(&changed.Accounts[i].Limits)
				}
			}
			result, err := sched.Run(context.Background(), changed, record.Work(), sched.Options{Why: true})
			if err != nil {
				t.Fatal(err)
			}
			over := 0
			for _, j := range result.Jobs {
				if c.isOver(j) {
					over++
				}
				if c.isOver(j) && j.Start > 0 {
					t.Errorf("%s%s: job %d starts, with %+v for %d s", of, c.reason, j.ID, *j.Request, j.Limit)
				}
			}
			isSaid := slices.ContainsFunc(result.Causes, func(x sched.Cause) bool { return strings.HasPrefix(x.Reason, of+c.reason) })
			if over == 0 || over == len(result.Jobs) || !isSaid {
				t.Errorf("%s%s: %d of %d jobs ask for more, causes are %v", of, c.reason, over, len(result.Jobs), result.Causes)
			}
		}
	}
}
