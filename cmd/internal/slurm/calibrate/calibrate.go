// Package calibrate infers from the record of a Slurm site what the site does not say of itself, or
// says of now and not of then: how long things take, which limits hold, and under which settings replays
// come nearest to the record.
package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"fairshare/cmd/internal/calibrate"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/set"
	slurmstudy "fairshare/cmd/internal/slurm/study"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/work"
)

// Calibration is what a record shows.
type Calibration struct {
	Submitted, Freed Delay
	Limits           []calibrate.LimitFit
	Fits             []Fit // those that fit best first
}

// Fit is how near replays come to the record under some settings, on average.
type Fit struct {
	Settings []string // as set.ChangeSetup takes them; none for the site as it is
	Runs     int
	Shift    float64 // of starts, in seconds
	Inverted float64 // pairs of jobs that start in the other order, as a part of all
	Distance float64 // the largest Kolmogorov-Smirnov distance of the waits in a partition
	Missing  float64 // jobs that started in the record, and never start

	// Among is the mean shift of a replay from the others, in seconds, and Farther how many replays are as
	// far from the others as the record is from them all. If there is none, the record is hardly one of them.
	Among   float64
	Farther int
}

// Infer returns what a record shows of a site that a study is of. The study gets other policies.
func Infer(ctx context.Context, setup *sched.Setup, record *record.Record, on *slurmstudy.Study) (*Calibration, error) {
	c := &Calibration{}
	c.Submitted, c.Freed = delays(record)
	for _, fit := range calibrate.FindLimits(on.Work, on.CPUs, limitsOf()) {
		_, changes, err := set.ChangeSetup(setup, []string{fit.Setting})
		if err != nil {
			continue // a QOS that sacctmgr does not list
		}
		fit.IsSet = changes[0].IsSame
		c.Limits = append(c.Limits, fit)
	}
	var err error
	c.Fits, err = fit(ctx, on, candidates(setup, c.Limits))
	return c, err
}

// mostLimits is how many limits that a record respects are tried.
const mostLimits = 5

// candidates returns the settings that are tried: none, limits that the record respects, the other
// scheduler, and the site without each of its weights and each of the limits of its QOS.
func candidates(setup *sched.Setup, limits []calibrate.LimitFit) [][]string {
	all := [][]string{nil}
	for _, limit := range limits[:min(len(limits), mostLimits)] {
		all = append(all, []string{limit.Setting})
	}
	for _, name := range []string{
		"SchedulerType=sched/builtin", "SchedulerType=sched/backfill", "PriorityWeightAge=0", "PriorityWeightFairshare=0", "PriorityWeightJobSize=0",
		"PriorityWeightPartition=0", "PriorityWeightQOS=0",
	} {
		all = append(all, []string{name})
	}
	for i := range setup.QOS {
		for _, limit := range []string{"MaxJobsPU", "MaxJobsPA", "GrpJobs", "MaxTRESPU", "MaxTRESPA", "GrpTRES", "MaxTRES", "MaxWall"} {
			all = append(all, []string{fmt.Sprintf("qos.%s.%s=", setup.QOS[i].Name, limit)})
		}
	}
	return slices.DeleteFunc(all, func(settings []string) bool {
		if settings == nil {
			return false
		}
		_, changes, err := set.ChangeSetup(setup, settings)
		return err != nil || changes[0].IsSame
	})
}

// How often each policy is replayed unless the study says it: large records differ less by chance, and
// take longer.
const (
	mostRuns = 20
	mostJobs = 50_000 // in all runs of a policy
)

