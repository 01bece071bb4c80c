package sched

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// When the last of some jobs starts beside a reservation of the first of two nodes of 4 CPUs from 1000 to 2000.
// Times count from the first job, which has a CPU of the second node for a second.
func TestReserved(t *testing.T) {
	const begin = 1_000_000
	in := func(j *Job, id int32) *Job {
		j.Reservation = id
		return j
	}
	for _, test := range []struct {
		name string
		fill bool
		flex bool
		jobs []*Job
		want int64 // when the last one starts, 0 for never
	}{
		{"before it is known", false, false, []*Job{asks(2, 3, 0, 1, 5000)}, 3},
		{"over before it begins", false, false, []*Job{asks(2, 10, 0, 1, 989)}, 11},
		{"not over before it begins", false, false, []*Job{asks(2, 10, 0, 1, 990)}, 2000},
		{"the same by backfill", true, false, []*Job{asks(2, 10, 0, 1, 991)}, 2000},
		{"behind one that would run into it, which holds up others", false, false, []*Job{asks(2, 10, 0, 4, 3000), asks(3, 20, 0, 4, 900)}, 5000},
		{"behind one that would run into it, by backfill", true, false, []*Job{asks(2, 10, 0, 4, 3000), asks(3, 20, 0, 4, 900)}, 31},
		{"behind one that would run into it, for longer than there is time", true, false, []*Job{asks(2, 10, 0, 4, 300), asks(3, 20, 0, 4, 800)}, 2000},
		{"on the other node", false, false, []*Job{asks(2, 10, 1, 1, 5000)}, 11},
		{"on either node", false, false, []*Job{asks(2, 10, 2, 4, 5000)}, 11},
		{"in it, before it begins", false, false, []*Job{in(asks(2, 10, 0, 1, 100), 7)}, 1000},
		{"in it, before it begins, by backfill", true, false, []*Job{in(asks(2, 10, 0, 1, 100), 7)}, 1000},
		{"in it, when it has begun", false, false, []*Job{in(asks(2, 1205, 0, 1, 100), 7)}, 1206},
		{"in it, for longer than it lasts", false, false, []*Job{in(asks(2, 1205, 0, 1, 5000), 7)}, 1206},
		{"in it, but from any node of a partition", false, false, []*Job{asks(2, 1190, 1, 1, 10), in(asks(3, 1205, 2, 4, 100), 7)}, 1206},
		{"in it, where there is no room any more", false, false, []*Job{in(asks(2, 1205, 0, 4, 1000), 7), in(asks(3, 1210, 0, 1, 100), 7)}, 0},
		{"in it, when it is over", false, false, []*Job{in(asks(2, 2500, 0, 1, 100), 7)}, 0},
		{"in it, behind one of its partition that does not fit", false, false, []*Job{asks(2, 1100, 1, 4, 9000), asks(3, 1110, 1, 4, 100), in(asks(4, 1205, 0, 1, 100), 7)}, 1206},
		{"behind one in it that does not fit", false, false, []*Job{in(asks(2, 1205, 0, 4, 700), 7), in(asks(3, 1210, 2, 4, 100), 7), asks(4, 1220, 2, 1, 50)}, 1221},
		{"in one that nobody knows", false, false, []*Job{in(asks(2, 10, 0, 1, 100), 8)}, 0},
		{"in it, which is flexible, before it begins", false, true, []*Job{in(asks(2, 10, 0, 1, 5000), 7)}, 11},
		{"in it, which is flexible, on another node", true, true, []*Job{in(asks(2, 10, 1, 1, 5000), 7)}, 11},
	} {
		s := pair()
		both := nodesOf([]Share{{Node: 0}, {Node: 1}}, 2)
		s.Partitions = append(s.Partitions, Partition{Nodes: both})
		s.Reservations = []Reservation{{Name: "r", Nodes: nodesOf([]Share{{Node: 0}}, 2), Start: begin + 1000, End: begin + 2000, Known: begin + 5, ID: 7, IsFlex: test.flex}}
		if test.fill {
			s.Backfill = &Backfilling{Interval: 30, Resolution: 60, Window: 86_400, MaxTest: 100}
		}
		jobs := append([]*Job{asks(1, 0, 1, 1, 1)}, test.jobs...)
		got := lastOf(t, s, jobs, begin).Start
		if got > 0 {
			got -= begin
		}
		if got != test.want {
			t.Errorf("%s: it starts at %d, want %d", test.name, got, test.want)
		}
	}
}

