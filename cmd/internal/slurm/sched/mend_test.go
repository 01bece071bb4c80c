package sched

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMend: a queue of which some priorities or all have changed is mended to what sorting it comes to.
func TestMend(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 46))
		s := randomSetup(r, true)
		e := engine{Setup: s, precedence: s.Precedence()}
		users, changes := 1+r.IntN(4), r.IntN(3)
		for i := range r.IntN(60) {
			e.queue = append(e.queue, &Job{ID: i + 1, Partition: r.IntN(2), Association: r.IntN(users), Priority: uint32(r.IntN(40)), Submitted: int64(r.IntN(3)), Array: int32(r.IntN(2))})
		}
		slices.SortStableFunc(e.queue, e.compare)
		was := map[*Job]uint32{}
		for _, j := range e.queue {
			was[j] = j.Priority
			switch {
			case changes == 0 && j.Association == 0: // those of one user
				j.Priority += 20
			case changes == 1 && r.IntN(10) == 0, changes == 2:
				j.Priority = uint32(r.IntN(40))
			}
		}
		want := slices.SortedStableFunc(slices.Values(e.queue), e.compare)
		queue, turned := slices.Clone(e.queue), []bool{}
		for i, j := range queue {
			turned = append(turned, i > 0 && cmp.Compare(j.Priority, queue[i-1].Priority) != cmp.Compare(was[j], was[queue[i-1]]))
		}
		if e.mend(nil); !slices.Equal(e.queue, want) {
			t.Fatalf("seed %d: another order", seed)
		}
		e.queue = queue
		if e.mend(turned); !slices.Equal(e.queue, want) {
			t.Fatalf("seed %d: another order where neighbours are known that have not turned", seed)
		}
	}
}

// A task of an array that has a record of its own, as it ran before and was requeued, stands by itself: the others, which
// have one record, stand in the queue once, however often it is sorted.
func TestSortRecords(t *testing.T) {
	e := &engine{arrays: map[int32]int{7: 1}}
	e.queue = []*Job{{ID: 1, Array: 7, born: 1}, {ID: 2, born: 2}, {ID: 3, Array: 7, isSplit: true, born: 3}, {ID: 4, Array: 7, born: 1}}
	for range 3 {
		e.keys = e.keys[:0]
		for _, j := range e.queue {
			e.keys = append(e.keys, queueKey{job: j})
		}
		e.sortRecords(func(a, b *queueKey) int { return a.job.born - b.job.born })
		var ids []int
		for _, j := range e.queue {
			ids = append(ids, j.ID)
		}
		if want := []int{1, 4, 2, 3}; !slices.Equal(ids, want) {
			t.Fatalf("the queue is %v, want %v", ids, want)
		}
	}
}
