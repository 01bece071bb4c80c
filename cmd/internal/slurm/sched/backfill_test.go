package sched

import (
	"fmt"
	"testing"
)

// A backfill cycle at the edge of a rule: two nodes of 4 CPUs, of which the first is planned and the second
// is busy until some time, a window of 1000 seconds and a job of a whole node for 50 seconds.
func TestEdgesOfFill(t *testing.T) {
	for _, test := range []struct {
		name          string
		planned, busy int64 // the end of what is planned, and of what runs
		want          string
	}{
		{"the node that is free first", 200, 100, "1 at 100"},
		{"nodes that are free at once: the one that is found without looking later", 120, 120, "1 at 120"},
		{"a plan that is over first", 90, 100, "0 at 90"},
		{"a start at the end of the window", 2000, 1000, "1 at 1000"},
		{"a start behind the window", 2000, 1001, "none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := NewSet(2)
			all.Add(0)
			all.Add(1)
			nodes := []Node{{Name: "n0", CPUs: 4}, {Name: "n1", CPUs: 4}}
			m := NewMachine(&Cluster{Nodes: nodes, Partitions: []Partition{{Nodes: all}}})
			whole := &Request{MinNodes: 1, MaxNodes: 1, CPUs: 4, Tasks: 4, CPUsPerTask: 1}
			running := &Job{Request: whole, Shares: []Share{{1, 4}}}
			m.take(whole, running.Shares)
			l := NewLedger(&Setup{Cluster: m.Cluster, Accounts: []Account{{Parent: -1, User: 0, Limits: Unlimited(0)}}, QOS: []QOS{{Limits: Unlimited(0)}}})
			c := newCycle(Backfilling{Interval: 30, Resolution: 1, Window: 1000}, outlookOn(m, []runningJob{{running, test.busy, nodesOf(running.Shares, 2)}}), l, all, 0, NewSet(2))
			first := NewSet(2)
			first.Add(0)
			c.reserve(&Plan{Start: 0, End: test.planned, Nodes: first})
			got := "none"
			if o := c.try(&Job{Request: whole, Limit: 50}, 0); o.plan != nil {
				at := 0
				if !o.plan.Nodes.Has(0) {
					at = 1
				}
				got = fmt.Sprintf("%d at %d", at, o.plan.Start)
			}
			if got != test.want {
				t.Errorf("planned: %s, want %s", got, test.want)
			}
		})
	}
}
