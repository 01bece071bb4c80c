package accrual

import (
	"math"
	"testing"
)

// As recorded runs have it: how old reports are some seconds after a job has started, and no other one since.
func TestSamples(t *testing.T) {
	for _, test := range []struct{ since, age float64 }{ // of R14, R3 and P1x
		{132, 19}, {150, 39}, {199, 46}, {290, 41}, {380, 6}, {440, 65}, {553, 32}, {732, 40}, {884, 98}, {1106, 111}, {1490, 29}, {1706, 118}, {2306, 117}, {2906, 111}, {4343, 105},
	} {
		s := NewSamples(-1000)
		s.Start(0)
		const off = 6 // seconds, of walltime and of when the job began
		if age := test.since - s.Before(test.since); math.Abs(age-test.age) > off {
			t.Errorf("%.0f s after a start the last report is %.1f s old, recorded %.0f", test.since, age, test.age)
		}
	}
	// Whoever asks often hears the same, and a start that is to come makes no difference yet.
	s, seldom := NewSamples(0), NewSamples(0)
	whole := NewSamples(0) // which forgets nothing
	for _, at := range []float64{50, 55, 300, 5000} {
		s.Start(at)
		seldom.Start(at)
		whole.Start(at)
	}
	last := 0.
	for now := 0.; now < 20000; now += 7 {
		if got := s.Before(now); got > now || got < last || now-got > longestLag+late {
			t.Fatalf("at %.0f the last sample is at %v, before it at %v", now, got, last)
		} else if all := whole.At(now); all != got {
			t.Fatalf("at %.0f the last sample is at %v, and without what was forgotten at %v", now, got, all)
		} else {
			last = got
		}
	}
	if got := seldom.Before(20000 - 1); math.Abs(got-s.Before(20000-1)) > 1e-6 {
		t.Errorf("the last sample is at %v and at %v", got, s.Before(20000-1))
	}
}
