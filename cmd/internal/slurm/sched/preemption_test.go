package sched

import (
	"context"
	"math/rand/v2"
	"testing"
)

// anyPreemption lets jobs of some QOS, or of partitions of higher tiers, take others off their nodes, and lifts most limits, so
// that they often do.
func anyPreemption(r *rand.Rand, s *Setup) {
	for i := range s.Accounts {
		s.Accounts[i].Limits = Unlimited(2)
	}
	for q := range s.QOS[1:] {
		s.QOS[1+q].Limits = Unlimited(2)
	}
	x := &s.Preemption
	x.Mode, x.Exempt = []PreemptMode{ModeCancel, ModeRequeue}[r.IntN(2)], int64(r.IntN(2)*r.IntN(900))
	x.IsYoungest, x.IsStrict, x.Reorder = r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(3)
	s.KillWait, s.CredentialLife = int64(r.IntN(60)), int64(r.IntN(900))
	if s.PreemptType = "preempt/partition_prio"; r.IntN(2) == 0 {
		return
	}
	s.PreemptType = "preempt/qos"
	for q := range s.QOS {
		for over := range q {
			if r.IntN(2) == 0 {
				s.QOS[q].Preempts = append(s.QOS[q].Preempts, s.QOS[over].Name)
			}
		}
		s.QOS[q].PreemptMode, s.QOS[q].Grace = []PreemptMode{ModeUnset, ModeCancel, ModeRequeue}[r.IntN(3)], int64(r.IntN(2)*r.IntN(90))
	}
}

