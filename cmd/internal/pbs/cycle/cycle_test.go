package cycle

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/pbs"
	"fairshare/fstree"
)

// naive returns the order by its definition: after each start, sort all that is
// left by the keys, one after the other, and take the first.
func naive(jobs []Job, considered []int32, s Settings, static bool) []int32 {
	c := &Cycle{jobs: jobs, s: s}
	class := make([]int32, len(jobs)) // as the cycle begins
	left := map[int32]int32{}
	for _, i := range considered {
		class[i] = c.preemptClass(i)
		left[i] = max(1, jobs[i].Subjobs)
	}
	less := func(a, b int32) bool {
		if class[a] != class[b] {
			return class[a] < class[b]
		}
		if d := CompareMarks(jobs[a].Preempted, jobs[b].Preempted); d != 0 {
			return d < 0
		}
		va, vb := float64(jobs[a].Value), float64(jobs[b].Value)
		switch {
		case math.IsNaN(va) != math.IsNaN(vb):
			return math.IsNaN(vb)
		case !math.IsNaN(va) && va != vb:
			return va > vb
		}
		d, _ := c.compareFrom(4, a, b)
		return d < 0
	}
	var order []int32
	take := func(from []int32) {
		best := int32(-1)
		for _, i := range from {
			if left[i] > 0 && (best < 0 || less(i, best)) {
				best = i
			}
		}
		if !slices.Contains(order, best) {
			order = append(order, best)
		}
		if left[best]--; static {
			left[best] = 0
		}
		if s.Policy.FairShare && !static {
			s.Tree.Charge(jobs[best].Entity, s.Costs[best])
		}
	}
	anyLeft := func(from []int32) bool {
		return slices.ContainsFunc(from, func(i int32) bool { return left[i] > 0 })
	}
	if !s.Policy.ByQueue && !s.Policy.RoundRobin {
		for anyLeft(considered) {
			take(considered)
		}
		return order
	}
	queues, byQueue := c.byQueue(considered)
	for len(queues) > 0 {
		level := 1
		for s.Policy.RoundRobin && level < len(queues) && s.Queues[queues[level]].Priority == s.Queues[queues[0]].Priority {
			level++
		}
		for some := true; some; {
			some = false
			for _, q := range queues[:level] {
				if anyLeft(byQueue[q]) {
					take(byQueue[q])
					some = true
				}
			}
		}
		queues = queues[level:]
	}
	return order
}

// randomTree is two levels of groups, all entities equally deep, since paths
// of unequal length make PBS's comparison depend on the order of comparing.
func randomTree(r *rand.Rand) *fstree.Tree {
	text := ""
	number := 2
	for g := range 3 {
		text += fmt.Sprintf("g%d %d root %d\n", g, number, r.IntN(4))
		number++
		for u := range 4 {
			text += fmt.Sprintf("u%d%d %d g%d %d\n", g, u, number, g, r.IntN(3))
			number++
		}
	}
	tree, _ := fstree.ParseResourceGroup(text, 0)
	return tree
}

func randomCase(seed uint64) (jobs []Job, considered []int32, s Settings, static bool) {
	r := rand.New(rand.NewPCG(seed, 1))
	s = Settings{
		Tree: randomTree(r),
		Policy: fstree.Policy{
			FairShare: r.IntN(3) > 0, ByQueue: r.IntN(3) == 0, RoundRobin: r.IntN(3) == 0, Preemptive: r.IntN(3) == 0,
			SortKeys: []fstree.SortKey{{Resource: "ncpus", High: r.IntN(2) == 0}}[:r.IntN(2)],
		},
	}
	for q := range 4 {
		s.Queues = append(s.Queues, pbs.Queue{Name: fmt.Sprint("q", q), Priority: []int{0, 10, 10, 160, 170}[r.IntN(5)]})
	}
	prio := [][]string{nil, {"express_queue", "normal_jobs", "fairshare"}, {"starving_jobs", "normal_jobs", "express_queue+fairshare", "server_softlimits"}}[r.IntN(3)]
	s.Levels = NewLevels(&pbs.Sched{PreemptQueuePrio: 150, PreemptPrio: prio}, s.Queues)
	values := []float32{1, 2, float32(math.NaN()), float32(math.Inf(1)), 0, float32(math.Copysign(0, -1))}[:1+r.IntN(6)]
	for i := range 1 + r.IntN(40) {
		name := fmt.Sprintf("u%d%d", r.IntN(3), r.IntN(4))
		id, _ := s.Tree.Lookup(name)
		jobs = append(jobs, Job{
			Value: values[r.IntN(len(values))], Entity: id, Queue: int32(r.IntN(4)), Subjobs: int32(1 + r.IntN(3)/2*3), Rank: float64(r.IntN(5)),
		})
		jobs[i].Status = []Status{0, 0, Starving, OverServerLimit}[r.IntN(4)]
		jobs[i].Preempted = max(0, float64(r.IntN(6)-3))
		s.SortKeys = append(s.SortKeys, float64(r.IntN(3)))
		s.Costs = append(s.Costs, float64(r.IntN(4)))
		if r.IntN(6) > 0 {
			considered = append(considered, int32(i))
		}
	}
	s.SortKeys = s.SortKeys[:len(jobs)*len(s.Policy.SortKeys)]
	return jobs, considered, s, r.IntN(5) == 0
}

