package forecast

import (
	"testing"

	"fairshare/cmd/internal/trace"
)

// What had become by 300 of a job that waited at 100.
func TestOutcomes(t *testing.T) {
	const none = trace.Unknown
	deleted := func(at int64) *trace.Job { return &trace.Job{State: trace.Deleted, Start: none, End: at} }
	started := func(at int64) *trace.Job { return &trace.Job{State: trace.Running, Start: at, End: none} }
	for _, test := range []struct {
		name string
		jobs []*trace.Job
		want fate
	}{
		{"it started", []*trace.Job{started(200)}, fate{200, true}},
		{"at the last moment", []*trace.Job{started(300)}, fate{300, true}},
		{"later", []*trace.Job{started(301)}, fate{300, false}},
		{"at the moment at which it waited, and not since", []*trace.Job{started(100)}, fate{300, false}},
		{"it was deleted", []*trace.Job{deleted(250)}, fate{250, false}},
		{"at the last moment", []*trace.Job{deleted(300)}, fate{300, false}},
		{"another one had its number before", []*trace.Job{deleted(99), started(200)}, fate{200, true}},
		{"it is not on record", nil, fate{300, false}},
	} {
		if got := (outcomes{"1.s": test.jobs}).of("1.s", 100, 300); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
