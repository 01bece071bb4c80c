// Package calibrate infers from the record of a Slurm site what the site does not say of itself, or
// says of now and not of then: how long things take, which limits hold, and under which settings the rules give most of the
// recorded starts.
package calibrate

import (
	"context"
	"fmt"

	"fairshare/cmd/internal/calibrate"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/set"
	slurmstudy "fairshare/cmd/internal/slurm/study"
	"fairshare/cmd/internal/witness"
)

// Calibration is what a record shows.
type Calibration struct {
	Submitted, Freed Delay
	Limits           []calibrate.LimitFit
	Fits             []calibrate.Fit // those under which the rules hold best first
}

// Infer returns what a record shows of a site that a study is of. judge returns the record as the rules of a set-up judge it.
func Infer(ctx context.Context, setup *sched.Setup, record *record.Record, on *slurmstudy.Study, judge func(*sched.Setup) witness.Record) (*Calibration, error) {
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
	tried := []calibrate.Fit{{}} // the site as it is
	setups := []*sched.Setup{setup}
	for _, setting := range candidates(setup, c.Limits) {
		changed, changes, err := set.ChangeSetup(setup, []string{setting})
		if err == nil && !changes[0].IsSame {
			tried, setups = append(tried, calibrate.Fit{Settings: []string{setting}}), append(setups, changed)
		}
	}
	var err error
	c.Fits, err = calibrate.FindFits(ctx, tried, func(i int) (witness.Record, error) { return judge(setups[i]), nil }, on.Progress)
	return c, err
}

// mostLimits is how many limits that a record respects are tried.
const mostLimits = 5

// candidates returns the settings that are tried: limits that the record respects, the other scheduler, and the site
// without each of its weights and each of the limits of its QOS.
func candidates(setup *sched.Setup, limits []calibrate.LimitFit) (all []string) {
	for _, limit := range limits[:min(len(limits), mostLimits)] {
		all = append(all, limit.Setting)
	}
	all = append(all, "SchedulerType=sched/builtin", "SchedulerType=sched/backfill", "PriorityWeightAge=0", "PriorityWeightFairshare=0", "PriorityWeightJobSize=0",
		"PriorityWeightPartition=0", "PriorityWeightQOS=0")
	for i := range setup.QOS {
		for _, limit := range []string{"MaxJobsPU", "MaxJobsPA", "GrpJobs", "MaxTRESPU", "MaxTRESPA", "GrpTRES", "MaxTRES", "MaxWall"} {
			all = append(all, fmt.Sprintf("qos.%s.%s=", setup.QOS[i].Name, limit))
		}
	}
	return all
}
