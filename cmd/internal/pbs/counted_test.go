package pbs

import "testing"

// The server's counts go before those of its queues, which have to be told of each.
func TestWaiting(t *testing.T) {
	const text = "Transit:1 Queued:23 Held:2 Waiting:1 Running:4 Exiting:0 Begun:5"
	counted := Attributes{StateCount: text}
	for _, test := range []struct {
		server Attributes
		queues []Queue
		want   int
		isTold bool
	}{
		{counted, []Queue{{Attributes: Attributes{StateCount: "Queued:1"}}}, 27, true},
		{nil, []Queue{{Attributes: counted}, {Attributes: Attributes{StateCount: "Queued:3 Running:1"}}}, 30, true},
		{nil, []Queue{{Attributes: counted}, {}}, 0, false},
		{nil, nil, 0, false},
		{Attributes{StateCount: "Running:1"}, nil, 0, false},
	} {
		site := Site{Sched: Sched{Server: test.server}, Queues: test.queues}
		if jobs, isTold := site.Waiting(); jobs != test.want || isTold != test.isTold {
			t.Errorf("%v, %v: %d, %t", test.server, test.queues, jobs, isTold)
		}
	}
}
