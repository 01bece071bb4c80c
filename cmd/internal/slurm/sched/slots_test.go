package sched

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFirstBehind looks for moments among few and many times, and finds them as they are counted one by one.
func TestFirstBehind(t *testing.T) {
	r := rand.New(rand.NewPCG(84, 1))
	for n := range 200 {
		times := make([]int64, n)
		for i := range times {
			times[i] = r.Int64N(int64(n))
		}
		slices.Sort(times)
		for moment := int64(-2); moment < int64(n)+2; moment++ {
			want := 0
			for want < n && times[want] <= moment {
				want++
			}
			if got := firstBehind(times, moment); got != want {
				t.Fatalf("%d of %v: %d, not %d", moment, times, got, want)
			}
		}
	}
	if got := firstBehind([]int64{0, never}, never-1); got != 1 {
		t.Errorf("%d before the end of all times", got)
	}
}

// TestNarrow is where a search for a start goes on, as slurmctld was recorded to do it (S2a, 50,927 and
// 50,966 seconds, job 94): it sees that node 0 becomes free at 152 from 8 on, if the slot before 152 is
// among those that the job touches or follows them. A slot more, which a job on another node makes, and it does not.
func TestNarrow(t *testing.T) {
	set := func(nodes ...int) Set {
		s := NewSet(3)
		for _, n := range nodes {
			s.Add(n)
		}
		return s
	}
	all := set(0, 1, 2)
	s := new(workspace).newSlots(0, 1000, all)
	s.reserve(set(0), 8, 152)
	s.reserve(set(1), 24, 115) // of another partition
	for _, x := range []struct {
		start, end, next, far int64 // far: next since 24.11, which looks at all slots (K0a, 1,795,570,327 seconds, job 54)
		free                  int
	}{
		{0, 5, 0, 152, 1}, // the next slot is [8, 24)
		{0, 72, 152, 152, 0},
		{0, 23, 0, 152, 0},
		{0, 24, 152, 152, 0},
		{152, 300, 0, 0, 1},
	} {
		for isFar, next := range map[bool]int64{false: x.next, true: x.far} {
			among := NewSet(3)
			if got := s.narrow(among, set(0), x.start, x.end, isFar); got != next || among.count() != x.free {
				t.Errorf("from %d to %d: %d nodes, and next at %d, not %d and %d", x.start, x.end, among.count(), got, x.free, next)
			}
		}
	}
	if s.count() != 5 {
		t.Fatalf("%d slots", s.count())
	}
	s.reserve(set(0), 152, 200)
	s.reserve(set(1), 115, 152) // 115 divides nothing any more
	if s.count() != 5 || s.begin(2) != 24 || s.end(2) != 152 {
		t.Errorf("slots of the same nodes are not joined: %v", s)
	}
}

// TestSlotsOfManyNodes plans the same on ten nodes and on ten of 150, and asks both when a job is to be tested. To leap over the
// moments at which no node is free comes to what narrow comes to from one of them to the next.
func TestSlotsOfManyNodes(t *testing.T) {
	const nodes, window, scenarios = 10, 1000, 2000
	r := rand.New(rand.NewPCG(46, 1))
	any := func(few int) (small, large Set) {
		small, large = NewSet(nodes), NewSet(nodes*15)
		for i := range nodes {
			if r.IntN(few) == 0 {
				small.Add(i)
				large.Add(i*15 + 7)
			}
		}
		return small, large
	}
	equal := func(small, large Set) bool {
		for i := range nodes {
			if small.Has(i) != large.Has(i*15+7) {
				return false
			}
		}
		return small.count() == large.count()
	}
	leapt := 0
	for range scenarios {
		up, ups := any(1)
		few, many := new(workspace).newSlots(0, window, up), new(workspace).newSlots(0, window, ups)
		for range r.IntN(30) {
			small, large := any(2)
			start := int64(r.IntN(window))
			end := start + int64(r.IntN(500))
			if from, to := start+int64(r.IntN(20)), end+int64(r.IntN(20)); few.overlap(small, from, to) != many.overlap(large, from, to) {
				t.Fatalf("from %d to %d, %v and %v are not both free of plans", from, to, small, large)
			}
			few.reserve(small, start, end)
			many.reserve(large, start, end)
		}
		if !slices.Equal(few.bounds, many.bounds) {
			t.Fatalf("slots %v and %v", few.bounds, many.bounds)
		}
		small, large := any(2)
		among, amongs := NewSet(nodes), NewSet(nodes*15)
		limit, isFar := int64(r.IntN(400)), r.IntN(2) == 0
		for at := int64(0); ; {
			next, nexts := few.narrow(among, small, at, at+limit, isFar), many.narrow(amongs, large, at, at+limit, isFar)
			if next != nexts || !equal(among, amongs) {
				t.Fatalf("at %d for %d: %v and then %d of few nodes, %v and then %d of many", at, limit, among, next, amongs, nexts)
			}
			if at = next; at == 0 {
				break
			}
			step := at
			for step > 0 {
				after := few.narrow(among, small, step, step+limit, isFar)
				if !among.isEmpty() {
					break
				}
				step = after
				leapt++
			}
			if got, other := few.leap(small, at, limit, isFar, nil), many.leap(large, at, limit, isFar, nil); got != step || other != step {
				t.Fatalf("from %d for %d: a leap to %d and %d, step by step to %d", at, limit, got, other, step)
			}
		}
	}
	if leapt < scenarios {
		t.Errorf("only %d moments were left out: the test says little", leapt)
	}
}

