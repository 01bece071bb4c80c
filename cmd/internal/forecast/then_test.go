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
		want outcome
	}{
		{"it started", []*trace.Job{started(200)}, outcome{200, true}},
		{"at the last moment", []*trace.Job{started(300)}, outcome{300, true}},
		{"later", []*trace.Job{started(301)}, outcome{300, false}},
		{"at the moment at which it waited, and not since", []*trace.Job{started(100)}, outcome{300, false}},
		{"it was deleted", []*trace.Job{deleted(250)}, outcome{250, false}},
		{"at the last moment", []*trace.Job{deleted(300)}, outcome{300, false}},
		{"another one had its number before", []*trace.Job{deleted(99), started(200)}, outcome{200, true}},
		{"it is not on record", nil, outcome{300, false}},
	} {
		if got := (outcomes{"1.s": test.jobs}).of("1.s", 100, 300); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
