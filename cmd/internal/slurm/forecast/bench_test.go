package forecast

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/slurm/order"
)

// crowded returns a recorded moment at which many more jobs wait, by those that did come again.
func crowded(tb testing.TB, run string, moment, waiting int) *Site {
	tb.Helper()
	now, _, err := order.OpenNow(momentsOf(tb, run)[moment].dir, time.UTC)
	if err != nil {
		tb.Fatal(err)
	}
	const firstID = 1_000_000
	listed, n := now.Queue, 0
	for _, j := range listed {
		if j.State == "PENDING" {
			n++
		}
	}
	for next := firstID; n < waiting; {
		for _, j := range listed {
			if j.State != "PENDING" || n == waiting {
				continue
			}
			j.ID = strconv.Itoa(next)
			now.Queue = append(now.Queue, j)
			n, next = n+1, next+1
		}
	}
	s, _, err := Read(now, table(run), time.UTC)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// A thousand jobs wait, and what is to come is drawn a hundred times, or RUNS times.
func BenchmarkThousand(b *testing.B) {
	runs := 100
	if n, err := strconv.Atoi(os.Getenv("RUNS")); err == nil {
		runs = n
	}
	for _, run := range []string{"S1a", "S2a", "S3a"} {
		b.Run(run, func(b *testing.B) {
			s := crowded(b, run, 4, 1000)
			b.ReportAllocs()
			for b.Loop() {
				st, scheduler := s.Begin()
				f, err := forecast.MakeOf(context.Background(), st, scheduler, forecast.Options{Runs: runs, Seed: 1, Horizon: forecast.DefaultHorizon})
				if err != nil {
					b.Fatal(err)
				}
				if len(f.Jobs) < 1000 {
					b.Fatalf("%d jobs", len(f.Jobs))
				}
			}
		})
	}
}
