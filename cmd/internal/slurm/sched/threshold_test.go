package sched

import (
	"context"
	"testing"
)

// When a job of a CPU starts that comes behind one which does not fit. Times count from the first job, which has
// 3 of 4 CPUs for 5000 seconds; priorities are 1.
func TestReserve(t *testing.T) {
	const begin, held = 1_000_000, 5063
	fill := func(s *Setup) { s.Backfill = &Backfilling{Interval: 30, Resolution: 60, Window: 86_400} }
	for _, test := range []struct {
		name string
		set  func(s *Setup)
		want int64
	}{
		{"it waits", nil, held},
		{"as much as bf_min_prio_reserve", func(s *Setup) { s.Threshold.Priority = 1 }, held},
		{"less than bf_min_prio_reserve", func(s *Setup) { s.Threshold.Priority = 2 }, 21},
		{"less, with plans", func(s *Setup) { fill(s); s.Threshold.Priority = 2 }, 21},
		{"as old as bf_min_age_reserve", func(s *Setup) { s.Threshold.Age = 11 }, held},
		{"not as old as bf_min_age_reserve", func(s *Setup) { s.Threshold.Age = 12 }, 21},
		{"MinPrioThres of the QOS", func(s *Setup) { s.QOS[0].Limits.LeastPriority = 2 }, 21},
		{"as much as that", func(s *Setup) { s.QOS[0].Limits.LeastPriority = 1 }, held},
		{"it counts in place of bf_min_prio_reserve", func(s *Setup) { s.Threshold.Priority, s.QOS[0].Limits.LeastPriority = 2, 1 }, held},
		{"that of the association", func(s *Setup) { s.Accounts[1].Limits.LeastPriority = 2 }, 21},
		{"that of the QOS counts before it", func(s *Setup) { s.QOS[0].Limits.LeastPriority, s.Accounts[1].Limits.LeastPriority = 1, 2 }, held},
		{"that of an account above does not count", func(s *Setup) { s.Accounts[0].Limits.LeastPriority = 2 }, held},
		{"with plans", fill, held - 2},
		{"NoReserve of the QOS, of plans alone", func(s *Setup) { fill(s); s.QOS[0].NoReserve = true }, 31},
		{"NoReserve has no effect without them", func(s *Setup) { s.QOS[0].NoReserve = true }, held},
	} {
		s := pair()
		if test.set != nil {
			test.set(s)
		}
		jobs := []*Job{asks(1, begin, 0, 3, 5000), asks(2, begin+10, 0, 4, 60), asks(3, begin+20, 0, 1, 7000)}
		if _, err := Run(context.Background(), s, jobs, Options{}); err != nil {
			t.Fatal(err)
		}
		if got := jobs[2].Start - begin; got != test.want {
			t.Errorf("%s: it starts at %d, want %d", test.name, got, test.want)
		}
		if jobs[1].Start == 0 {
			t.Errorf("%s: the one before it never starts", test.name)
		}
	}
	s := pair()
	if err := s.Set("bf_min_age_reserve", "60"); err != nil || s.Threshold.Age != 60 {
		t.Errorf("it counts for main passes, and so without backfill: %v", err)
	}
	if err := s.Set("bf_one_resv_per_job", "1"); err == nil {
		t.Error("it counts for cycles alone")
	}
	fill(s)
	for value, want := range map[string]bool{"": true, "1": true, "0": false} {
		if err := s.Set("bf_one_resv_per_job", value); err != nil || s.Backfill.HasOnePlan != want {
			t.Errorf("bf_one_resv_per_job=%s: %v, %v", value, s.Backfill.HasOnePlan, err)
		}
	}
	if err := s.Set("bf_one_resv_per_job", "2"); err == nil {
		t.Error("bf_one_resv_per_job=2 is taken")
	}
}
