package sched

import (
	"context"
	"strings"
	"testing"

	"fairshare/fstree"
)

// When the last of some jobs starts beside a MAGNETIC reservation of the first of two nodes of 4 CPUs from 1000 to 2000, for which
// none of them asks. Times count from the first job, which has a CPU of the second node for a second.
func TestMagnetic(t *testing.T) {
	const begin = 1_000_000
	fixed := func(j *Job, priority uint32) *Job {
		j.IsFixed, j.Priority = true, priority
		return j
	}
	slots := func(s *Setup) { s.Backfill.HasMagneticPlans = true }
	ofOne := func(j *Job) *Job {
		j.Association = 2
		return j
	}
	isFlexibleOfOne := func(s *Setup) {
		s.Accounts, s.Tree = append(s.Accounts, Account{Parent: 0, User: 1, Limits: Unlimited(0)}), append(s.Tree, fstree.Association{Parent: 0, Name: "one", User: true, Shares: 1})
		s.Names = []AccountName{{}, {User: "u"}, {User: "one"}}
		s.Reservations[0].Guests.Users, s.Reservations[0].IsFlex = []string{"one"}, true
	}
	full := []*Job{asks(2, 1, 0, 4, 1200), asks(3, 2, 0, 4, 5000)} // which waits for the first to end
	for _, test := range []struct {
		name string
		fill bool
		set  func(s *Setup)
		jobs []*Job
		want int64 // when the last one starts, 0 for never
	}{
		{"in it, when it has begun", false, nil, []*Job{asks(2, 1205, 0, 1, 100)}, 1206},
		{"for longer than it lasts", false, nil, []*Job{asks(2, 1205, 0, 1, 5000)}, 1206},
		{"as it begins", false, nil, []*Job{asks(2, 10, 0, 1, 5000)}, 1000},
		{"as it begins, by backfill", true, nil, []*Job{asks(2, 10, 0, 1, 5000)}, 1000},
		{"before it begins, outside of it", false, nil, []*Job{asks(2, 10, 0, 1, 500)}, 11},
		{"after it, outside of it", false, nil, []*Job{asks(2, 2105, 0, 1, 500)}, 2106},
		{"who waited before it was known", false, nil, full, 1202},
		{"one that is flexible, before it begins", false, func(s *Setup) { s.Reservations[0].IsFlex = true }, []*Job{asks(2, 10, 0, 1, 5000)}, 11},
		{"not one that lets others in", false, func(s *Setup) { s.Reservations[0].Guests.Users = []string{"somebody"} }, []*Job{asks(2, 1205, 0, 1, 100)}, 2000},
		{"before one of a higher priority that it lets in not", false, isFlexibleOfOne, []*Job{asks(2, 1100, 1, 4, 100), fixed(ofOne(asks(3, 1110, 1, 4, 300)), 1), fixed(asks(4, 1120, 1, 4, 60), 900)}, 1500},
		{"a plan in it holds up nobody", true, nil, []*Job{asks(2, 1100, 0, 3, 300), fixed(asks(3, 1110, 0, 4, 600), 900), fixed(asks(4, 1120, 0, 1, 800), 1)}, 1131},
		{"a plan in it, with bf_allow_magnetic_slot", true, slots, []*Job{asks(2, 1100, 0, 3, 300), fixed(asks(3, 1110, 0, 4, 600), 900), fixed(asks(4, 1120, 0, 1, 800), 1)}, 2000},
	} {
		s := pair()
		both := nodesOf([]Share{{Node: 0}, {Node: 1}}, 2)
		s.Partitions = append(s.Partitions, Partition{Nodes: both})
		s.Reservations = []Reservation{{Name: "r", Nodes: nodesOf([]Share{{Node: 0}}, 2), Start: begin + 1000, End: begin + 2000, Known: begin + 5, ID: 7, IsMagnetic: true}}
		if s.Names == nil {
			s.Names = make([]AccountName, len(s.Accounts))
		}
		if test.fill {
			s.Backfill = &Backfilling{Interval: 30, Resolution: 60, Window: 86_400, MaxTest: 100}
		}
		if test.set != nil {
			test.set(s)
		}
		got := lastOf(t, s, append([]*Job{asks(1, 0, 1, 1, 1)}, test.jobs...), begin).Start
		if got > 0 {
			got -= begin
		}
		if got != test.want {
			t.Errorf("%s: it starts at %d, want %d", test.name, got, test.want)
		}
	}
}

// A job that a reservation attracts and that finds no room there waits outside of it behind those of its partition, and is said to.
// One that comes when the reservation is over waits behind them alone.
func TestWaitsOutside(t *testing.T) {
	const begin = 1_000_000
	causes := func(end int64) string {
		s := pair()
		s.Reservations = []Reservation{{Name: "r", Nodes: nodesOf([]Share{{Node: 0}}, 2), Start: begin, End: begin + end, ID: 7, IsMagnetic: true}}
		s.Reservations[0].Guests.Users, s.Names = []string{"u"}, []AccountName{{}, {User: "u"}}
		jobs := []*Job{asks(1, begin, 0, 4, 500), asks(2, begin+10, 0, 4, 500), asks(3, begin+20, 0, 1, 600)}
		result, err := Run(context.Background(), s, jobs, Options{Why: true})
		if err != nil {
			t.Fatal(err)
		}
		var reasons []string
		for _, c := range result.Causes {
			reasons = append(reasons, c.Reason)
		}
		return strings.Join(reasons, "\n")
	}
	if got := causes(2000); !strings.Contains(got, WaitsOutside) || strings.Contains(got, WaitsForPriority) {
		t.Errorf("in the reservation: %s", got)
	}
	if got := causes(5); strings.Contains(got, WaitsOutside) || !strings.Contains(got, WaitsForPriority) {
		t.Errorf("after the reservation: %s", got)
	}
}
