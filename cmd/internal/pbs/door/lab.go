package door

import (
	"cmp"
	"context"
	"errors"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/pbs"
	pbslab "fairshare/cmd/internal/pbs/lab"
	"fairshare/cmd/internal/pbs/order"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/site"
)

// Lab implements site.Experimenter.
func (s *Site) Lab(ctx context.Context, q site.Experiment) (lab.Site, error) {
	at, err := s.before(q.Policy)
	if errors.Is(err, pbssite.ErrUnknownFormula) {
		s.to.Say(diag.Notef("which formula is in force is not known: none is taken to be"))
		without := q.Policy
		without.NoFormula = true
		at, err = s.before(without)
	}
	if err != nil {
		return nil, err
	}
	changed, remarks, err := pbssite.WhatIfReplayed(at, nil)
	s.to.Say(remarks...)
	if err != nil {
		return nil, err
	}
	if at.AsksFormula() { // the page has one of its own
		s.to.Say(diag.Warningf("a formula of a file is not tried by itself: write it in the page: %s", cmp.Or(changed.Sched.Formula, "no formula")))
		at = at.WithFormula(at.Sched.Formula)
	}
	plan, err := s.plan(at, q.Policy)
	if err != nil {
		return nil, err
	}
	options := order.ListOptions(plan)
	options.Groups, options.Comments = true, true
	first, err := s.Place.Requested(options)
	if err != nil {
		return nil, err
	}
	options.Columns = pbslab.Columns(at, first)
	judge, err := s.judges(q)
	if err != nil {
		return nil, err
	}
	list, err := s.List(q.Format, options)
	if err != nil {
		return nil, err
	}
	how := s.planOptions(q.Policy)
	if how.Judge, err = s.fates(ctx, q.Policy); err != nil {
		return nil, err
	}
	o := pbslab.Options{Options: how, From: s.Place.Describe(), Judge: judge, Unseen: append(s.unseenOf(at, list).Remarks(), byDefaults("orders are", at)...)}
	s.to.Say(o.Unseen...)
	for _, n := range order.Names(at) {
		if n.Usable {
			o.Names = append(o.Names, pbslab.Name{Name: n.Name, Kind: n.Kind, Unit: n.Unit, Meaning: n.Meaning})
		}
	}
	if priv := at.SchedPriv; priv != nil {
		o.ResourceGroup, _ = priv.Dir.Read("resource_group", file.MostPrinted)
	}
	if o.Replay, err = s.replayer(at, q); err != nil {
		return nil, err
	}
	made, err := pbslab.New(at, list, o)
	if err != nil {
		return nil, err
	}
	s.to.Say(made.NotModelled()...)
	return made, nil
}

// judges returns what says what stops each job now, nil where the vnodes or the time are not known.
func (s *Site) judges(q site.Experiment) (pbslab.Judge, error) {
	if !s.hasCycle(site.Policy{}) {
		return nil, nil
	}
	if err := s.KeepList(); err != nil {
		return nil, err
	}
	return func(ctx context.Context, at *pbs.Site) (map[string]forecast.CycleResult, error) {
		standing, _, err := s.judged(ctx, at, nil, q.Policy)
		return standing, err
	}, nil
}

// replayer returns what replays the logs, nil where there are none.
func (s *Site) replayer(at *pbs.Site, q site.Experiment) (lab.Replayer, error) {
	names := q.Logs
	if len(names) == 0 {
		for _, name := range []string{s.names.Argument, s.names.Snapshot} {
			if name == "" {
				continue
			}
			if t, err := s.to.Input.Tree(name, ""); err == nil && snapshot.HasLogs(t) {
				names = []string{name}
			}
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	logs, remarks, err := pbssite.FindLogs(names, q.TZ, s.to.Input)
	s.to.Say(remarks...)
	if err != nil {
		return nil, err
	}
	zone, err := logs.Zone()
	if err != nil {
		return nil, err
	}
	logs.Beside(s.Place)
	return pbslab.Recording{Site: at.AtAnyTime(q.NonPrime), Place: s.Place, Logs: logs, Usage: q.Usage, Zone: zone}.Replayer(), nil
}
