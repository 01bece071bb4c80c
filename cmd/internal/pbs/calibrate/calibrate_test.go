package calibrate

import (
	"context"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/pbs/study/studytest"
)

// What is inferred of recordings whose settings are known.
func TestCalibrate(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		ordering string
		limits   []string
	}{
		"A":   {ordering: "sched.strict_ordering=true server.backfill_depth=0"},
		"P2":  {ordering: "sched.strict_ordering=true server.backfill_depth=3"},
		"P1x": {ordering: "sched.strict_ordering=false"},
		"P4":  {ordering: "sched.strict_ordering=false", limits: []string{"server.max_run=[u:PBS_GENERIC=3],[u:bob=5]", "server.max_run_res.ncpus=[g:bio=80],[g:physics=96]"}},
	} {
		s := studytest.OfRun(t, name)
		before := s.Options
		c, err := Infer(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if best := c.Orderings[0]; strings.Join(best.Settings, " ") != want.ordering || !best.IsSet {
			t.Errorf("%s: %v fits best, want %s", name, best.Settings, want.ordering)
		}
		var limits []string
		for _, fit := range c.Limits {
			limits = append(limits, fit.Setting)
		}
		for _, limit := range want.limits {
			if !slices.Contains(limits, limit) {
				t.Errorf("%s: limits %v, without %s", name, limits, limit)
			}
		}
		if len(want.limits) == 0 && len(limits) > 0 {
			t.Errorf("%s has no limits, found %v", name, limits)
		}
		if name != "A" && (len(c.Lags) == 0 || c.Lags[0].Lag < 20 || c.Lags[0].Lag > 60 || c.Lags[0].Off > .01) {
			t.Errorf("%s: ages of reports %v", name, c.Lags)
		}
		if c.LatencyFit.Samples < 10 || c.LatencyFit.Off > 3 {
			t.Errorf("%s: latency %+v %+v", name, c.Latency, c.LatencyFit)
		}
		// Nothing of it is used.
		if s.Options.Latency != before.Latency || s.Options.Lag != before.Lag || len(s.Policies) != 1 || len(s.Inputs.Site.Changes) > 0 {
			t.Errorf("%s: the study has changed", name)
		}
	}
}
