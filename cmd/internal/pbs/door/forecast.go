package door

import (
	"context"
	"errors"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/pbs"
	pbsforecast "fairshare/cmd/internal/pbs/forecast"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/site"
)

// Forecast implements site.Forecaster.
func (s *Site) Forecast(ctx context.Context, q site.Forecasting) (is, under forecast.Subject, err error) {
	if err := s.keepList(); err != nil {
		return nil, nil, err
	}
	s.at(q.Moment)
	at, err := s.before(q.Policy)
	switch {
	case errors.Is(err, pbssite.ErrUnknownFormula) && !s.Place.Nodes.IsGiven() && !q.OnlyPast: // both lack, and both are said
		return nil, nil, diag.Requestf("%w; and %w", err, pbsforecast.ErrNoNodes)
	case err != nil:
		return nil, nil, err
	}
	ordered := *at                           // as sort has it
	at.NonPrime, at.Closed = q.NonPrime, nil // what holds later matters as well
	plan, err := s.plan(at, q.Policy)
	if err != nil {
		return nil, nil, err
	}
	var others []*pbs.Site
	if len(q.Settings)+len(at.Asked) > 0 {
		changed, remarks, err := pbssite.WhatIfReplayed(at, q.Settings)
		s.to.Say(remarks...)
		if err != nil {
			return nil, nil, err
		}
		others = append(others, changed)
		plan.Beside = others
	}
	logs, err := s.logsOf(q)
	if err != nil {
		return nil, nil, err
	}
	now, remarks, err := pbsforecast.Read(s.Place, at, plan, logs, q.Zone, others...)
	s.to.Say(remarks...)
	if err == nil {
		err = s.rank(ctx, now, &ordered, q.Policy)
	}
	if err != nil {
		return nil, nil, err
	}
	unseen := s.Place.Unseen(at, func(yield func(id, user string) bool) {
		for _, n := range now.Now {
			if !yield(n.ID, now.Past.Names.List[n.User]) {
				return
			}
		}
	})
	if unseen.IsHidden() && unseen.IsPrivate {
		return nil, nil, diag.Requestf("%s: when jobs start that wait for what others have cannot be told (%s)", unseen.Of(), site.CollectHint)
	}
	if len(now.Past.Types) > 0 {
		s.logs, s.read = logs, now.Past
	}
	if len(others) == 0 {
		return now, nil, nil
	}
	if plan, err = s.plan(others[0], q.Policy); err != nil {
		return nil, nil, err
	}
	changed, remarks, err := now.Under(others[0], plan)
	s.to.Say(remarks...)
	if err != nil {
		return nil, nil, err
	}
	then, err := ordered.WithReplayed(q.Settings)
	if err == nil {
		err = s.rank(ctx, changed, then, q.Policy)
	}
	return now, changed, err
}

// rank gives the jobs of a forecast the ranks that sort tells.
func (s *Site) rank(ctx context.Context, of *pbsforecast.Site, at *pbs.Site, p site.Policy) error {
	plan, err := s.planNow(ctx, at, p)
	if err != nil {
		return err
	}
	return of.Rank(s.Place, plan)
}

// logsOf returns the logs that a forecast learns from, nil for none.
func (s *Site) logsOf(q site.Forecasting) (*pbssite.Logs, error) {
	if len(q.Logs) == 0 {
		logs, said := s.Place.OwnLogs(s.names.Zone, s.to.Input.Formats)
		s.to.Say(said...)
		return logs, nil
	}
	logs, said, err := pbssite.FindLogs(q.Logs, q.TZ, s.to.Input)
	s.to.Say(said...)
	return logs, err
}
