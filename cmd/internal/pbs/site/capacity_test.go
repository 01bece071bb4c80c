package site

import (
	"math"
	"slices"
	"testing"

	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/pbs/world"
)

// Three vnodes of 16 cpus from 0 to 1000: what each has is taken away while it is not there or
// is reserved, and never twice.
func TestNewCapacity(t *testing.T) {
	vnode := func(name, state string) map[string]string {
		return map[string]string{"": name, "state": state, "resources_available.ncpus": "16", "resources_available.mem": "1gb", "resources_available.arch": "linux"}
	}
	vnodes := []map[string]string{vnode("a", "free"), vnode("b", "offline"), vnode("c", "job-busy")}
	held := func(queue, nodes string, from, until, start, end int64) *world.Reservation {
		return &world.Reservation{Queue: queue, Holds: []world.Hold{{From: from, Until: until, Start: start, End: end, Nodes: nodes}}}
	}
	off := world.VnodeEvent{At: 600, Vnode: "b", Kind: world.Offline}
	for name, c := range map[string]struct {
		w    *world.World
		want float64 // cpu seconds
	}{
		"nothing is told":          {nil, 48 * 1000},
		"away all the time":        {&world.World{HasVnodes: true}, 32 * 1000},
		"away from 600 on":         {&world.World{HasVnodes: true, Vnodes: []world.VnodeEvent{off}}, 32*1000 + 16*600},
		"down and offline at once": {&world.World{HasVnodes: true, Vnodes: []world.VnodeEvent{{At: 100, Vnode: "b", Kind: world.Down}, {At: 200, Vnode: "b", Kind: world.Offline}, {At: 300, Vnode: "b", Kind: world.Up}, {At: 400, Vnode: "b", Kind: world.Online}}}, 48*1000 - 16*300},
		"with 8 cpus from 500 on":  {&world.World{HasVnodes: true, Vnodes: []world.VnodeEvent{{At: 500, Vnode: "a", Kind: world.Resized, Resource: "ncpus", Amount: 8}}}, 16*500 + 8*500 + 16*1000},
		"reserved":                 {&world.World{Reservations: []*world.Reservation{held("R1", "(a:ncpus=8:mem=1gb)+(c:ncpus=16)", 0, 0, 200, 300)}}, 48*1000 - 24*100},
		"reserved until it is altered": {&world.World{Reservations: []*world.Reservation{held("R1", "(a:ncpus=8)", 0, 250, 200, 300),
			held("R1", "(a:ncpus=4)", 250, 0, 200, 300)}}, 48*1000 - 8*50 - 4*50},
		"reserved in vain": {&world.World{Reservations: []*world.Reservation{held("R1", "(a:ncpus=8)", 0, 100, 200, 300), held("R2", "(nowhere:ncpus=8)", 0, 0, 200, 300)}}, 48 * 1000},
		"reserved while it is offline": {&world.World{HasVnodes: true, Vnodes: []world.VnodeEvent{off},
			Reservations: []*world.Reservation{held("R1", "(b:ncpus=4)", 0, 0, 500, 900)}}, 32*1000 + 16*600 - 4*100},
		"more reserved than there is": {&world.World{Reservations: []*world.Reservation{held("R1", "(a:ncpus=99)", 0, 0, 0, 1000)}}, 32 * 1000},
	} {
		capacity := NewCapacity(slices.Values(vnodes), c.w)
		if got, ok := capacity.In("ncpus", history.Span{Begin: 0, End: 1000}); !ok || got != c.want {
			t.Errorf("%s: %v cpu seconds, not %v", name, got, c.want)
		}
		first, _ := capacity.In("ncpus", history.Span{Begin: 0, End: 450})
		second, _ := capacity.In("ncpus", history.Span{Begin: 450, End: 1000})
		if math.Abs(first+second-c.want) > 1e-9 {
			t.Errorf("%s: %v and %v are not %v", name, first, second, c.want)
		}
	}
	capacity := NewCapacity(slices.Values(vnodes), nil)
	if got, ok := capacity.In("mem", history.Span{Begin: 0, End: 10}); !ok || got != 3*1024*1024*10 {
		t.Errorf("%v kb seconds", got)
	}
	if _, ok := capacity.In("ngpus", history.Span{Begin: 0, End: 10}); ok {
		t.Error("it has GPUs")
	}
	if _, ok := (*history.Capacity)(nil).In("ncpus", history.Span{Begin: 0, End: 10}); ok {
		t.Error("nothing is known, and yet there is something")
	}
}
