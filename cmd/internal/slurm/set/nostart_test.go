package set

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/order"
)

// Settings of preemption with which slurmctld does not start are said to be so, in the words of a check of slurm.conf; those of a site that
// nobody changes are not.
func TestNoStart(t *testing.T) {
	const both, none = "as set: PreemptMode is OFF beside PreemptType=preempt/qos, and slurmctld does not start with both", "without a PreemptType"
	for settings, want := range map[string]string{
		"PreemptType=preempt/qos": both, "preempttype=preempt/qos PreemptMode=OFF": both, "PreemptType=preempt/qos PreemptMode=requeue": "",
		"PreemptType=preempt/partition_prio PreemptMode=SUSPEND": "", "PreemptMode=CANCEL": none, "PriorityWeightAge=1": "",
	} {
		got := ""
		for _, r := range NoStart(order.Preemption{Type: "preempt/none", Mode: "OFF"}, strings.Fields(settings)) {
			got = r.Text
		}
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", settings, got, want)
		}
	}
	if got := NoStart(order.Preemption{Type: "preempt/qos", Mode: "OFF"}, []string{"PriorityWeightAge=1"}); got != nil {
		t.Errorf("of what is not set: %v", got)
	}
}
