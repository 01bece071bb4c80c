package sched

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/slurm"
	"fairshare/fstree"
)

// What runs add to usage is what sweeps and ends charge one after the other, with and without decay, whatever came first; and taken away again, what was
// used before them is left, in an account as in its user, and of a budget, also one of a QOS whose use does not decay.
func TestRewind(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, halfLife := range []float64{0, 3600, 86400} {
		for range 200 {
			s := &Setup{Conf: &slurm.Conf{HalfLife: halfLife, CalcPeriod: 300, DampFactor: 1}, Cluster: &Cluster{Partitions: []Partition{{Name: "p"}}},
				QOS: []QOS{{UsageFactor: .5, Limits: Unlimited(0)}, {UsageFactor: 2, NoDecay: true, Limits: Unlimited(0)}}}
			s.Tree = []fstree.Association{{Parent: -1, Name: "root"}, {Parent: 0, Name: "a", Shares: 1}, {Parent: 1, Name: "u", Shares: 1, User: true}, {Parent: 1, Name: "v", Shares: 1, User: true}}
			for i, before := range []float64{5000, 5000, 4000, 1000} {
				s.Tree[i].Usage = before
				s.Accounts = append(s.Accounts, Account{Parent: int(s.Tree[i].Parent), User: -1, Limits: Unlimited(0)})
			}
			begin, swept := int64(1000+random.IntN(300)), int64(random.IntN(300))
			printed := begin + 1 + random.Int64N(4*3600)
			had := Usage{TRES: make([]float64, fixedAmounts), Wall: 700}
			had.TRES[0] = 7000
			given := make(Amounts, fixedAmounts)
			given[0] = 3
			var runs []RecordedUse
			for range random.IntN(6) {
				r := RecordedUse{Job: &Job{Association: 2 + random.IntN(2), QOS: random.IntN(2), Billing: 1 + random.Float64(), Given: given}, Given: given, Start: begin + random.Int64N(printed-begin)}
				if random.IntN(3) > 0 {
					r.End = r.Start + random.Int64N(3*3600)
				}
				runs = append(runs, r)
			}

			// As the engine does it, second by second.
			s.QOS[0].Limits.AllWall, s.QOS[1].Limits.AllWall = 1e9, 1e9
			for i := range s.QOS {
				s.QOS[i].Used = Usage{slices.Clone(had.TRES), had.Wall}
			}
			p := newPriorities(s.Conf, slices.Clone(s.Tree), s.QOS, s.Cluster, begin)
			e := &engine{Setup: s, priorities: p, ledger: NewLedger(s)}
			for e.now = begin + 1; e.now <= printed; e.now++ {
				for i := range runs {
					if r := &runs[i]; r.End == e.now && r.End > r.Start {
						r.Job.Start = r.Start
						e.charge(r.Job)
					}
				}
				if (e.now-swept)%300 == 0 {
					e.ledger.decay(p.decay(e.now))
					for i := range runs {
						if r := &runs[i]; r.Start < e.now && (r.End == 0 || r.End > e.now) {
							r.Job.Start = r.Start
							e.charge(r.Job)
						}
					}
					p.swept = e.now
				}
			}
			then := *s
			then.Tree = slices.Clone(p.usage)
			then.QOS = slices.Clone(s.QOS)
			for i := range then.QOS {
				then.QOS[i].Used = e.ledger.byQOS[i].used
			}
			of := then.Rewind(slices.Values(runs), begin, printed, swept)
			if of.Over != 0 {
				t.Fatalf("%g of it is said to be more than was printed", of.Over)
			}
			last := LastSweep(s.Conf, printed, swept)
			if last < begin {
				continue // nothing is charged but by ends, and decay of before is not undone
			}
			near := func(what string, got, want float64) {
				if math.Abs(got-want) > 1e-6*want {
					t.Fatalf("half-life %g, from %d to %d: %s %v, want %v", halfLife, begin, printed, what, got, want)
				}
			}
			for i := range then.Tree {
				near(then.Tree[i].Name, then.Tree[i].Usage, s.Tree[i].Usage)
			}
			for i := range then.QOS {
				near("wall of a QOS", then.QOS[i].Used.Wall, had.Wall)
				near("CPU time of a QOS", then.QOS[i].Used.TRES[0], had.TRES[0])
			}
		}
	}
}
