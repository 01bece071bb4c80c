package replay

import (
	"testing"
	"time"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/world"
)

// A reservation at another time keeps its vnodes and what is known of it, and is over when that time is;
// that of the record stays as it was.
func TestMovedReservation(t *testing.T) {
	was := &world.Reservation{ID: "R12.s", Queue: "R12", Ended: 700, Holds: []world.Hold{{From: 50, Start: 100, End: 600, Nodes: "(n1:ncpus=4)", Place: "free"}}}
	begin := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC).Unix()
	c := &cluster.Cluster{Vnodes: []cluster.Vnode{{Name: "n1"}}}
	for _, name := range []string{"R12", "R12.s"} {
		all, err := reserve([]*world.Reservation{was}, []pbs.ReservationChange{{Name: name, From: "2026-03-02 10:00", To: "2026-03-02 12:00"}}, c, time.UTC)
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		want := world.Hold{From: 50, Start: begin, End: begin + 7200, Nodes: "(n1:ncpus=4)", Place: "free"}
		if r := all[0]; r.ID != "R12.s" || r.Queue != "R12" || r.Ended != want.End || len(r.Holds) != 1 || r.Holds[0] != want {
			t.Errorf("%s: %+v", name, *r)
		}
		if was.Ended != 700 || was.Holds[0].Start != 100 {
			t.Fatalf("the record has changed: %+v", *was)
		}
	}
}
