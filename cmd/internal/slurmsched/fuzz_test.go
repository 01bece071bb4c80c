package slurmsched

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// FuzzRequest reads any line of sbatch, and makes sure that what it asks for can be counted with.
func FuzzRequest(f *testing.F) {
	f.Add("-N2 --ntasks-per-node=16 --mem=24000 --wrap=x")
	f.Add("-c 999999999999 -n 999999999999 --gres=gpu:a100:9999999999,gpu --mem-per-cpu=1e300T -C a&b job.sh -N9")
	f.Add("--nodes=9-1 --exclusive --gres=gpu:-4 -N -n")
	f.Fuzz(func(t *testing.T, line string) {
		q := ParseRequest(SubmitOptions(strings.Fields(line)), []string{"gpu"}, 1000)
		if q.MinNodes < 1 || q.MaxNodes < 0 || q.Tasks < 0 || q.CPUs < 0 || q.NodeMemory < 0 || q.CPUMemory < 0 {
			t.Errorf("%q asks for %+v", line, *q)
		}
		for i, a := range q.asks(1) {
			if a < 0 {
				t.Errorf("%q asks for %d of resource %d", line, a, i)
			}
		}
		s := randomSetup(rand.New(rand.NewPCG(1, 1)), true)
		var p placer
		p.place(NewMachine(s.Cluster), q, s.Partitions[0].Nodes)
	})
}

// FuzzChange makes any change of a policy, and makes sure that it is made or refused, and in the clone alone.
func FuzzChange(f *testing.F) {
	for _, seed := range []string{"bf_window=2880", "qos.q.MaxTRESPU=cpu=48,gres/gpu=1", "partition.p0.tier=1e400", "a/u.shares=parent", "qos.q.MaxWall=1-0", "PriorityMaxAge=NaN", "SchedulerType=sched/builtin", "sched_interval=-1"} {
		name, value, _ := strings.Cut(seed, "=")
		f.Add(name, value)
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		s := randomSetup(rand.New(rand.NewPCG(1, 1)), true)
		s.Names = []AccountName{{"root", ""}, {"a", ""}, {"a", "u"}, {"a", "v"}}
		before := *s.Backfill
		c := s.Clone()
		if err := c.Change(name, value); err == nil && c.Interval < 1 {
			t.Errorf("%s=%s: a pass every %d seconds", name, value, c.Interval)
		}
		if *s.Backfill != before || s.QOS[0].Priority != 0 || s.Partitions[0].Tier != 0 || s.Tree[2].Shares != 1 {
			t.Errorf("%s=%s changes the setup that was cloned", name, value)
		}
	})
}
