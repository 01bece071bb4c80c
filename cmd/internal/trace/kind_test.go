package trace

import "testing"

// A queue is that of a reservation by its name, which says nothing in a record of Slurm's.
func TestIsReservation(t *testing.T) {
	ofTable := &Trace{isOfTable: true}
	for queue, is := range map[string]bool{"R1": true, "S20": true, "M3": true, "R": false, "R1x": false, "workq": false, "": false} {
		if new(Trace).IsReservation(queue) != is || ofTable.IsReservation(queue) || OfSlurm().IsReservation(queue) {
			t.Errorf("%q: %v", queue, !is)
		}
	}
}
