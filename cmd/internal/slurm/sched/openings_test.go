package sched

import (
	"math"
	"math/rand/v2"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// When a job may start beside a reservation of the first of two nodes of 4 CPUs from 1000 to 2000, from some time on.
func TestOpenings(t *testing.T) {
	in := func(j *Job, id int32) *Job {
		j.Reservation = id
		return j
	}
	never := math.Inf(1)
	for _, test := range []struct {
		name     string
		job      *Job
		set      func(k *Reservation)
		at, want float64
	}{
		{"over before it", asks(1, 0, 0, 1, 100), nil, 900, 900},
		{"within it, as it would run into it", asks(1, 0, 0, 1, 100), nil, 901, 2000},
		{"within it", asks(1, 0, 0, 1, 100), nil, 1999.5, 2000},
		{"after it", asks(1, 0, 0, 1, 100), nil, 2000, 2000},
		{"on the other node", asks(1, 0, 1, 1, 100), nil, 1500, 1500},
		{"in it, before it", in(asks(1, 0, 0, 1, 100), 7), nil, 10, 1000},
		{"in it, after it", in(asks(1, 0, 0, 1, 100), 7), nil, 2000, never},
		{"in one that is flexible, before it", in(asks(1, 0, 0, 1, 100), 7), func(k *Reservation) { k.IsFlex = true }, 10, 10},
		{"in one that attracts it", asks(1, 0, 0, 1, 5000), func(k *Reservation) { k.IsMagnetic = true }, 10, 1000},
		{"in one that attracts others", asks(1, 0, 0, 1, 5000), func(k *Reservation) { k.IsMagnetic, k.Guests.Users = true, []string{"somebody"} }, 10, 2000},
		{"of more CPUs than there are", asks(1, 0, 0, 5, 100), nil, 10, never},
	} {
		s := pair()
		s.Names = make([]AccountName, len(s.Accounts))
		s.Reservations = []Reservation{{Name: "r", Nodes: nodesOf([]Share{{Node: 0}}, 2), Start: 1000, End: 2000, ID: 7}}
		if test.set != nil {
			test.set(&s.Reservations[0])
		}
		if got := s.Openings().Next(test.job, test.at); got != test.want {
			t.Errorf("%s: from %v on at %v, want %v", test.name, test.at, got, test.want)
		}
	}
	if pair().Openings() != nil {
		t.Error("a site without reservations has times at which no job may start")
	}
}

// On random sites with reservations an opening is the first time at which a main pass finds nodes for the job where none is
// in use.
func TestOpeningsArePasses(t *testing.T) {
	later, at := 0, 0
	for seed := range uint64(workshop.Part(300)) {
		s, jobs := keptSetup(seed)
		r := rand.New(rand.NewPCG(seed, 63))
		for i := range s.Reservations {
			s.Reservations[i].ID, s.Reservations[i].IsFlex = int32(i+1), r.IntN(4) == 0
		}
		o := s.Openings()
		if o == nil {
			continue
		}
		reservations, l := byEnd(s.Reservations), NewLedger(s)
		up := NewSet(len(s.Nodes))
		for i := range s.Nodes {
			up.Add(i)
		}
		finds := func(j *Job, at int64) bool {
			p := newPass(NewMachine(s.Cluster), o.empty, l, up, NewSet(len(s.Nodes)))
			p.reservations, p.now = reservations, at
			v, _ := p.try(j)
			return v == started || p.over.kind != noLimit // of the nodes that it would have
		}
		for _, j := range jobs[:20] {
			if j.Reservation = 0; r.IntN(3) == 0 {
				j.Reservation = 1 + r.Int32N(int32(len(s.Reservations)))
			}
			if j.hasPlaces() || s.Barrier().Never(j) != nil || !s.Fits(j) || !l.admits(j) || l.lacks(j) {
				continue
			}
			j.Request = s.requestIn(j.Request, j.Partition)
			from := reservations[0].Start - 500 + r.Int64N(10_000)
			next := o.Next(j, float64(from))
			for range 50 {
				before := from + r.Int64N(int64(min(next, float64(from+20_000)))-from+1)
				if float64(before) < next && finds(j, before) {
					t.Fatalf("seed %d: job %d finds nodes at %d, and may start from %v on", seed, j.ID, before, next)
				}
			}
			at++
			if !math.IsInf(next, 1) && !finds(j, int64(next)) {
				t.Fatalf("seed %d: job %d finds no nodes at %v", seed, j.ID, next)
			}
			if next > float64(from) {
				later++
			}
		}
	}
	if later == 0 || at == later {
		t.Errorf("%d of %d jobs wait for a reservation: nothing is tested", later, at)
	}
}
