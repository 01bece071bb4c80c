package door

import (
	"context"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	pbscalibrate "fairshare/cmd/internal/pbs/calibrate"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/pbs/study"
	pbswitness "fairshare/cmd/internal/pbs/witness"
	"fairshare/cmd/internal/search"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/witness"
)

// Setting implements site.Replayer: other names may be free in the formula.
func (s *Site) Setting(name string) (string, bool) { return pbs.WholeName(name) }

// Submitter implements site.Replayer.
func (s *Site) Submitter() search.Submitter { return search.Qsub }

// recorded returns the logs of a site, what they come from and the policies that are asked for.
func (s *Site) recorded(q site.Replaying) (logs *pbssite.Logs, in *study.Inputs, policies []*study.Policy, err error) {
	if logs, err = s.Logs(); err != nil {
		return nil, nil, nil, err
	}
	in, remarks, err := study.NewInputs(q, logs, s.to.Input)
	s.to.Say(remarks...)
	if err != nil {
		return nil, nil, nil, err
	}
	policies, remarks, err = in.Policies(q, s.to.Input)
	s.to.Say(remarks...)
	return logs, in, policies, err
}

// Replay implements site.Replayer.
func (s *Site) Replay(_ context.Context, q site.Replaying) (*site.Study, error) {
	logs, in, policies, err := s.recorded(q)
	if err != nil {
		return nil, err
	}
	var sites []*pbs.Site
	if q.Grid != nil {
		if sites, err = study.SearchedSites(in.Site, q.Grid.Settings, q.Grid.Tried(study.UsageRes)); err != nil {
			return nil, err
		}
	}
	for _, p := range policies {
		sites = append(sites, p.Site)
	}
	on, remarks, err := in.Load(logs, sites...)
	s.to.Say(remarks...)
	if err != nil {
		return nil, err
	}
	if q.Grid != nil {
		if len(q.Grid.Formulas) == 0 && !in.IsKnown && !q.NoFormula {
			return nil, diag.Requestf("no formula: give -f FORMULA, or a snapshot or a --sched that tells which is in force")
		}
		if len(policies) > 0 {
			on.InForce = policies[0]
		}
	}
	use := func() error {
		remarks, err := on.Use(policies)
		s.to.Say(remarks...)
		return err
	}
	calibrate := func(ctx context.Context) (*site.Answer, error) {
		shown := s.to.Progress("settings").Counted()
		on.Progress = shown.Steps
		found, err := pbscalibrate.Infer(ctx, on)
		shown.End()
		if err != nil {
			return nil, err
		}
		s.to.Say(site.Interrupted(ctx, shown.Made())...)
		return newCalibration(found, q), nil
	}
	record := func() witness.Record { return pbswitness.New(on) }
	return &site.Study{Study: &on.Study, Site: on, IsKnown: on.InForce != nil, Use: use, Record: record, Calibrate: calibrate}, nil
}
