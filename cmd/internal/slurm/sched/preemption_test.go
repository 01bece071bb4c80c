package sched

import (
	"context"
	"testing"
)

// What a job that may preempt and comes at 130 does to one that has its node since the second after 0: when it starts, and
// how often the other one is taken off its node, and when that is over.
func TestPreempted(t *testing.T) {
	const begin = 1_000_000
	byQOS := func(mode PreemptMode) func(s *Setup) {
		return func(s *Setup) {
			s.PreemptType, s.Preemption.Mode = "preempt/qos", mode
			s.QOS = []QOS{{Name: "low", Limits: Unlimited(0), UsageFactor: 1}, {Name: "high", Limits: Unlimited(0), UsageFactor: 1, Preempts: []string{"low"}}}
		}
	}
	byTier := func(mode PreemptMode) func(s *Setup) {
		return func(s *Setup) {
			byQOS(mode)(s)
			s.PreemptType, s.QOS[1].Preempts = "preempt/partition_prio", nil
			s.Partitions = append(s.Partitions, Partition{Name: "urgent", Nodes: s.Partitions[0].Nodes, Tier: 10})
		}
	}
	with := func(first, then func(s *Setup)) func(s *Setup) { return func(s *Setup) { first(s); then(s) } }
	for _, test := range []struct {
		name               string
		set                func(s *Setup)
		start, taken, over int64
	}{
		{"CANCEL: it is over at once, and a pass follows", byQOS(ModeCancel), 131, 1, 131},
		{"REQUEUE: it waits for 121 seconds, and starts anew", byQOS(ModeRequeue), 131, 1, 1253},
		{"cred_expire of AuthInfo: it waits for as long, and a second", with(byQOS(ModeRequeue), func(s *Setup) { s.CredentialLife = 7200 }), 131, 1, 8333},
		{"REQUEUE where jobs may not be requeued: it is over", with(byQOS(ModeRequeue), func(s *Setup) { s.NoRequeue = true }), 131, 1, 131},
		{"OFF: it goes on", byQOS(ModeOff), 1002, 0, 1001},
		{"a mode of its QOS counts first", with(byQOS(ModeRequeue), func(s *Setup) { s.QOS[0].PreemptMode = ModeCancel }), 131, 1, 131},
		{"none of its QOS is that of the site", with(byQOS(ModeCancel), func(s *Setup) { s.QOS[0].PreemptMode = ModeOff }), 131, 1, 131},
		{"GraceTime: it goes on for 50 seconds", with(byQOS(ModeCancel), func(s *Setup) { s.QOS[0].Grace = 50 }), 181, 1, 181},
		{"GraceTime beyond its end", with(byQOS(ModeCancel), func(s *Setup) { s.QOS[0].Grace = 5000 }), 1002, 0, 1001},
		{"PreemptExemptTime: it is left alone for 300 seconds", with(byQOS(ModeCancel), func(s *Setup) { s.Preemption.Exempt = 300 }), 400, 1, 400},
		{"that of its QOS counts first", with(byQOS(ModeCancel), func(s *Setup) { s.Preemption.Exempt, s.QOS[0].PreemptExempt = 300, 50 }), 131, 1, 131},
		{"PriorityTier: a higher one preempts", byTier(ModeCancel), 131, 1, 131},
		{"the same does not", with(byTier(ModeCancel), func(s *Setup) { s.Partitions[2].Tier = 0 }), 1002, 0, 1001},
		{"a mode of its partition counts first", with(byTier(ModeCancel), func(s *Setup) { s.Preemption.Partitions = []PreemptMode{ModeOff, ModeUnset, ModeUnset} }), 1002, 0, 1001},
		{"GraceTime of its partition", with(byTier(ModeCancel), func(s *Setup) { s.Preemption.Grace = []int64{50, 0, 0} }), 181, 1, 181},
	} {
		s := pair()
		test.set(s)
		low, high := asks(1, begin, 0, 4, 1000), asks(2, begin+130, len(s.Partitions)-1, 4, 60)
		if high.QOS = 1; s.PreemptType == "preempt/qos" {
			high.Partition = 0
		}
		result, err := Run(context.Background(), s, []*Job{low, high}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if start, over := high.Start-begin, low.End-begin; start != test.start || over != test.over || int64(result.Evicted) != test.taken {
			t.Errorf("%s: it starts at %d, and the other one is over at %d, taken off %d times; want %d, %d and %d", test.name, start, over, result.Evicted, test.start, test.over, test.taken)
		}
	}
}
