package witness

import (
	"context"
	"testing"
)

// Starts of one second are one moment, at which all have to be right and nobody else may start.
func TestMoments(t *testing.T) {
	agrees := func(at int64) Start { return Start{At: at, May: Verdict{Finding: Agrees}} }
	refused, besides, open := agrees(2), agrees(4), Start{At: 5}
	refused.May.Finding, besides.Others = Differs, true
	l := list{agrees(1), agrees(1), agrees(2), refused, agrees(3), besides, open, agrees(6), {Waited: 10, Since: 6}}
	j, err := Judge(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	if m := j.Moments; m.Judged != 5 || m.Differ != 2 {
		t.Errorf("%+v, want 5 moments of which 2 differ", m)
	}
	const want = ", and at 3 of 5 moments (60.0%) they start the same jobs first"
	if got := j.Summary.first(true); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
