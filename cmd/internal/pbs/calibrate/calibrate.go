// Package calibrate infers from the logs of a PBS site what the site does not say of itself: how
// late starts are logged, how old reports of use are, which limits hold, which vnodes were not
// used though jobs waited, and what is done with a job that does not fit.
package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"fairshare/cmd/internal/calibrate"
	"fairshare/cmd/internal/pbs/accrual"
	pbsstudy "fairshare/cmd/internal/pbs/study"
	pbswitness "fairshare/cmd/internal/pbs/witness"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/witness"
	"fairshare/cmd/internal/work"
)

// Calibration is what a record shows of what a site does not say of itself.
type Calibration struct {
	Latency    work.Latency
	LatencyFit work.LatencyFit
	Lags       []LagFit // those that fit best first; none where usage is not known at both ends
	Limits     []calibrate.LimitFit
	Unused     []UnusedTime    // those with the most cpu hours first
	HasPlaces  bool            // whether the record tells where jobs ran, without which Unused is not known
	Orderings  []calibrate.Fit // those under which the rules hold best first
}

// LagFit is how well an age of the reports of use explains how usage has grown.
type LagFit struct {
	Lag int64   // seconds
	Off float64 // the sum of all differences between rebuilt and recorded usage, as a part of what was recorded

	IsUsed bool // whether replays use it
}

// lags are the ages of reports that are tried, in seconds.
var lags = []int64{0, 5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 90, 105, 120}

// depths are the backfill depths that are tried.
var depths = []int{0, 1, 2, 3, 5, 10, 20}

// Infer returns what the record that a study is of shows of its site. The study stays as it
// is.
func Infer(ctx context.Context, s *pbsstudy.Study) (*Calibration, error) {
	c := &Calibration{Limits: calibrate.FindLimits(s.Work, s.Cluster.Total("ncpus"), limitScheme)}
	c.Unused, c.HasPlaces = findUnused(s)
	c.Latency, c.LatencyFit = work.FitLatency(s.Work)
	var err error
	if c.Lags, err = fitLags(s); err != nil {
		return nil, err
	}
	c.Orderings, err = fitOrderings(ctx, s)
	return c, err
}

// fitLags returns how well several ages of reports explain the usage at the end: each is
// rebuilt with it and compared with what was recorded.
func fitLags(s *pbsstudy.Study) ([]LagFit, error) {
	in := s.Inputs
	priv := in.Site.SchedPriv
	if priv == nil || priv.Usage == nil || in.Usage == nil || !in.Site.Policy().FairShare {
		return nil, nil
	}
	recorded := map[string]float64{}
	total := 0.
	for name, usage := range priv.Usage.All() {
		recorded[name] = usage
		total += usage
	}
	var fits []LagFit
	tried := slices.Clone(lags)
	if used := int64(s.Options.Lag); !slices.Contains(tried, used) {
		tried = append(tried, used)
	}
	for _, lag := range tried {
		o := s.Accrual(in.Site)
		o.Begin, o.Lag, o.IsSampled = in.Usage, lag, false
		db, err := accrual.Compute(s.Work.Trace, o)
		if err != nil {
			return nil, err
		}
		off := 0.
		for _, e := range db.Entities {
			off += math.Abs(e.Usage - recorded[e.Name])
		}
		fits = append(fits, LagFit{lag, off / max(1, total), lag == int64(s.Options.Lag) && !s.UsesSamples()})
	}
	slices.SortStableFunc(fits, func(a, b LagFit) int { return cmp.Compare(a.Off, b.Off) })
	return fits, nil
}

// fitOrderings returns how far the policy in force holds if jobs that do not fit are treated in several ways.
func fitOrderings(ctx context.Context, s *pbsstudy.Study) ([]calibrate.Fit, error) {
	in := s.Inputs
	isStrict := in.Site.Policy().StrictOrdering
	depth := in.Site.Sched.Server.Int("backfill_depth", 1)
	tried := []calibrate.Fit{{Settings: []string{"sched.strict_ordering=false"}, IsSet: !isStrict}}
	all := slices.Clone(depths)
	if !slices.Contains(all, depth) {
		all = append(all, depth)
	}
	for _, n := range all {
		tried = append(tried, calibrate.Fit{Settings: []string{"sched.strict_ordering=true", fmt.Sprintf("server.backfill_depth=%d", n)}, IsSet: isStrict && n == depth})
	}
	return calibrate.FindFits(ctx, tried, func(i int) (witness.Record, error) {
		on := *s
		on.Progress = nil // which counts settings
		p, _, err := pbsstudy.NewPolicy(study.Changes{Settings: tried[i].Settings}, in.Site)
		if err == nil {
			_, err = on.Use([]*pbsstudy.Policy{p})
		}
		return pbswitness.New(&on), err
	}, s.Progress)
}
