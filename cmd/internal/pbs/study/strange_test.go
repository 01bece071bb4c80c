package study

import (
	"slices"
	"testing"

	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/work"
)

// What happened to vnodes that are not there, or more than a day away from the record, is told with how
// much that is: of reservations in hours of the cpus for which they were held.
func TestStrange(t *testing.T) {
	const first, last, day = 1_000_000, 1_100_000, 24 * 3600
	event := func(at int64, vnode string) world.VnodeEvent {
		return world.VnodeEvent{At: at, Vnode: vnode, Kind: world.Down}
	}
	held := func(holds ...world.Hold) []*world.Reservation {
		return []*world.Reservation{{ID: "R1", Holds: holds}}
	}
	for _, test := range []struct {
		name  string
		world world.World
		want  []string
	}{
		{"all in the record", world.World{Vnodes: []world.VnodeEvent{event(first, "n1"), event(last, "n2")}}, nil},
		{"a day before it and a day after it", world.World{Vnodes: []world.VnodeEvent{event(first-day, "n9"), event(last+day, "n1")}}, nil},
		{"more than a day after it", world.World{Vnodes: []world.VnodeEvent{event(first, "n1"), event(last+day+1, "n1")}}, []string{"1 change of vnodes more than a day after the end of the record"}},
		{"more than a day before it", world.World{Vnodes: []world.VnodeEvent{event(first-day-1, "n1")}}, []string{"all that is told of vnodes (1 change) is more than a day before the record"}},
		{"of other vnodes", world.World{Vnodes: []world.VnodeEvent{event(first, "n9"), event(last, "n8"), event(last, "n9")}}, []string{"3 changes of vnodes that the cluster does not have: n8, n9"}},
		{"reservations", world.World{Reservations: held(world.Hold{Start: 0, End: 7200, Nodes: "(n1:ncpus=8)+(n9:ncpus=4)"}, world.Hold{Start: 0, End: 7200, Until: 1800, Nodes: "(n8:mem=1gb:ncpus=2)"})},
			[]string{"1 reservation on vnodes that the cluster does not have, 9 cpu hours that are not kept free: n8, n9"}},
		{"reservations that never began", world.World{Reservations: held(world.Hold{Start: 100, End: 7200, Until: 100, Nodes: "(n9:ncpus=4)"})}, nil},
	} {
		in := &Inputs{happens: &test.world}
		c := &cluster.Cluster{Vnodes: []cluster.Vnode{{Name: "n1"}}, LeftOut: []string{"n2"}}
		var got []string
		for _, r := range in.strange(&work.Work{First: first, Last: last}, c) {
			got = append(got, r.Text)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
