package cluster

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// Where placement sets with too little room are passed over, each request gets the vnodes that it gets where all are asked.
func TestRooms(t *testing.T) {
	passedOver, placed := 0, 0
	for seed := range uint64(workshop.Part(2000)) {
		r := rand.New(rand.NewPCG(seed, 3))
		pick := func(of ...string) string { return of[r.IntN(len(of))] }
		var text strings.Builder
		for v := range 4 + r.IntN(12) {
			fmt.Fprintf(&text, "v%[1]d\n resources_available.host = h%[1]d\n resources_available.vnode = v%[1]d\n resources_available.ncpus = %[2]d\n resources_available.mem = %[3]dgb\n sharing = %[4]s\n", v, 1+r.IntN(8), 1+r.IntN(8), pick("default_shared", "default_shared", "default_excl", "force_excl", "ignore_excl"))
			if rack := pick("", "r1", "r1", "r2", "r3", "r1,r2"); rack != "" {
				fmt.Fprintf(&text, " resources_available.rack = %q\n", rack)
			}
			fmt.Fprintln(&text)
		}
		c := parse(t, strings.ReplaceAll(text.String(), `"`, ""))
		quick, whole := c.NewState(), c.NewState()
		whole.LooksAtAll()
		var requests []*Request
		for range 1 + r.IntN(6) {
			wants := fmt.Sprintf("%d:ncpus=%d", 1+r.IntN(5), 1+r.IntN(4)) + pick("", ":mem=1gb", ":mem=4gb", ":rack=r1", "+2:ncpus=1", "+1:ncpus=0")
			requests = append(requests, request(t, c, wants, pick("free", "scatter", "vscatter", "pack", "excl", "scatter:excl", "exclhost")+pick("", ":group=rack", ":group=rack")))
		}
		var runs []Allocation
		for range 200 {
			of := requests[r.IntN(len(requests))]
			got, ok := quick.Place(of, nil)
			want, fits := whole.Place(of, nil)
			if text := want.String(c); ok != fits || got.String(c) != text {
				t.Fatalf("seed %d: %+v: %q, and %q where all vnodes are asked", seed, of, got.String(c), text)
			}
			if got, want := quick.ShortageOf(of, nil), whole.ShortageOf(of, nil); got != want {
				t.Fatalf("seed %d: %+v: %+v, and %+v where all vnodes are asked", seed, of, got, want)
			}
			if k := quick.rooms[of]; k != nil && k.chunks != nil {
				for set := range k.chunks[0].in {
					if k.lack(of, set) {
						passedOver++
					}
				}
			}
			each := func(do func(s *State)) { do(quick); do(whole) }
			v, isAway, by := int32(r.IntN(len(c.Vnodes))), r.IntN(3) == 0, float64(r.IntN(3)-1)
			switch n := r.IntN(8); {
			case ok && n < 5:
				placed++
				each(func(s *State) { s.Occupy(want) })
				runs = append(runs, want)
			case len(runs) > 0 && n < 7:
				i := r.IntN(len(runs))
				each(func(s *State) { s.Release(runs[i]) })
				runs = append(runs[:i], runs[i+1:]...)
			case r.IntN(2) == 0:
				each(func(s *State) { s.SetAway(v, isAway) })
			default:
				each(func(s *State) { s.Resize(v, 0, by) })
			}
		}
	}
	if passedOver == 0 || placed == 0 {
		t.Errorf("sets are passed over %d times, and %d jobs placed", passedOver, placed)
	}
}
