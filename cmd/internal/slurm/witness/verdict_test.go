package witness

import (
	"os"
	"slices"
	"testing"

	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/witness/witnesstest"
	"fairshare/cmd/internal/workshop"
)

// As TestVerdict of PBS. Of S6a sacctmgr was not asked for a limit of age, and what K2a's scheduler suspended for others by turns is not modelled.
func TestVerdict(t *testing.T) {
	entries, err := os.ReadDir(recordings)
	if err != nil {
		t.Fatal(err)
	}
	var runs []string
	for _, e := range entries {
		runs = append(runs, e.Name())
	}
	table := witnesstest.NewVerdicts("Slurm")
	isAll := workshop.TestsAll() || *update
	for i, x := range []struct {
		rules  string
		change func(s *sched.Setup) bool // whether it changes anything
	}{
		{"as they are", func(*sched.Setup) bool { return true }},
		{"`PriorityType=priority/basic`", func(s *sched.Setup) bool { s.Conf.Basic = true; return true }},
		{"`PriorityWeightFairshare` 0", func(s *sched.Setup) bool { s.Conf.Weights.Fairshare = 0; return true }},
		{"`PriorityWeightFairshare` times ten", func(s *sched.Setup) bool { s.Conf.Weights.Fairshare *= 10; return true }},
		{"`PriorityWeightAge` 0", func(s *sched.Setup) bool { s.Conf.Weights.Age = 0; return true }},
		{"`PriorityWeightAge` times a hundred", func(s *sched.Setup) bool { s.Conf.Weights.Age *= 100; return true }},
		{"`PriorityWeightJobSize` times a hundred", func(s *sched.Setup) bool { s.Conf.Weights.JobSize *= 100; return true }},
		{"`PriorityWeightQOS` 0", func(s *sched.Setup) bool { s.Conf.Weights.QOS = 0; return true }},
		{"`PriorityWeightQOS` times ten", func(s *sched.Setup) bool { s.Conf.Weights.QOS *= 10; return true }},
		{"`PriorityWeightPartition` 0", func(s *sched.Setup) bool { s.Conf.Weights.Partition = 0; return true }},
		{"`PriorityDecayHalfLife` an hour", func(s *sched.Setup) bool { s.Conf.HalfLife = 3600; return true }},
		{"shares times ten of every third association", func(s *sched.Setup) bool {
			for i := range s.Tree {
				if i%3 == 1 {
					s.Tree[i].Shares *= 10
				}
			}
			return true
		}},
		{"`sched/builtin`", func(s *sched.Setup) bool { is := s.Backfill != nil; s.Backfill = nil; return is }},
		{"`bf_max_job_test` 3", func(s *sched.Setup) bool {
			if s.Backfill != nil {
				s.Backfill.MaxTest = 3
			}
			return s.Backfill != nil
		}},
	} {
		if !isAll && i > 0 {
			return
		}
		row := table.Judge(x.rules, runs, func(run string) *witnesstest.Judged {
			changes := false
			j := judge(t, run, ofSite(func(s *sched.Setup) { changes = x.change(s) }))
			if !changes {
				return nil
			}
			return j
		})
		if i == 0 && !slices.Equal(row.Disagrees, []string{"K2a", "S6a"}) {
			t.Errorf("wrong are said to be the rules of %v", row.Disagrees)
		}
	}
	table.Hold(t, *update)
}