// The heaps give the order that sorting after every start would give.
func TestOrderIsThatOfItsDefinition(t *testing.T) {
	for seed := range uint64(3000) {
		jobs, considered, s, static := randomCase(seed)
		got, _ := Order(jobs, considered, s, static)
		jobs, considered, s, static = randomCase(seed) // with the tree as it was
		want := naive(jobs, considered, s, static)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %+v\n got %v\nwant %v", seed, s.Policy, got, want)
		}
	}
}

// A cycle that begins again is as a new one, wherever the one before was left.
func TestBeginAgain(t *testing.T) {
	var used Cycle
	for seed := range uint64(3000) {
		jobs, considered, s, static := randomCase(seed)
		want, _ := Order(jobs, considered, s, static)
		jobs, considered, s, static = randomCase(seed)
		for _, most := range []int{int(seed % 7), len(jobs)} {
			_, _, again, _ := randomCase(seed) // with the tree as it was
			s.Tree = again.Tree
			used.Begin(jobs, considered, s)
			var got []int32
			for i, ok := used.Next(); ok && (len(got) < most || most == len(jobs)); i, ok = used.Next() {
				if !slices.Contains(got, i) {
					got = append(got, i)
				}
				if !static {
					used.Started()
				}
			}
			if !slices.Equal(got, want[:min(most, len(want))]) {
				t.Fatalf("seed %d: %+v\n got %v\nwant %v", seed, s.Policy, got, want)
			}
		}
	}
}

