package sched

import (
	"slices"
	"testing"
)

// TestLetsIn asks who may start in partitions that let in some accounts and QOS alone.
func TestLetsIn(t *testing.T) {
	s := &Setup{Cluster: &Cluster{Partitions: []Partition{{Name: "chem"}, {Name: "rest"}, {Name: "open"}}}, Names: []AccountName{{Account: "root"}, {Account: "chem", User: "eva"}, {Account: "med", User: "ola"}, {Account: "root", User: "root"}},
		QOS:    []QOS{{Name: "normal"}, {Name: "high"}},
		Access: []Access{{Accounts: []string{"chem"}}, {DeniedAccounts: []string{"med"}, QOS: []string{"high"}}, {}}}
	const eva, ola, root = 1, 2, 3
	for _, x := range []struct {
		job  Job
		want bool
	}{
		{Job{Association: eva, Partition: 0}, true},
		{Job{Association: ola, Partition: 0}, false},
		{Job{Association: ola, Partition: 0, IsLetIn: true}, true}, // it ran there
		{Job{Association: eva, Partition: 1}, false},
		{Job{Association: eva, Partition: 1, QOS: 1}, true},
		{Job{Association: ola, Partition: 1, QOS: 1}, false},
		{Job{Association: root, Partition: 1}, true}, // whatever AllowQos says
		{Job{Association: root, Partition: 0}, false},
		{Job{Association: ola, Partition: 0, Partitions: []int{0, 1}}, false},
		{Job{Association: ola, Partition: 0, Partitions: []int{0, 2}}, true},
	} {
		x.job.Request = &Request{MinNodes: 1}
		if got := slices.ContainsFunc(s.Entries(&x.job), s.isOpenTo); got != x.want {
			t.Errorf("%+v: %v, want %v", x.job, got, x.want)
		}
	}
}