// What a job that may preempt and comes at 130 does to one that has its node since the second after 0: when it starts, and
// how often the other one is taken off its node, and when that is over.
func TestPreempted(t *testing.T) {
	const begin = 1_000_000
	byQOS := func(mode PreemptMode) func(s *Setup) {
		return func(s *Setup) {
			s.PreemptType, s.Preemption.Mode = "preempt/qos", mode
			s.QOS = []QOS{{Name: "low", Limits: Unlimited(0), UsageFactor: 1}, {Name: "high", Limits: Unlimited(0), UsageFactor: 1, Preempts: []string{"low"}}}
		}
	}
	byTier := func(mode PreemptMode) func(s *Setup) {
		return func(s *Setup) {
			byQOS(mode)(s)
			s.PreemptType, s.QOS[1].Preempts = "preempt/partition_prio", nil
			s.Partitions = append(s.Partitions, Partition{Name: "urgent", Nodes: s.Partitions[0].Nodes, Tier: 10})
		}
	}
	with := func(first, then func(s *Setup)) func(s *Setup) { return func(s *Setup) { first(s); then(s) } }
	for _, test := range []struct {
		name               string
		set                func(s *Setup)
		start, taken, over int64
	}{
		{"CANCEL: it is over at once, and a pass follows", byQOS(ModeCancel), 131, 1, 131},
		{"REQUEUE: it waits for 121 seconds, and starts anew", byQOS(ModeRequeue), 131, 1, 1253},
		{"cred_expire of AuthInfo: it waits for as long, and a second", with(byQOS(ModeRequeue), func(s *Setup) { s.CredentialLife = 7200 }), 131, 1, 8333},
		{"REQUEUE where jobs may not be requeued: it is over", with(byQOS(ModeRequeue), func(s *Setup) { s.NoRequeue = true }), 131, 1, 131},
		{"OFF: it goes on", byQOS(ModeOff), 1002, 0, 1001},
		{"a mode of its QOS counts first", with(byQOS(ModeRequeue), func(s *Setup) { s.QOS[0].PreemptMode = ModeCancel }), 131, 1, 131},
		{"none of its QOS is that of the site", with(byQOS(ModeCancel), func(s *Setup) { s.QOS[0].PreemptMode = ModeOff }), 131, 1, 131},
		{"GraceTime: it goes on for 50 seconds", with(byQOS(ModeCancel), func(s *Setup) { s.QOS[0].Grace = 50 }), 181, 1, 181},
		{"GraceTime beyond its end", with(byQOS(ModeCancel), func(s *Setup) { s.QOS[0].Grace = 5000 }), 1002, 0, 1001},
		{"PreemptExemptTime: it is left alone for 300 seconds", with(byQOS(ModeCancel), func(s *Setup) { s.Preemption.Exempt = 300 }), 400, 1, 400},
		{"that of its QOS counts first", with(byQOS(ModeCancel), func(s *Setup) { s.Preemption.Exempt, s.QOS[0].PreemptExempt = 300, 50 }), 131, 1, 131},
		{"PriorityTier: a higher one preempts", byTier(ModeCancel), 131, 1, 131},
		{"the same does not", with(byTier(ModeCancel), func(s *Setup) { s.Partitions[2].Tier = 0 }), 1002, 0, 1001},
		{"a mode of its partition counts first", with(byTier(ModeCancel), func(s *Setup) { s.Preemption.Partitions = []PreemptMode{ModeOff, ModeUnset, ModeUnset} }), 1002, 0, 1001},
		{"GraceTime of its partition", with(byTier(ModeCancel), func(s *Setup) { s.Preemption.Grace = []int64{50, 0, 0} }), 181, 1, 181},
	} {
		s := pair()
		test.set(s)
		low, high := asks(1, begin, 0, 4, 1000), asks(2, begin+130, len(s.Partitions)-1, 4, 60)
		if high.QOS = 1; s.PreemptType == "preempt/qos" {
			high.Partition = 0
		}
		result, err := Run(context.Background(), s, []*Job{low, high}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if start, over := high.Start-begin, low.End-begin; start != test.start || over != test.over || int64(result.Evicted) != test.taken {
			t.Errorf("%s: it starts at %d, and the other one is over at %d, taken off %d times; want %d, %d and %d", test.name, start, over, result.Evicted, test.start, test.over, test.taken)
		}
	}
}

// When a job starts, by the rules of 22.05 and of 24.11, that comes at 100 and may preempt the one that has half of a node of 4
// CPUs since the second after 0, and how many jobs go for it. The other half is another's, and a job before it that preempts
// nobody waits for the whole node: it holds up main passes. A cycle follows in the same second, and every 31 or 30 seconds.
func TestPreemptedByCycles(t *testing.T) {
	const begin = 1_000_000
	for _, test := range []struct {
		name   string
		set    func(s *Setup, low, high *Job)
		starts [2]int64
		taken  int64
	}{
		{"it goes at once, and the next cycle starts the job", func(s *Setup, low, high *Job) {}, [2]int64{131, 130}, 1},
		{"not where the job would delay the one before it", func(s *Setup, low, high *Job) { high.Limit, high.Run = 2000, 2000 }, [2]int64{1061, 1061}, 0},
		{"nor without backfill", func(s *Setup, low, high *Job) { s.Backfill = nil }, [2]int64{1063, 1063}, 0},
		{"nor where a limit keeps the job", func(s *Setup, low, high *Job) { s.QOS[2].Limits.AllTRES[0] = 1 }, [2]int64{0, 0}, 0},
		{"nor where it has enough beside it", func(s *Setup, low, high *Job) {
			low.Request.CPUs, low.Request.Tasks, high.Request.CPUs, high.Request.Tasks = 1, 1, 1, 1
		}, [2]int64{100, 100}, 0},
		{"GraceTime: it goes later, and so does the start", func(s *Setup, low, high *Job) { s.QOS[1].Grace = 50 }, [2]int64{162, 160}, 1},
		{"NoReserve: it goes all the same", func(s *Setup, low, high *Job) { s.QOS[2].NoReserve = true }, [2]int64{131, 130}, 1},
		{"PreemptExemptTime: it goes by the first cycle after that", func(s *Setup, low, high *Job) { s.Preemption.Exempt = 300 }, [2]int64{348, 340}, 1},
	} {
		for k, version := range [][2]int{{22, 5}, {24, 11}} {
			for _, isPlain := range []bool{false, true} {
				s := pair()
				s.Version, s.PreemptType, s.Preemption.Mode, s.KillWait = version, "preempt/qos", ModeCancel, 30
				s.QOS = []QOS{{Name: "top", Limits: Unlimited(0), UsageFactor: 1, Priority: 9}, {Name: "low", Limits: Unlimited(0), UsageFactor: 1}, {Name: "high", Limits: Unlimited(0), UsageFactor: 1, Preempts: []string{"low"}}}
				s.Conf.Weights.QOS = 1000
				s.Backfill = &Backfilling{Interval: 30, Resolution: 60, Window: 86_400, IsBySpan: s.IsBySpan()}
				low, other, whole, high := asks(1, begin, 0, 2, 1000), asks(2, begin, 0, 2, 1000), asks(3, begin+50, 0, 4, 60), asks(4, begin+100, 0, 2, 60)
				low.QOS, high.QOS = 1, 2
				test.set(s, low, high)
				result, err := Run(context.Background(), s, []*Job{low, other, whole, high}, Options{isPlain: isPlain})
				if err != nil {
					t.Fatal(err)
				}
				start := high.Start
				if start > 0 {
					start -= begin
				}
				if start != test.starts[k] || int64(result.Evicted) != test.taken {
					t.Errorf("%s, %v, without short cuts %v: it starts at %d, and %d jobs go; want %d and %d", test.name, version, isPlain, start, result.Evicted, test.starts[k], test.taken)
				}
			}
		}
	}
}

// A job for which one goes at 131, whose place another takes at 151, has none go before KillWait is over at 231: the full pass at
// 300 has the one on the other node go, though nothing has changed since that at 200.
func TestPreemptsAgain(t *testing.T) {
	const begin = 1_000_000
	for _, isPlain := range []bool{false, true} {
		s := pair()
		s.Partitions = append(s.Partitions, Partition{Nodes: nodesOf([]Share{{Node: 0}, {Node: 1}}, 2)})
		s.PreemptType, s.Preemption.Mode, s.KillWait = "preempt/qos", ModeCancel, 100
		s.QOS = []QOS{{Name: "top", Limits: Unlimited(0), UsageFactor: 1, Priority: 9}, {Name: "low", Limits: Unlimited(0), UsageFactor: 1, Grace: 20}, {Name: "high", Limits: Unlimited(0), UsageFactor: 1, Preempts: []string{"low"}}}
		s.Conf.Weights.QOS = 1000
		low, other, high, top := asks(1, begin, 0, 4, 1000), asks(2, begin, 1, 4, 1000), asks(3, begin+130, 2, 4, 60), asks(4, begin+140, 0, 4, 1000)
		low.QOS, other.QOS, high.QOS = 1, 1, 2
		result, err := Run(context.Background(), s, []*Job{low, other, high, top}, Options{isPlain: isPlain})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := [3]int64{low.End - begin, top.Start - begin, high.Start - begin}, [3]int64{151, 151, 320}; got != want || result.Evicted != 2 {
			t.Errorf("without short cuts %v: one goes at %d, another starts at %d, and the job at %d; want %d", isPlain, got[0], got[1], got[2], want)
		}
	}
}

// While the job that has three of four CPUs goes on for its grace time, plans expect it to be over at its end: the short job that comes then
// and would have the fourth CPU for 1000 seconds is not started before the one for which it goes.
func TestPlansExpectGrace(t *testing.T) {
	const begin = 1_000_000
	for _, version := range [][2]int{{22, 5}, {24, 11}} {
		for _, isPlain := range []bool{false, true} {
			s := pair()
			s.Version, s.PreemptType, s.Preemption.Mode, s.KillWait = version, "preempt/qos", ModeCancel, 30
			s.QOS = []QOS{{Name: "low", Limits: Unlimited(0), UsageFactor: 1, Grace: 150}, {Name: "high", Limits: Unlimited(0), UsageFactor: 1, Priority: 9, Preempts: []string{"low"}}}
			s.Conf.Weights.QOS = 1000
			s.Backfill = &Backfilling{Interval: 30, Resolution: 60, Window: 86_400, IsBySpan: s.IsBySpan()}
			low, high, short := asks(1, begin, 0, 3, 5000), asks(2, begin+130, 0, 4, 60), asks(3, begin+140, 0, 1, 1000)
			high.QOS = 1
			if _, err := Run(context.Background(), s, []*Job{low, high, short}, Options{isPlain: isPlain}); err != nil {
				t.Fatal(err)
			}
			if low.End-begin > 290 || high.Start-begin > 300 || short.Start < high.Start {
				t.Errorf("%v, without short cuts %v: one goes at %d, for one that starts at %d; the short one starts at %d", version, isPlain, low.End-begin, high.Start-begin, short.Start-begin)
			}
		}
	}
}

// A job of a reservation has others go from its nodes in a main pass as any other does, but not before the reservation begins.
func TestPreemptsInReservation(t *testing.T) {
	const begin = 1_000_000
	for from, want := range map[int64]int64{100: 131, 500: 500} {
		s := pair()
		s.PreemptType, s.Preemption.Mode = "preempt/qos", ModeCancel
		s.QOS = []QOS{{Name: "low", Limits: Unlimited(0), UsageFactor: 1}, {Name: "high", Limits: Unlimited(0), UsageFactor: 1, Preempts: []string{"low"}}}
		s.Reservations = []Reservation{{Name: "r", Nodes: nodesOf([]Share{{Node: 0}}, 2), Start: begin + from, End: begin + 9000, Known: begin + 50, ID: 7}}
		low, high := asks(1, begin, 0, 4, 1000), asks(2, begin+130, 0, 4, 60)
		high.QOS, high.Reservation = 1, 7
		if _, err := Run(context.Background(), s, []*Job{low, high}, Options{}); err != nil {
			t.Fatal(err)
		}
		if low.End-begin != want || high.Start-begin != want {
			t.Errorf("a reservation from %d on: one goes at %d, for one that starts at %d; want %d", from, low.End-begin, high.Start-begin, want)
		}
	}
}
