package door

import (
	"context"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cycle"
	pbsforecast "fairshare/cmd/internal/pbs/forecast"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/site"
)

// pass is what a cycle right now makes of the jobs of a site.
type pass struct {
	at       *pbs.Site
	standing map[string]forecast.CycleResult
	err      error
}

// hasCycle reports whether a cycle right now can be gone through under a policy: the vnodes and the time of the list are known. Where
// their list is cut off it says what that costs.
func (s *Site) hasCycle(p site.Policy) bool {
	if !s.Place.Nodes.IsGiven() || s.Place.Taken.IsZero() || p.Static || p.AllStart {
		return false
	}
	cut := s.Place.CutVnodes()
	if cut != nil {
		s.to.Say(diag.Damagef("%v, so that none of it counts: what is free, who starts now and what keeps jobs is not told", cut).OfAsked())
	}
	return cut == nil
}

// cycleNow returns what goes through a cycle right now, nil where the vnodes or the time of the list are not known.
func (s *Site) cycleNow(ctx context.Context, p site.Policy) (func(at *pbs.Site, list *joblist.List) (map[string]forecast.CycleResult, []diag.Remark, error), error) {
	if !s.hasCycle(p) {
		return nil, nil
	}
	if err := s.KeepList(); err != nil {
		return nil, err
	}
	return func(at *pbs.Site, list *joblist.List) (map[string]forecast.CycleResult, []diag.Remark, error) {
		standing, remarks, err := s.judged(ctx, at, list, p)
		if s.last.Swap(&pass{at, standing, err}) != nil { // whose remarks are said
			remarks = nil
		}
		return standing, remarks, err
	}, nil
}

// fates returns what goes through a cycle right now for an order, nil where none can be gone through.
func (s *Site) fates(ctx context.Context, p site.Policy) (order.Judge, error) {
	judge, err := s.cycleNow(ctx, p)
	if judge == nil {
		return nil, err
	}
	return func(at *pbs.Site, list *joblist.List) (map[string]cycle.Fate, []diag.Remark, error) {
		standing, remarks, err := judge(at, list)
		return fatesOf(standing), remarks, err
	}, nil
}

// fatesOf returns what a cycle makes of jobs, by their IDs, as far as an order depends on it.
func fatesOf(standing map[string]forecast.CycleResult) map[string]cycle.Fate {
	fates := map[string]cycle.Fate{}
	for id, of := range standing {
		fates[id] = cycle.Fate{Starts: int32(of.Number), IsTop: of.Planned}
	}
	return fates
}

// judge returns what one cycle right now makes of each job.
func (s *Site) judge(ctx context.Context, plan *order.Plan, p site.Policy) (map[string]forecast.CycleResult, error) {
	if err := s.KeepList(); err != nil {
		return nil, err
	}
	standing, remarks, err := s.judged(ctx, plan.Site, nil, p)
	s.to.Say(remarks...)
	return standing, err
}

// judged returns what one cycle right now makes of each job of a site. list has them, nil where it was not read yet.
func (s *Site) judged(ctx context.Context, at *pbs.Site, list *joblist.List, p site.Policy) (map[string]forecast.CycleResult, []diag.Remark, error) {
	s.isJudged.Store(true)
	return pbsforecast.Judge(ctx, s.Place, at.AtAnyTime(p.NonPrime), list, s.reservationLogs(), s.planOptions(p), s.Place.Zone())
}

// reservationLogs returns the logs of the site, in which reservations are looked for and nothing else, nil for none.
func (s *Site) reservationLogs() *pbssite.Logs {
	logs, _ := s.Place.OwnLogs(s.names.Zone, s.to.Input.Formats)
	return logs
}
