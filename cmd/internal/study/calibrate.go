package study

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"fairshare/cmd/internal/accrual"
	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/replay"
)

// Calibration is what a record shows of what a site does not say of itself.
type Calibration struct {
	Latency    replay.Latency
	LatencyFit replay.LatencyFit
	Lags       []LagFit // those that fit best first; none where usage is not known at both ends
	Limits     []LimitFit
	Orderings  []OrderingFit // those that fit best first
}

// LagFit is how well an age of reports explains how usage has grown.
type LagFit struct {
	Lag int64   // seconds
	Off float64 // the sum of all differences between rebuilt and recorded usage, as a part of what was recorded

	IsUsed bool // whether replays use it
}

// OrderingFit is how near a replay comes to the record if jobs that do not fit are
// treated in some way.
type OrderingFit struct {
	Settings []string // as pbs.Site.WithReplayed takes them
	IsSet    bool     // whether the site says this
	Trust    replay.Trust
}

// lags are the ages of reports that are tried, in seconds.
var lags = []int64{0, 5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 90, 105, 120}

// depths are the backfill depths that are tried.
var depths = []int{0, 1, 2, 3, 5, 10, 20}

// Calibrate infers what a record shows of the site as it is.
func (in *Inputs) Calibrate(ctx context.Context, s *Study) (*Calibration, error) {
	c := &Calibration{Limits: findLimits(s.Work, s.Cluster.Total("ncpus"))}
	c.Latency, c.LatencyFit = replay.FitLatency(s.Work)
	var err error
	if c.Lags, err = in.fitLags(s); err != nil {
		return nil, err
	}
	c.Orderings, err = in.fitOrderings(ctx, s)
	return c, err
}

// fitLags rebuilds the usage of the end with reports of several ages.
func (in *Inputs) fitLags(s *Study) ([]LagFit, error) {
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
		o := in.accrual(s.Policies[0], s.Work, s.Options.Lag)
		o.Begin, o.Lag = in.Usage, lag
		db, err := accrual.Compute(s.Work.Trace, o)
		if err != nil {
			return nil, err
		}
		off := 0.
		for _, e := range db.Entities {
			off += math.Abs(e.Usage - recorded[e.Name])
		}
		fits = append(fits, LagFit{lag, off / max(1, total), lag == int64(s.Options.Lag)})
	}
	slices.SortStableFunc(fits, func(a, b LagFit) int { return cmp.Compare(a.Off, b.Off) })
	return fits, nil
}

// fitOrderings replays the policy in force with other ways to treat a job that does not
// fit.
func (in *Inputs) fitOrderings(ctx context.Context, s *Study) ([]OrderingFit, error) {
	isStrict := in.Site.Policy().StrictOrdering
	depth := in.Site.Sched.Server.Int("backfill_depth", 1)
	all := [][]string{{"sched.strict_ordering=false"}}
	isSet := []bool{!isStrict}
	tried := slices.Clone(depths)
	if !slices.Contains(tried, depth) {
		tried = append(tried, depth)
	}
	for _, n := range tried {
		all = append(all, []string{"sched.strict_ordering=true", fmt.Sprintf("server.backfill_depth=%d", n)})
		isSet = append(isSet, isStrict && n == depth)
	}
	on := *s
	on.Runs, on.Figures = 1, []figure.Figure{figure.MeanWait}
	var policies []*Policy
	for _, settings := range all {
		p, _, err := Changes{Settings: settings}.New(in.Site)
		if err != nil {
			return nil, err
		}
		policies = append(policies, p)
	}
	if _, err := on.Use(policies); err != nil {
		return nil, err
	}
	measured, err := on.Run(ctx)
	if err != nil {
		return nil, err
	}
	var fits []OrderingFit
	for i, m := range measured[1:] {
		if !m.IsCut {
			fits = append(fits, OrderingFit{all[i], isSet[i], m.First.Result.Trust()})
		}
	}
	// Exactness tells more than a mean shift, most of which is chance once a replay forks.
	slices.SortStableFunc(fits, func(a, b OrderingFit) int { return cmp.Compare(b.Trust.Equal, a.Trust.Equal) })
	return fits, nil
}
