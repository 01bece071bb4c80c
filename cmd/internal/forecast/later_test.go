package forecast

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/trace"
)

// Whatever comes later than the moment of a forecast changes none of it: the logs of a recorded
// run are read to their end, and all that they tell of later times is moved and dropped.
func TestNothingLater(t *testing.T) {
	const dir = "../../../testdata/replay/P1x/snapshot"
	open := func(change func(*trace.Trace, int64)) []*Job {
		s := openMoment(t, dir, false)
		s.At = s.Past.First + 8*hour
		s.Now = nil
		for _, j := range s.Past.Jobs {
			n := trace.Now{Job: j, Letter: 'Q', Eligible: trace.Unknown, Used: trace.Unknown}
			switch {
			case j.Arrival == trace.Unknown || j.Arrival > s.At || j.End != trace.Unknown && j.End <= s.At:
				continue
			case j.Start != trace.Unknown && j.Start <= s.At:
				n.Letter = 'R'
			}
			of := *j
			if of.End = trace.Unknown; n.Letter == 'Q' {
				of.Start = trace.Unknown
			}
			n.Job = &of
			s.Now = append(s.Now, n)
		}
		change(s.Past, s.At)
		f, err := Make(context.Background(), s, Options{Runs: 5, Seed: 1, Horizon: 4 * day})
		if err != nil {
			t.Fatal(err)
		}
		return f.Jobs
	}
	was := open(func(*trace.Trace, int64) {})
	if len(was) < 5 {
		t.Fatalf("%d jobs wait", len(was))
	}
	random := rand.New(rand.NewPCG(1, 2))
	is := open(func(past *trace.Trace, at int64) {
		past.Jobs = slices.DeleteFunc(past.Jobs, func(j *trace.Job) bool { return j.Arrival > at && j.Queued > at && random.IntN(2) == 0 })
		past.Last += 100 * day
		for _, j := range past.Jobs {
			for _, when := range []*int64{&j.Start, &j.End} {
				if *when != trace.Unknown && *when > at {
					*when += random.Int64N(day)
				}
			}
			j.End = max(j.End, j.Start)
		}
	})
	for i, j := range was {
		if !slices.Equal(j.Starts, is[i].Starts) || j.Requested != is[i].Requested || j.Place != is[i].Place {
			t.Fatalf("%s: %v, once later times were moved %v", j.ID, j.Starts, is[i].Starts)
		}
	}
}
