package door

import (
	"context"
	"errors"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs/explain"
	pbsforecast "fairshare/cmd/internal/pbs/forecast"
	"fairshare/cmd/internal/pbs/order"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/site"
)

// unordered returns why the order of the jobs is not known to an ordinary user, who has neither the formula nor the tree that
// it needs: nil for an error of another kind, where a policy is tried, and where there is a sched_priv. What is asked of one job
// can then be answered without its place.
func (s *Site) unordered(p site.Policy, err error) error {
	isOf := errors.Is(err, pbssite.ErrUnknownFormula) || errors.Is(err, order.ErrNoTree)
	if !isOf || errors.Is(err, pbsforecast.ErrNoNodes) || p.Formula != "" || p.NoFormula || len(p.Settings) > 0 {
		return nil
	}
	if at, _, wrong := s.Place.Site(); wrong != nil || at.SchedPriv != nil {
		return nil
	}
	return err
}

// describe answers what can be said of a job whose place is not known, and why it is not.
func (s *Site) describe(ctx context.Context, q site.Question, why error) (*site.Answer, error) {
	q.NoFormula = true
	o, row, err := s.orderOfJob(ctx, q)
	if err != nil {
		return nil, s.withRecord(err, q.Job)
	}
	e := explain.Describe(o, row, s.lacking(why))
	if e.Now, err = s.standing(ctx, o, e.ID, q.Policy); err != nil {
		return nil, err
	}
	if e.Now != nil && e.Unplaced != "" {
		e.Now = e.Now.OfAnyOrder()
	}
	return &site.Answer{JSON: e, IsPartly: e.Unplaced != "", Print: s.printer(e)}, nil
}

// lacking says why the place of a job is not known, and what tells it.
func (s *Site) lacking(why error) string {
	if errors.Is(why, order.ErrNoTree) {
		return why.Error() + ", which an ordinary user may not read (" + site.CollectHint + ")"
	}
	return "the formula in force is not known: qstat -Bf tells it"
}

// sayUnordered says why a forecast is made without the order.
func (s *Site) sayUnordered(why error) {
	s.to.Say(diag.Warningf("the place of jobs is not known: %s", s.lacking(why)))
}
