package set

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/order"
)

// Settings of preemption with which slurmctld does not start are refused, and times that are short are said to be so, in the words of a
// check of slurm.conf; those of a site that nobody changes are not.
func TestAsSet(t *testing.T) {
	const both, none = "as set: PreemptMode is OFF beside PreemptType=preempt/qos, and slurmctld does not start with both", "without a PreemptType"
	for settings, want := range map[string]string{
		"PreemptType=preempt/qos": both, "preempttype=preempt/qos PreemptMode=OFF": both, "PreemptType=preempt/qos PreemptMode=requeue": "",
		"PreemptType=preempt/partition_prio PreemptMode=SUSPEND": "", "PreemptMode=CANCEL": none, "PriorityWeightAge=1": "",
		"PriorityDecayHalfLife=14": "as set: PriorityDecayHalfLife is 0:14:00: usage is as good as forgotten", "prioritymaxage=30": "as set: PriorityMaxAge is 0:30:00: ",
		"PriorityDecayHalfLife=14-0 PriorityMaxAge=7-0": "", "PriorityDecayHalfLife=0": "", "PriorityMaxAge=soon": "",
	} {
		got := ""
		remarks, err := AsSet(order.Preemption{Type: "preempt/none", Mode: "OFF"}, strings.Fields(settings))
		for _, r := range remarks {
			got = r.Text
		}
		if isRefused := want == both || want == none; isRefused != (err != nil) {
			t.Errorf("%s: %v", settings, err)
		} else if isRefused {
			got = err.Error()
		}
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", settings, got, want)
		}
	}
	for _, x := range []struct{ kind, mode, settings, want string }{
		{"preempt/qos", "REQUEUE", "PreemptMode=OFF", ": set PreemptType=preempt/none beside it"}, {"preempt/qos", "REQUEUE", "PreemptType=preempt/none", ": set PreemptMode=OFF beside it"},
		{"preempt/none", "OFF", "PreemptMode=CANCEL", ": set PreemptType beside it (preempt/qos or preempt/partition_prio)"},
		{"preempt/none", "OFF", "PreemptType=preempt/qos", ": set PreemptMode beside it (CANCEL, REQUEUE or SUSPEND,GANG)"},
		{"preempt/none", "OFF", "PreemptType=preempt/qos PreemptMode=OFF", "does not start with both"},
	} {
		if _, err := AsSet(order.Preemption{Type: x.kind, Mode: x.mode}, strings.Fields(x.settings)); err == nil || !strings.HasSuffix(err.Error(), x.want) {
			t.Errorf("%s beside %s and %s: %v, want %s", x.settings, x.kind, x.mode, err, x.want)
		}
	}
	if got, err := AsSet(order.Preemption{Type: "preempt/qos", Mode: "OFF"}, []string{"PriorityWeightAge=1"}); got != nil || err != nil {
		t.Errorf("of what is not set: %v, %v", got, err)
	}
}

// No order depends on PreemptMode. It is taken beside PreemptType, as slurmctld takes some of them together alone.
func TestModeBesideType(t *testing.T) {
	s := openMoment(t, "t2_busy")
	if _, _, err := With(s, []string{"PreemptMode=CANCEL"}); err == nil || !strings.Contains(err.Error(), "the order does not depend on it") {
		t.Errorf("PreemptMode alone: %v", err)
	}
	for _, settings := range [][]string{{"PreemptType=preempt/qos", "PreemptMode=REQUEUE"}, {"preemptmode=requeue", "preempttype=preempt/qos"}} {
		site, changes, err := With(s, settings)
		if err != nil {
			t.Fatal(err)
		}
		if p := site.Preemption(); len(changes) != 2 || p.Type != "preempt/qos" || p.Mode != "REQUEUE" || s.Preemption().Mode == "REQUEUE" {
			t.Errorf("%v: %v, %v", settings, changes, p)
		}
	}
}

// Whether QOS make a loop of preemption is asked once all settings are made, so that their order does not matter.
func TestLoopOfPreemption(t *testing.T) {
	s := openMoment(t, "t2_busy")
	for _, test := range []struct {
		settings string
		isLoop   bool
	}{
		{"PreemptType=preempt/qos qos.high.Preempt=low", false}, {"PreemptType=preempt/qos qos.high.Preempt=low qos.low.Preempt=high", true},
		{"PreemptType=preempt/qos qos.low.Preempt=high qos.high.Preempt=low", true}, {"PreemptType=preempt/qos qos.low.Preempt=high qos.high.Preempt=normal", false},
	} {
		_, _, err := With(s, strings.Fields(test.settings))
		if isLoop := err != nil && strings.Contains(err.Error(), "sacctmgr refuses a loop of preemption"); isLoop != test.isLoop || err != nil && !isLoop {
			t.Errorf("%s: %v", test.settings, err)
		}
	}
}