// TestLeapToUsableNodes leaps over the moments at which no node is free of plans that a request can use by the next one, on ten nodes, for which
// leap has a way of its own, and on ten of 150. Where it is known of all nodes what can be used there now, both come to what narrow comes to from one
// moment to the next, with the nodes that can be used once those jobs are over that end by then; where it is not, to nothing behind that.
func TestLeapToUsableNodes(t *testing.T) {
	const nodes, apart, window, scenarios = 10, 15, 1000, 2000
	r := rand.New(rand.NewPCG(47, 1))
	leapt, later := 0, 0
	for range scenarios {
		q := &Request{MinNodes: 1, MaxNodes: 1, CPUs: int32(1 + r.IntN(4)), CPUsPerTask: 1}
		q.Tasks = q.CPUs
		type side struct {
			outlook outlook
			slots   slots
			step    int // from one of the ten nodes to the next
		}
		sides := []*side{{step: 1}, {step: apart}}
		for _, x := range sides {
			c := &Cluster{}
			for range nodes * x.step {
				c.Nodes = append(c.Nodes, Node{CPUs: 4})
			}
			x.outlook = outlookOn(NewMachine(c), nil)
		}
		setOf := func(x *side, of []int) Set {
			set := NewSet(nodes * x.step)
			for _, i := range of {
				set.Add(i*x.step + x.step/2)
			}
			return set
		}
		some := func(few int) (list []int) {
			for i := range nodes {
				if r.IntN(few) == 0 {
					list = append(list, i)
				}
			}
			return list
		}
		for i := range nodes {
			for free := int32(4); free > 0 && r.IntN(5) > 0; {
				cpus, end := 1+r.Int32N(free), r.Int64N(window*3/2)
				free -= cpus
				for _, x := range sides {
					j := &Job{Request: &Request{MinNodes: 1, MaxNodes: 1, CPUs: cpus, Tasks: cpus, CPUsPerTask: 1}, Shares: []Share{{int32(i*x.step + x.step/2), cpus}}}
					x.outlook.machine.take(j.Request, j.Shares)
					j.born = len(x.outlook.running)
					x.outlook.running = append(x.outlook.running, runningJob{j, end, nodesOf(j.Shares, nodes*x.step)})
				}
			}
		}
		up := some(1)
		for _, x := range sides {
			slices.SortFunc(x.outlook.running, runningJob.compare)
			x.slots = new(workspace).newSlots(0, window, setOf(x, up))
		}
		for range r.IntN(30) {
			of, start := some(2), r.Int64N(window)
			end := start + r.Int64N(500)
			for _, x := range sides {
				x.slots.reserve(setOf(x, of), start, end)
			}
		}
		// usable are those of some nodes that the request can use when the jobs are over that end by a time.
		few := sides[0]
		usable := func(among Set, at int64) bool {
			m := Machine{}
			m.copyFrom(few.outlook.machine)
			for _, b := range few.outlook.running {
				if b.end <= at {
					m.free(b.job.Request, b.job.Shares)
				}
			}
			can := false
			among.all(func(i int) bool {
				can = can || m.usable(q, i) > 0
				return true
			})
			return can
		}
		of, among := some(2), NewSet(nodes)
		limit, isFar, isKnown := r.Int64N(400), r.IntN(2) == 0, r.IntN(3) > 0
		for at := int64(0); ; {
			if at = few.slots.narrow(among, setOf(few, of), at, at+limit, isFar); at == 0 {
				break
			}
			step := at
			for step > 0 {
				after := few.slots.narrow(among, setOf(few, of), step, step+limit, isFar)
				if after == 0 && !among.isEmpty() || after > 0 && usable(among, after) {
					break
				}
				step = after
				leapt++
			}
			for _, x := range sides {
				line := x.outlook.timelines.get(x.outlook.machine, q, x.outlook.running)
				for i := range nodes {
					if isKnown || r.IntN(4) == 0 {
						line.now(x.outlook.machine, i*x.step+x.step/2)
					}
				}
				nodes := setOf(x, of)
				got := x.slots.leap(nodes, at, limit, isFar, new(prospect).of(&x.outlook, q, nodes))
				if got != step && (isKnown || got == 0 || step > 0 && got > step) {
					t.Fatalf("from %d for %d on one node of %d: a leap to %d, step by step to %d (known: %v)", at, limit, x.step, got, step, isKnown)
				}
				if step > at {
					later++
				}
			}
		}
	}
	if leapt < scenarios || later < scenarios {
		t.Errorf("only %d moments were left out, and %d leaps end later: the test says little", leapt, later)
	}
}
