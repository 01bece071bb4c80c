package slurmsite

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func FuzzPriorities(f *testing.F) {
	f.Add("JOBID PARTITION USER PRIORITY SITE AGE FAIRSHARE JOBSIZE PARTITION QOS NICE TRES\n57 main bob 9130 0 6 8750 35 100 200 0 cpu=36,mem=4\n")
	f.Add("JOBID|PARTITION|PRIORITY|PRIORITY|PARTITION|TRES\n57|main|9130|0.1|100|cpu=36\n")
	f.Fuzz(func(_ *testing.T, text string) {
		parsePriorities(text)
		parseQueue(text)
		parseQueueJSON(text)
	})
}

// FuzzSite gives a site a text in place of one of its files, and makes sure that it is read or
// refused.
func FuzzSite(f *testing.F) {
	f.Add("PriorityWeightAge=1\nNodeName=a CPUs=2\nPartitionName=p Nodes=a\n", "JobId=1 JobName=a\n UserId=u(1) Priority=3 Account=a QOS=q\n JobState=PENDING\n Partition=p\n TRES=cpu=1\n", "Account|User|RawShares\nroot||\n")
	f.Add("Configuration data as of 2026-03-02T11:55:32\nPriorityType = priority/multifactor\nPriorityWeightAge = 1\n", "NodeName=a Arch=x CPUTot=3 RealMemory=1\n", "PartitionName=a\n AllowGroups=ALL AllowAccounts=ALL\n")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		dir := t.TempDir()
		for name, text := range map[string]string{"a": a, "b": b, "c": c} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Open(dir)
		if err == nil {
			s.Differences()
		}
	})
}

// TestWithout holds that a site in which something is missing says so, and is read as far as it is
// there.
func TestWithout(t *testing.T) {
	for _, c := range []struct {
		name string
		keep func(kind) bool
		want int // priorities that are computed as Slurm has them, of 26
	}{
		{"slurm.conf is not needed", func(k kind) bool { return k != isConf }, 26},
		{"nor what scontrol shows of it", func(k kind) bool { return k != isConfig && k != isNodes && k != isPartitions }, 26},
		{"nor sprio, but for the CPUs of whole cores", func(k kind) bool { return k != isPriorities }, 25},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := OpenDump("../../../testdata/slurm-site/t2_busy.tgz")
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for _, p := range d.Parts {
				if c.keep(p.Kind) {
					if err := os.WriteFile(filepath.Join(dir, filepath.Base(p.Member)), []byte(p.Text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			s, err := Open(dir)
			if err != nil {
				t.Fatal(err, s.Remarks)
			}
			equal, considered := 0, 0
			for _, r := range s.Rows() {
				if r.Rank > 0 {
					considered++
					if r.Priority == r.Value {
						equal++
					}
				}
			}
			if equal != c.want || considered != 26 {
				t.Errorf("%d of %d are equal, %v", equal, considered, s.Remarks)
			}
		})
	}
}

// FuzzChangeSetup makes any change of a policy, and makes sure that it is made or refused, and in a copy alone.
func FuzzChangeSetup(f *testing.F) {
	for _, seed := range []string{"bf_window=2880", "qos.high.MaxTRESPU=cpu=48,gres/gpu=1", "partition.main.tier=1e400", "hep/bob.shares=parent", "qos.high.MaxWall=1-0", "PriorityMaxAge=NaN",
		"node.c0*.down=0/9", "nodes.removed=c[1-9999999]", "reservation.x=2026-03-02 08:00/2026-03-02 10:00 on c01", "SchedulerType=sched/builtin", "sched_interval=-1", "PriorityFlags=NO_NORMAL_ALL", "PriorityWeightTRES=cpu=1e15P", "hep/bob.usage=0", "qos.normal.GrpTRES=cpu=1e15P"} {
		f.Add(seed)
	}
	const name = "../../../testdata/slurm-site/t2_busy.tgz"
	setup, _, err := OpenScheduler(name)
	if err != nil {
		f.Fatal(err)
	}
	as, _, err := OpenScheduler(name)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		changed, _, err := ChangeSetup(setup, []string{text})
		if err == nil && (changed.Interval < 1 || changed.Backfill != nil && (changed.Backfill.Interval < 1 || changed.Backfill.Resolution < 1)) {
			t.Errorf("%s: a pass every %d seconds, backfill %+v", text, changed.Interval, changed.Backfill)
		}
		if err == nil {
			for _, q := range changed.QOS {
				for i, x := range q.Limits.AllTRES {
					if x < 0 {
						t.Errorf("%s: GrpTRES has %d of resource %d", text, x, i)
					}
				}
			}
		}
		if !reflect.DeepEqual(setup, as) {
			t.Errorf("%s changes the setup that it was made of", text)
		}
	})
}
