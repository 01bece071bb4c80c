package set

import (
	"testing"

	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/setup"
)

// Jobs of lower tiers are suspended for others by PreemptMode=SUSPEND under preempt/partition_prio alone, at a site that
// does that (K2a) and at one that requeues jobs by QOS (K1c).
func TestSetSuspend(t *testing.T) {
	for _, test := range []struct {
		site     string
		settings []string
		suspends bool
		fails    bool
	}{
		{"K2a", []string{"sched_interval=30"}, true, false},
		{"K2a", []string{"PreemptMode=REQUEUE"}, false, false},
		{"K2a", []string{"PreemptType=preempt/none"}, false, false},
		{"K2a", []string{"partition.main.PreemptMode=OFF"}, true, false}, // there is gpu
		{"K2a", []string{"partition.main.PreemptMode=OFF", "partition.gpu.PreemptMode=OFF"}, false, false},
		{"K1c", []string{"PreemptMode=SUSPEND"}, false, true},
		{"K1c", []string{"PreemptMode=REQUEUE,WITHIN"}, false, true},
		{"K1c", []string{"qos.low.PreemptMode=within"}, false, true},
		{"K1c", []string{"PreemptType=preempt/partition_prio", "PreemptMode=SUSPEND"}, true, false},
	} {
		site, _, err := setup.Open(dumptest.Replays + test.site + "/site.tgz")
		if err != nil {
			t.Fatal(err)
		}
		changed, _, err := ChangeSetup(site, test.settings)
		if (err != nil) != test.fails || err == nil && changed.Suspends() != test.suspends {
			t.Errorf("%s with %q: jobs are suspended: %v; %v", test.site, test.settings, changed != nil && changed.Suspends(), err)
		}
	}
}
