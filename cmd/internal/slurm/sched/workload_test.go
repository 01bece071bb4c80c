package sched

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// Jobs that are made as they come run as those that are all there, and each is handed over once.
func TestComing(t *testing.T) {
	scenarios, started, cancelled := workshop.Part(100), 0, 0
	for seed := range uint64(scenarios) {
		scenario := func() (*Setup, []*Job) {
			r := rand.New(rand.NewPCG(seed, 41))
			s := anySetup(r)
			return s, anyJobs(r, s, 80)
		}
		s, jobs := scenario()
		want, err := Run(context.Background(), s, jobs, Options{Why: true})
		if err != nil {
			t.Fatal(err)
		}
		s, kept := scenario()
		_, untouched := scenario()
		work := workloadOf(kept)
		from := work.Make
		work.Make = func(number int) *Job {
			own := *from(number)
			return &own
		}
		over := map[int]*Job{}
		work.Done = func(number int, j *Job) {
			if over[number] != nil {
				t.Fatalf("seed %d: job %d is handed over twice", seed, j.ID)
			}
			over[number] = j
		}
		got, err := RunWorkload(context.Background(), s, work, Options{Why: true})
		if err != nil {
			t.Fatal(err)
		}
		if got.Passes != want.Passes || got.Cycles != want.Cycles || got.Sweeps != want.Sweeps || got.Last != want.Last || !slices.Equal(got.Causes, want.Causes) {
			t.Fatalf("seed %d: %+v\nwant %+v", seed, got, want)
		}
		if len(over) != len(jobs) {
			t.Fatalf("seed %d: %d jobs of %d are handed over", seed, len(over), len(jobs))
		}
		byID := map[int]*Job{}
		for _, j := range over {
			byID[j.ID] = j
		}
		for i, j := range jobs {
			x := byID[j.ID]
			if x.Start != j.Start || x.End != j.End || x.IsBackfilled != j.IsBackfilled || x.Priority != j.Priority || !slices.Equal(x.Shares, j.Shares) {
				t.Fatalf("seed %d: job %d starts at %d on %v and ends at %d, not at %d on %v and at %d", seed, j.ID, x.Start, x.Shares, x.End, j.Start, j.Shares, j.End)
			}
			if kept[i].Start != 0 || kept[i].End != 0 || kept[i].Partition != untouched[i].Partition {
				t.Fatalf("seed %d: a job of the list has changed", seed)
			}
			switch {
			case j.Start > 0:
				started++
			case j.End > 0:
				cancelled++
			}
		}
	}
	if started < scenarios*15 || cancelled < scenarios/5 {
		t.Errorf("%d jobs start, %d are cancelled", started, cancelled)
	}
}
