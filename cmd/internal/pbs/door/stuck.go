package door

import (
	"context"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/order"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/site"
)

// FindStuck adds to what a check has found which jobs never start as the site is with what files ask, by what keeps them, or says why that is not looked at.
func (s *Site) FindStuck(ctx context.Context, checked *pbssite.Checked) error {
	lacks := "pbsnodes -av tells the vnodes"
	if s.hasCycle(site.Policy{}) {
		list, err := s.quiet().stuck(ctx)
		for _, text := range list {
			checked.Find(diag.Warningf("%s", text))
		}
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		lacks = err.Error()
	}
	checked.Lacks = append(checked.Lacks, "which jobs never start ("+lacks+")")
	return nil
}

// stuck says which jobs of the site, with what files ask, never start in a cycle right now. Each of several schedulers goes through its own, in which no formula
// matters.
func (s *Site) stuck(ctx context.Context) ([]string, error) {
	chosen := s.Place.Files.Partition
	defer func() { s.Place.Files.Partition = chosen }()
	var stuck forecast.Stuck
	policy := site.Policy{NoFormula: true}
	look := func(told *pbs.Site) error {
		tried, _, err := pbssite.WhatIfReplayed(told, nil)
		if err != nil {
			return err
		}
		at, err := s.put(tried, policy)
		if err != nil {
			return err
		}
		plan, err := s.plan(at, policy)
		if err != nil {
			return err
		}
		list, _, err := s.Place.List(order.ListOptions(plan))
		if err != nil {
			return err
		}
		standing, _, err := s.judged(ctx, at, list, policy)
		if err != nil {
			return err
		}
		for row := range list.Len() {
			j := list.Job(row)
			if is := standing[j.ID]; strings.HasPrefix(is.Reason, outcome.Never) {
				stuck.Add(j.ID, strings.Replace(is.Reason, "its queue", "queue "+list.Queues.List[j.Queue], 1))
			}
		}
		return nil
	}
	at, err := s.asTold()
	if err != nil {
		return nil, err
	}
	if err = look(at); err != nil {
		return nil, err
	}
	for _, other := range at.Others {
		s.Place.Files.Partition = other.Scheduler.Name
		of, err := s.asTold()
		if err != nil {
			return nil, err
		}
		if err = look(of); err != nil {
			return nil, err
		}
	}
	return stuck.Said(), nil
}
