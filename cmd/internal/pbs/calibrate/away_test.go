package calibrate

import (
	"testing"

	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/world"
)

// A vnode that is down and offline at once is back when both are over.
func TestAwayTwice(t *testing.T) {
	c, err := cluster.ParseSpec("2x4", cluster.Checks{Resources: []string{"ncpus"}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Request("1:ncpus=4", "free", "workq")
	if err != nil {
		t.Fatal(err)
	}
	f := &unusedFinder{state: c.NewState(), vnodes: make([]vnodeUse, 2)}
	for v := range f.vnodes {
		f.vnodes[v].away = map[world.VnodeChange]bool{}
	}
	for at, step := range []struct {
		why    world.VnodeChange
		isAway bool
		want   int32 // the vnode that a job gets then
		since  int64 // since when the first one is free
	}{{world.Down, true, 1, 0}, {world.Offline, true, 1, 0}, {world.Down, false, 1, 0}, {world.Offline, false, 0, 4}} {
		f.setAway(0, step.why, step.isAway, int64(at+1))
		place, ok := f.state.Place(r, nil)
		if !ok || place.Parts[0].Vnode != step.want || f.vnodes[0].since != step.since {
			t.Errorf("after step %d: %+v %v, free since %d", at+1, place, ok, f.vnodes[0].since)
		}
	}
}
