package replay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/work"
)

// manyReservations returns reservations of a few vnodes each, spread over the time of work and
// known some days ahead.
func manyReservations(w *work.Work, vnodes, count int) *world.World {
	r := rand.New(rand.NewPCG(3, 5))
	all := &world.World{}
	for n := range count {
		from := w.First + r.Int64N(w.Last-w.First)
		start := from + 1 + r.Int64N(3*86400)
		h := world.Hold{From: from, Start: start, End: start + 1800 + r.Int64N(6*3600), Place: "free"}
		first := r.IntN(vnodes - 8)
		for v := range 1 + r.IntN(8) {
			if v > 0 {
				h.Nodes += "+"
			}
			h.Nodes += fmt.Sprintf("(n%d:ncpus=64)", first+v+1)
		}
		all.Reservations = append(all.Reservations, &world.Reservation{ID: fmt.Sprintf("R%d", n), Queue: fmt.Sprint("R", n), Asked: from, Ended: h.End, Holds: []world.Hold{h}})
	}
	return all
}

// A thousand reservations make a replay at most a fifth slower. FAIRSHARE_JOBS is how many jobs
// it has, 50,000 where it is not set.
func BenchmarkReservations(b *testing.B) {
	jobs := 50_000
	if text := os.Getenv("FAIRSHARE_JOBS"); text != "" {
		if _, err := fmt.Sscan(text, &jobs); err != nil {
			b.Fatal(err)
		}
	}
	days := float64(jobs) * 18 / 50_000
	work := work.New(load{jobs: jobs, cpus: 12_800, days: days, full: .9}.trace(b), nil)
	plan := planOf(b, fairSite(b, "pow(2, -(fairshare_tree_usage/fairshare_perc))"))
	nodes, err := cluster.ParseSpec("200x64", cluster.Checks{})
	if err != nil {
		b.Fatal(err)
	}
	for _, count := range []int{0, 1000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			for range b.N {
				begin := time.Now()
				r, err := Run(context.Background(), work, plan, nodes, Options{Ask: outcome.Ask{Watch: -1}, World: manyReservations(work, 200, count)})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(time.Since(begin).Seconds(), "s")
				b.ReportMetric(float64(r.Cycles), "cycles")
			}
		})
	}
}
