package forecast

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/workshop"
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

// BenchmarkWaiting says how the cost of a forecast grows with the number of jobs that wait, at recorded moments of three
// sites. What is to come is drawn twice, or RUNS times.
func BenchmarkWaiting(b *testing.B) {
	runs := 2
	if n, err := strconv.Atoi(os.Getenv("RUNS")); err == nil {
		runs = n
	}
	for _, run := range []string{"S1a", "S2a", "S3a"} {
		b.Run(run, func(b *testing.B) {
			workshop.Growth(b, []int{250, 500, 1000}, func(b *testing.B, waiting int) func() any {
				s := crowded(b, run, 4, waiting)
				return func() any {
					st, scheduler := s.Begin()
					f, err := forecast.MakeOf(context.Background(), st, scheduler, forecast.Options{Runs: runs, Seed: 1, Horizon: forecast.DefaultHorizon})
					if err != nil {
						b.Fatal(err)
					}
					if len(f.Jobs) < waiting {
						b.Fatalf("%d jobs", len(f.Jobs))
					}
					return f
				}
			})
		})
	}
}
