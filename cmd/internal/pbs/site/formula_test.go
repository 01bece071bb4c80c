package site

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/pbs"
)

// Where nothing tells the order, the priorities of queues are told by which jobs go first under the sched_config that PBS installs.
func TestQueuesFirst(t *testing.T) {
	for _, test := range []struct {
		queues []pbs.Queue
		says   string
	}{
		{nil, ""},
		{[]pbs.Queue{{Name: "workq"}, {Name: "other"}}, ""},
		{[]pbs.Queue{{Name: "workq"}, {Name: "feed", Priority: 200, Routes: true}}, ""},
		{[]pbs.Queue{{Name: "workq"}, {Name: "highq", Priority: 100}, {Name: "debug", Priority: 50}}, "higher priority: highq (100), debug (50), workq (0)"},
	} {
		if says := queuesFirst(&pbs.Site{Queues: test.queues}); !strings.HasSuffix(says, test.says) || (says == "") != (test.says == "") {
			t.Errorf("%v: %q", test.queues, says)
		}
	}
}
