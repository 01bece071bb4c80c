package forecast

import (
	"context"
	"testing"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
)

// No forecast begins at a time at which a reservation of all nodes of its partition lets no job start.
func TestNoStartInReservations(t *testing.T) {
	const end = 3600
	s := begun(t, job("7", 4, func(j *slurm.ListedJob) { j.Partitions = []string{"r"} }))
	s.Setup.Reservations = []sched.Reservation{{Name: "all", Nodes: s.Setup.Partitions[1].Nodes, Start: now + 60, End: now + end, IsMaint: true}}
	st, scheduler := s.Begin()
	f, err := forecast.MakeOf(context.Background(), st, scheduler, forecast.Options{Runs: 4, Seed: 1, Horizon: forecast.DefaultHorizon})
	if err != nil {
		t.Fatal(err)
	}
	if j := f.Jobs[0]; j.Low != now+end || j.Median < j.Low || j.Median > j.High {
		t.Errorf("from %v to %v, most likely %v, want from %v on", j.Low-now, j.High-now, j.Median-now, end)
	}
}
