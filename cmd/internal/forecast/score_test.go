package forecast

import (
	"math"
	"testing"
)

// How far an estimate from 10 to 30 hours, with 20 in the middle, is off, up to a bound of 40 hours.
func TestScore(t *testing.T) {
	const h = 3600
	for _, test := range []struct {
		at, bias, pinball   float64
		held, before, after int
	}{
		{20, 0, (.1*10 + .1*10) / 3, 1, 0, 0}, // a tenth of each end's distance, from inside
		{10, 10, (.5*10 + .1*20) / 3, 1, 0, 0},
		{9, 11, (.9*1 + .5*11 + .1*21) / 3, 0, 1, 0},
		{30, -10, (.1*20 + .5*10) / 3, 1, 0, 0},
		{31, -11, (.1*21 + .5*11 + .9*1) / 3, 0, 0, 1},
	} {
		var s Score
		s.Add(10*h, 20*h, 30*h, test.at*h, 40*h)
		if math.Abs(s.Bias-test.bias) > 1e-9 || math.Abs(s.MeanError()-math.Abs(test.bias)) > 1e-9 || math.Abs(s.MeanPinball()-test.pinball) > 1e-9 || s.Held() != test.held || s.Before != test.before || s.After != test.after {
			t.Errorf("a start at %v: %+v, pinball %v, want %v", test.at, s, s.MeanPinball(), test.pinball)
		}
	}
	var s Score
	s.Add(10*h, math.Inf(1), math.Inf(1), 20*h, 40*h)
	if s.MeanError() != 20 || s.Held() != 1 {
		t.Errorf("beyond the bound: %+v", s)
	}
}
