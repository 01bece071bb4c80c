package accrual

import (
	"math"
	"testing"

	"fairshare/usagefile"
)

func TestDecays(t *testing.T) {
	tests := []struct{ last, cycle, period, times, next int64 }{
		{1000, 1000, 100, 0, 1000},
		{1000, 900, 100, 0, 1000},
		{1000, 1100, 100, 0, 1000}, // the decay time is not over yet
		{1000, 1101, 100, 1, 1100},
		{1000, 1200, 100, 1, 1200},
		{1000, 1201, 100, 2, 1200},
		{1000, 1002, 0, 1, 1002}, // as every second
		{1000, 2000, math.MaxInt64, 0, 1000},
		{math.MaxInt64, 2000, 100, 0, math.MaxInt64},
	}
	for _, test := range tests {
		if times, next := Decays(test.last, test.cycle, test.period); times != test.times || next != test.next {
			t.Errorf("Decays(%d, %d, %d) = %d, %d, want %d, %d", test.last, test.cycle, test.period, times, next, test.times, test.next)
		}
	}
}

func TestFirstDecay(t *testing.T) {
	database := &usagefile.Database{LastDecay: 77}
	tests := []struct {
		cycle, known, period int64
		begin                *usagefile.Database
		want                 int64
	}{
		{1000, 0, 300, nil, 1000},
		{1000, 1700, 300, nil, 800},
		{1000, 100, 300, nil, 1000},
		{1000, 200, 300, nil, 800},
		{1000, 1200, math.MaxInt64, nil, 1200 - math.MaxInt64},
		{1000, 1700, 300, database, 77},
		{1000, 0, 300, &usagefile.Database{}, 1000},
	}
	for _, test := range tests {
		if got := FirstDecay(test.cycle, test.known, test.period, test.begin); got != test.want {
			t.Errorf("FirstDecay(%d, %d, %d, %v) = %d, want %d", test.cycle, test.known, test.period, test.begin, got, test.want)
		}
	}
}
