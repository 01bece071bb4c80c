package set

import (
	"reflect"
	"testing"

	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/setup"
)

// The order in which settings are given does not matter: any two of them make the same of a site, or are refused, in both.
func TestOrderOfSettings(t *testing.T) {
	t.Parallel()
	list := []string{"PreemptType=preempt/none", "PreemptType=preempt/partition_prio", "PreemptType=preempt/qos", "PreemptMode=SUSPEND", "PreemptMode=CANCEL", "PreemptMode=OFF",
		"partition.main.PreemptMode=REQUEUE", "partition.main.PreemptMode=OFF", "qos.high.Preempt=low", "qos.high.Preempt=normal,low", "qos.low.PreemptMode=CANCEL",
		"PriorityFlags=NO_FAIR_TREE", "FairShareDampeningFactor=3", "PriorityWeightAge=77", "SchedulerType=sched/builtin", "bf_interval=77", "SLURM_VERSION=22.05",
		"partition.main.tier=7", "nodes.removed=n01", "node.n[01-02].down=2026-01-01/2027-01-01", "reservation.*=none", "reservation.x=2026-01-01/2027-01-01 on n02"}
	both := 0
	for _, name := range []string{"K1c", "K2a", "K0a"} {
		site, _, err := setup.Open(dumptest.Replays + name + "/site.tgz")
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range list {
			for _, b := range list[:i] {
				one, changes, first := ChangeSetup(site, []string{a, b})
				other, reversed, second := ChangeSetup(site, []string{b, a})
				if (first == nil) != (second == nil) || first == nil && !reflect.DeepEqual(one, other) {
					t.Errorf("%s: %s and %s: %v; %v", name, a, b, first, second)
				}
				if first != nil || second != nil {
					continue
				}
				both++
				if changes[0].Name+"="+changes[0].Value != a || changes[0] != reversed[1] || changes[1] != reversed[0] {
					t.Errorf("%s: %s and %s: %v; %v", name, a, b, changes, reversed)
				}
			}
		}
	}
	if both < 200 {
		t.Errorf("only %d pairs are taken", both)
	}
	site, _, err := setup.Open(dumptest.Replays + "K0a/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	if changed, _, err := ChangeSetup(site, []string{"qos.high.Preempt=low", "PreemptType=preempt/qos"}); err != nil || changed.PreemptType != "preempt/qos" {
		t.Errorf("Preempt before PreemptType: %v", err)
	}
}