// Random work on random sites with reservations that some jobs ask for, and with nodes that come and go: others
// do not run into one, its own and those which it attracts start in it and on its nodes alone, and all other rules hold, with and without short cuts.
func TestRulesOfReserved(t *testing.T) {
	scenarios, inside, attracted, ran := uint64(workshop.Part(300)), 0, 0, 0
	for seed := range scenarios {
		for _, plain := range []bool{false, true} {
			s, jobs := keptSetup(seed)
			r := rand.New(rand.NewPCG(seed, 62))
			for i := range s.Reservations {
				s.Reservations[i].ID, s.Reservations[i].IsFlex, s.Reservations[i].IsMagnetic = int32(i+1), r.IntN(4) == 0, r.IntN(4) == 0
			}
			for _, j := range jobs {
				if len(s.Reservations) > 0 && r.IntN(4) == 0 {
					j.Reservation = 1 + r.Int32N(int32(len(s.Reservations)))
				}
			}
			s.Outages = anyAway(r, s, jobs)
			result, err := Run(context.Background(), s, jobs, Options{isPlain: plain})
			if err != nil {
				t.Fatal(err)
			}
			for _, j := range result.Jobs {
				if j.Start == 0 {
					continue
				}
				ran++
				nodes := nodesOf(j.Shares, len(s.Nodes))
				in := j.Reservation // or one that has attracted it
				for _, k := range s.Reservations {
					if overlaps := k.Start < j.Start+j.Limit && j.Start < k.End && nodes.Meets(k.Nodes); in == 0 && k.IsMagnetic && overlaps {
						in = k.ID
						attracted++
					}
				}
				for _, k := range s.Reservations {
					isIn := k.Start <= j.Start && j.Start < k.End && nodes.within(k.Nodes)
					switch {
					case k.ID != in && k.Start < j.Start+j.Limit && j.Start < k.End && nodes.Meets(k.Nodes):
						t.Fatalf("seed %d: job %d runs into a reservation of others", seed, j.ID)
					case k.ID == in && !k.IsFlex && !isIn:
						t.Fatalf("seed %d: job %d starts outside its reservation", seed, j.ID)
					case k.ID == j.Reservation && isIn:
						inside++
					}
				}
				for _, a := range s.Outages {
					if nodes.Has(a.Node) && a.From <= j.Start && j.Start < a.To {
						t.Fatalf("seed %d: job %d starts on a node that is away", seed, j.ID)
					}
				}
				why := wrong(s, j)
				if why == "" {
					why = wrongAt(s, result.Jobs, j)
				}
				if why != "" {
					t.Fatalf("seed %d: job %d: %s", seed, j.ID, why)
				}
			}
		}
	}
	if inside < int(scenarios)*2 || ran < int(scenarios)*20 || attracted < int(scenarios)/2 {
		t.Errorf("only %d jobs ran, %d of them in their reservation and %d in one that attracted them: the test says little", ran, inside, attracted)
	}
}

// Of the jobs beside reservations, 1 in 1,000 at most starts otherwise without short cuts: whether a cycle makes another
// one follow may change with the time that is left until a reservation, and cycles that are left out do not see it.
func TestPlainReserved(t *testing.T) {
	scenarios := uint64(workshop.Part(200))
	others, all := 0, 0
	for seed := range scenarios {
		run := func(plain bool) []*Job {
			s, jobs := keptSetup(seed)
			result, err := Run(context.Background(), s, jobs, Options{isPlain: plain})
			if err != nil {
				t.Fatal(err)
			}
			return result.Jobs
		}
		fast, plain := run(false), run(true)
		for i, j := range fast {
			all++
			if k := plain[i]; j.Start != k.Start || !slices.Equal(j.Shares, k.Shares) {
				others++
			}
		}
	}
	if others*1000 > all {
		t.Errorf("%d of %d jobs start otherwise without short cuts", others, all)
	}
}
