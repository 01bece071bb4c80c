package slurmsite

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/obfuscate"
)

// Whatever Slurm's commands may print, other names come out of it, and no panic.
func FuzzHide(f *testing.F) {
	f.Add("JobId=7 JobName=a b UserId=bob(1) GroupId=g(2)\n   Account=x Reason=y TRES=cpu=1,gres/gpu:a100=2\n")
	f.Add("NodeName=c1 Arch=x86_64 Gres=gpu:a100:4(S:0-1),fs\n")
	f.Add("JOBID|PARTITION|USER|PRIORITY|PARTITION|TRES\n7|main|bob|5|6|cpu=1\n")
	f.Add("Account|User|RawShares\n root|bob|parent\n")
	f.Fuzz(func(t *testing.T, text string) {
		h := hider{names: obfuscate.NewReplacer()}
		for first, fields := range map[string]map[string]value{"jobid": jobFields, "nodename": nodeFields, "partitionname": partitionFields, "reservationname": reservationFields} {
			h.records(text, first, fields)
		}
		for _, columns := range hideColumns {
			if out := h.table(text, columns); strings.Count(out, "\n") > strings.Count(text, "\n")+1 {
				t.Errorf("%q has more lines than %q", out, text)
			}
		}
		h.config(text)
		h.accounting(text)
		h.accounting("JobID|State|Submit|SubmitLine|JobName\n" + text)
	})
}

func FuzzManager(f *testing.F) {
	f.Add("ClusterName=h Account=root UserName= ID=1\n    UsageRaw/Norm/Efctv=1/1/1\nClusterName=h Account=root UserName=bob(1) ID=2\n    SharesRaw/Norm/Level/Factor=1/0/1/0\n    UsageRaw/Norm/Efctv=1/1/1\nQOS Records\n")
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := accounts.ParseManager(text)
		if err == nil && tree.Len() == 0 {
			t.Error("a tree without a root")
		}
	})
}

func FuzzWith(f *testing.F) {
	f.Add("PriorityWeightTRES=cpu=1")
	f.Add("a/b.usage=1e300")
	f.Add("qos..priority=5")
	d := &Dump{Name: "site"}
	d.Set("conf", "PriorityType=priority/multifactor\nPriorityWeightFairshare=100\nNodeName=n1 CPUs=4\nPartitionName=p Nodes=n1\n")
	d.Set("jobs", "JobId=1 JobName=a\n   UserId=b(1) GroupId=b(1)\n   Priority=5 Nice=0 Account=a QOS=q\n   JobState=PENDING Reason=None\n   SubmitTime=2026-03-02T09:00:00 EligibleTime=2026-03-02T09:00:00\n   Partition=p\n   TRES=cpu=1,node=1\n")
	d.Set("sshare", "Account|User|RawShares|NormShares|RawUsage\nroot|||0|5\n a||1|1|5\n  a|b|1|1|5\n")
	d.Set("qos", "Name|Priority|UsageFactor\nq|5|1\n")
	f.Fuzz(func(t *testing.T, setting string) {
		s, err := New(d)
		if err != nil {
			t.Fatal(err)
		}
		changed, changes, err := With(s, []string{setting})
		if err == nil {
			After(s, s.Rows(), changed, changes)
		}
	})
}