func TestValues(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	values := []float32{nan, -inf, 0, float32(math.Copysign(0, -1)), inf, nan, 3}
	var jobs []Job
	var all []int32
	for i, v := range values {
		jobs = append(jobs, Job{Value: v})
		all = append(all, int32(i))
	}
	got, _ := Order(jobs, all, Settings{Queues: make([]pbs.Queue, 1)}, false)
	// The highest first, 0 and -0 as they came, NaN last.
	if want := []int32{4, 6, 2, 3, 1, 0, 5}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

// BenchmarkOrder has fairshare decide between all jobs, which costs most.
func BenchmarkOrder(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		for _, shape := range []string{"flat", "groups"} {
			b.Run(fmt.Sprint(shape, "/", n), func(b *testing.B) {
				text := ""
				for u := range 1000 {
					if shape == "flat" {
						text += fmt.Sprintf("u%d %d root %d\n", u, u+100, u%7+1)
					} else {
						if u < 30 {
							text += fmt.Sprintf("g%d %d root %d\n", u, u+2, u%5+1)
						}
						text += fmt.Sprintf("u%d %d g%d %d\n", u, u+100, u%30, u%7+1)
					}
				}
				jobs := make([]Job, n)
				all := make([]int32, n)
				costs := make([]float64, n)
				for b.Loop() {
					tree, _ := fstree.ParseResourceGroup(text, 0)
					for i := range jobs {
						id, _ := tree.Lookup(fmt.Sprint("u", i*7919%1000))
						jobs[i], all[i], costs[i] = Job{Entity: id, Rank: float64(i)}, int32(i), float64(i%64+1)
					}
					Order(jobs, all, Settings{Tree: tree, Queues: make([]pbs.Queue, 1), Policy: fstree.Policy{FairShare: true}, Costs: costs}, false)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/job")
			})
		}
	}
}

// Of two jobs, the one that Compare names comes first in the order.
func TestCompare(t *testing.T) {
	seen := map[Key]bool{}
	for seed := range uint64(3000) {
		jobs, considered, s, _ := randomCase(seed)
		if len(considered) < 2 {
			continue
		}
		if seed%3 == 0 {
			s.Policy.SortKeys, s.SortKeys = nil, nil
		}
		a, b := considered[0], considered[1]
		if s.Policy.RoundRobin && jobs[a].Queue != jobs[b].Queue && s.Queues[jobs[a].Queue].Priority == s.Queues[jobs[b].Queue].Priority {
			continue // whose turn it is decides
		}
		c, key := New(jobs, nil, s).Compare(a, b)
		seen[key] = true
		order, _ := Order(jobs, []int32{a, b}, s, true)
		if (c < 0) != (order[0] == a) {
			t.Fatalf("%v by %s, but the order is %v: %+v", c, key, order, jobs[:2])
		}
	}
	for _, key := range []Key{ByQueue, ByPreemption, ByValue, ByFairshare, BySortKey, ByRank, ByPlace} {
		if !seen[key] {
			t.Errorf("%s never decided", key)
		}
	}
}

// A queue is an express queue from preempt_queue_prio itself on.
func TestExpressQueue(t *testing.T) {
	jobs := []Job{{Value: 9, Queue: 0, Subjobs: 1}, {Value: 1, Queue: 1, Subjobs: 1}}
	for priority, want := range map[int]int32{149: 0, 150: 1, 151: 1} {
		s := Settings{
			Policy: fstree.Policy{Preemptive: true}, Tree: fstree.New(0, 0),
			Queues: []pbs.Queue{{Name: "ordinary", Priority: 100}, {Name: "other", Priority: priority}},
		}
		s.Levels = NewLevels(&pbs.Sched{PreemptQueuePrio: 150}, s.Queues)
		if order, _ := Order(jobs, []int32{0, 1}, s, true); order[0] != want {
			t.Errorf("priority %d: job %d is first", priority, order[0])
		}
	}
}

// The levels are those of preempt_prio: the first combination of most words that a job has,
// express queues among each other by their priority, and one below 0 counts as 0.
func TestLevels(t *testing.T) {
	several := []pbs.Queue{{Priority: 150}, {Priority: 160}}
	for _, test := range []struct {
		prio   []string
		queues []pbs.Queue
		order  []Job // from the highest, each above the next; Rank is the queue's priority
	}{
		{nil, several, []Job{{Rank: 160}, {Rank: 150}, {Rank: 149}}},
		{[]string{"express_queue", "normal_jobs", "fairshare"}, several, []Job{{Rank: 150, Status: OverShare}, {}, {Status: OverShare}}},
		{[]string{"express_queue", "normal_jobs", "fairshare", "express_queue + fairshare"}, several, []Job{{Rank: 150}, {}, {Status: OverShare}, {Rank: 150, Status: OverShare}}},
		{[]string{"starving_jobs", "normal_jobs", "starving_jobs+fairshare", "server_softlimits", "queue_softlimits"}, nil,
			[]Job{{Status: Starving}, {}, {Status: Starving | OverShare}, {Status: OverServerLimit | OverQueueLimit}, {Status: OverQueueLimit}}},
		{[]string{"server_softlimits", "normal_jobs"}, nil, []Job{{Status: OverServerLimit}, {Status: OverQueueLimit}}},
	} {
		l := NewLevels(&pbs.Sched{PreemptQueuePrio: 150, PreemptPrio: test.prio}, test.queues)
		for i := range test.order[1:] {
			a, b := test.order[i], test.order[i+1]
			if x, y := l.Class(a.Status, int(a.Rank)), l.Class(b.Status, int(b.Rank)); x >= y {
				t.Errorf("%v: %v is %d, %v is %d", test.prio, a, x, b, y)
			}
		}
	}
	low := NewLevels(&pbs.Sched{PreemptQueuePrio: -10}, []pbs.Queue{{Priority: -1}, {Priority: -5}})
	if a, b, c := low.Class(0, -1), low.Class(0, -10), low.Class(0, -11); a != b || b >= c {
		t.Errorf("%d %d %d", a, b, c)
	}
}