// fit returns how near replays under several settings come to the record, the nearest first.
func fit(ctx context.Context, on *slurmstudy.Study, all [][]string) ([]Fit, error) {
	policies := []*study.Changes{nil}
	for _, settings := range all[1:] {
		policies = append(policies, &study.Changes{Settings: settings})
	}
	if _, err := on.Use(policies); err != nil {
		return nil, err
	}
	runs := on.Runs
	if runs <= 1 {
		runs = min(mostRuns, max(1, mostJobs/len(on.Work.Jobs)))
	}
	works := []*work.Work{on.Work}
	for run := 1; run < runs; run++ {
		works = append(works, on.Work.Shaken(rand.New(rand.NewPCG(on.Seed, uint64(run))), on.Shake))
	}
	replays := make([][]*replay, len(all))
	for i := range replays {
		replays[i] = make([]*replay, runs)
	}
	var (
		group sync.WaitGroup
		mutex sync.Mutex
		first error
		next  int
		done  int
	)
	one := func() bool {
		mutex.Lock()
		at, isOver := next, next >= len(all)*runs || first != nil || ctx.Err() != nil
		next++
		mutex.Unlock()
		if isOver {
			return false
		}
		policy, run := at%len(all), at/len(all)
		result, err := on.Policies[policy].Run(ctx, works[run], outcome.Ask{Watch: -1}, func(float64) {})
		mutex.Lock()
		defer mutex.Unlock()
		switch {
		case err != nil:
			first = cmp.Or(first, err)
		case !result.IsCut:
			replays[policy][run] = newReplay(result)
			if done++; on.Progress != nil {
				on.Progress(float64(done), float64(len(all)*runs))
			}
		}
		return true
	}
	for range min(runtime.GOMAXPROCS(0), len(all)*runs) {
		group.Go(func() {
			for one() {
			}
		})
	}
	group.Wait()
	if first != nil {
		return nil, first
	}
	var fits []Fit
	for i, list := range replays {
		list = slices.DeleteFunc(list, func(r *replay) bool { return r == nil })
		if len(list) > 0 {
			f := fitOf(replayOfRecord(on.Work), list)
			f.Settings = all[i]
			fits = append(fits, f)
		}
	}
	slices.SortStableFunc(fits, func(a, b Fit) int { return cmp.Compare(a.Shift, b.Shift) })
	return fits, nil
}

// replay is what became of the jobs of a record in a replay.
type replay struct {
	start []float64 // by their numbers in the record, 0 for none
	trust outcome.Trust
}

func newReplay(result *outcome.Result) *replay {
	r := &replay{make([]float64, len(result.Start)), result.Trust()}
	for i, start := range result.Start {
		r.start[result.Work.Origin(i)] = start
	}
	return r
}

// replayOfRecord returns the record as if it were a replay.
func replayOfRecord(w *work.Work) *replay {
	r := &replay{start: make([]float64, len(w.Jobs))}
	for i, j := range w.Jobs {
		r.start[i] = max(0, float64(j.Start))
	}
	return r
}

// shift returns by how much jobs start at other times than in another replay, in seconds, on average
// over those that start in both.
func (r *replay) shift(other *replay) float64 {
	sum, n := 0., 0
	for i, start := range r.start {
		if start > 0 && other.start[i] > 0 {
			sum += math.Abs(start - other.start[i])
			n++
		}
	}
	return sum / float64(max(1, n))
}

// missing returns how many jobs that start here do not in another replay.
func (r *replay) missing(other *replay) (n int) {
	for i, start := range r.start {
		if start > 0 && other.start[i] == 0 {
			n++
		}
	}
	return n
}

// fitOf returns how near replays come to a record, and to each other.
func fitOf(record *replay, list []*replay) Fit {
	f := Fit{Runs: len(list)}
	n := float64(len(list))
	for _, r := range list {
		f.Shift += record.shift(r) / n
		f.Missing += float64(record.missing(r)) / n
		f.Inverted += r.trust.Inverted / n
		largest := 0.
		for _, d := range r.trust.Distances {
			largest = max(largest, d)
		}
		f.Distance += largest / n
	}
	for i, r := range list {
		sum := 0.
		for k, other := range list {
			if k != i {
				sum += r.shift(other) / (n - 1)
			}
		}
		f.Among += sum / n
		if len(list) > 1 && sum >= f.Shift {
			f.Farther++
		}
	}
	return f
}
