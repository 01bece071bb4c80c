package forecast

import (
	"slices"
	"strconv"
	"testing"

	"fairshare/cmd/internal/forecast"
)

// crowded returns a recorded moment at which many more jobs wait, by the jobs that did come again.
func crowded(tb testing.TB, run, moment string, waiting int) *Site {
	s := pastMoment(tb, run, moment)
	isWaiting := func(letter byte) bool { return letter == 'Q' }
	list := slices.Clone(s.Now)
	n := 0
	for _, j := range list {
		if isWaiting(j.Letter) {
			n++
		}
	}
	for round := 1; n < waiting; round++ {
		for _, j := range list {
			if !isWaiting(j.Letter) || j.IsArray || n == waiting {
				continue
			}
			again := j
			of := *j.Job
			of.ID = strconv.Itoa(round) + "-" + j.ID
			again.Job = &of
			s.Now = append(s.Now, again)
			n++
		}
	}
	return s
}

// A thousand jobs wait, and what is to come is drawn a hundred times, or RUNS times: goal 10 s on two cores, 1 GB.
func BenchmarkThousand(b *testing.B) {
	for _, run := range [][2]string{{"P1x", "1772462700"}, {"Q1", "1772462406"}} {
		b.Run(run[0], func(b *testing.B) {
			s := crowded(b, run[0], run[1], 1000)
			b.ReportAllocs()
			for b.Loop() {
				f, err := forecastOf(s, forecast.Options{Runs: runsAsked(100), Seed: 1, Horizon: forecast.DefaultHorizon})
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
