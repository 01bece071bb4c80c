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
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

// FindStuck adds to what a check has found which jobs never start as the site is with what files ask, by what keeps them, or says why that is not looked at.
func (s *Site) FindStuck(ctx context.Context, checked *pbssite.Checked) error {
	lacks := "pbsnodes -av tells the vnodes"
	if cut := s.Place.CutVnodes(); cut != nil {
		lacks = cut.Error()
	} else if s.hasCycle(site.Policy{}) {
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

// sayNever says how many of the rows of an order are jobs that never start as the site is, where a cycle tells that without much work.
func (s *Site) sayNever(ctx context.Context, o *order.Order, rows []int, p site.Policy) {
	var standing map[string]forecast.CycleResult
	if len(rows) > 0 {
		standing = s.standingBeside(ctx, o, p)
	}
	var never []string
	for _, row := range rows {
		if j := o.List.Job(row); strings.HasPrefix(standing[j.ID].Reason, outcome.Never) {
			never = append(never, j.ID)
		}
	}
	switch len(never) {
	case 0:
	case 1:
		s.to.Say(diag.Notef("1 of these jobs never starts as things are (%s): --now says what keeps it", never[0]).OfAsked())
	default:
		s.to.Say(diag.Notef("%d of these jobs never start as things are (%s): --now says what keeps each", len(never), report.First(never)).OfAsked())
	}
}

// standingBeside returns what a cycle right now makes of the jobs of an order, for what is said beside it alone: nil where none can be gone
// through, or that takes much work.
func (s *Site) standingBeside(ctx context.Context, o *order.Order, p site.Policy) map[string]forecast.CycleResult {
	const most = 5000 // jobs of a list that a cycle is gone through for that alone
	if last := s.last.Load(); last != nil && last.at == o.Plan.Site {
		return last.standing
	}
	if !s.hasCycle(p) || o.List.Len() > most {
		return nil
	}
	standing, _, _ := s.quiet().judged(ctx, o.Plan.Site, o.List, p)
	return standing
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
	return stuck.Said("as things are"), nil
}
