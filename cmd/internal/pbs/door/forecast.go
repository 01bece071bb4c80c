package door

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/pbs"
	pbsforecast "fairshare/cmd/internal/pbs/forecast"
	"fairshare/cmd/internal/pbs/order"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

// Forecast implements site.Forecaster.
func (s *Site) Forecast(ctx context.Context, q site.Forecasting) (is, under forecast.Subject, err error) {
	if err := s.lacksPrints(q); err != nil {
		s.at(q.Moment)
		return nil, nil, err
	}
	is, under, err = s.forecast(ctx, q)
	if why := s.unordered(q.Policy, err); why != nil && !q.OnlyPast {
		q.NoFormula = true
		_, tried, err := s.quiet().beside(q.Policy) // not as a change to a site whose order is not known
		if err != nil {
			return nil, nil, err
		}
		switch {
		case errors.Is(why, order.ErrNoTree):
			tried.Untold = "the formula needs the fairshare tree, which is not there, and neither is sched_config: root can read both, sudo formula collect site.tgz"
		case errors.Is(why, order.ErrNoQueues):
			tried.Untold = "the formula has queue_priority, which qstat -Qf tells and nothing here, and sched_config is not there"
		}
		is, under, err = s.forecastOf(ctx, q, tried, tried, false)
		s.sayUnordered(why)
		return is, under, err
	}
	if err == nil && !q.OnlyPast && s.guesses(q.Policy) != nil {
		s.sayUnordered(errGuess)
	}
	return is, under, err
}

// forecast returns the forecasts of the site, and of what is tried, where the formula is known.
func (s *Site) forecast(ctx context.Context, q site.Forecasting) (is, under forecast.Subject, err error) {
	if err := s.KeepList(); err != nil {
		return nil, nil, err
	}
	s.at(q.Moment)
	at, tried, err := s.beside(q.Policy)
	switch {
	case err != nil:
		return nil, nil, err
	}
	isGiven := q.Formula != "" || q.NoFormula
	is, under, err = s.forecastOf(ctx, q, at, tried, isGiven)
	var wrong *order.FormulaError
	if tried != at && errors.As(err, &wrong) && wrong.Source == at.Sched.Formula && wrong.Source != tried.Sched.Formula {
		s.sayAlone(err)
		return s.forecastOf(ctx, q, tried, tried, isGiven)
	}
	return is, under, err
}

// sayAlone says that a forecast under what is tried stands alone, and why there is none of the site as it is.
func (s *Site) sayAlone(why error) {
	s.to.Say(diag.Warningf("there is no comparison with the site as it is, by which jobs cannot be put into an order: %v", why))
}

// forecastOf returns the forecasts of a site, and of what is tried besides. isGiven is whether somebody gave the order that is taken where
// nothing tells the one in force.
func (s *Site) forecastOf(ctx context.Context, q site.Forecasting, at, tried *pbs.Site, isGiven bool) (is, under forecast.Subject, err error) {
	ordered, then := at, tried // as sort has them
	at = at.AtAnyTime(q.NonPrime)
	if tried = at; then != ordered {
		tried = then.AtAnyTime(q.NonPrime)
	}
	plan, err := s.plan(at, q.Policy)
	if err != nil {
		return nil, nil, err
	}
	var others []*pbs.Site
	if tried != at || len(q.Settings)+len(tried.Asked) > 0 {
		whatIf := pbssite.WhatIfReplayed
		if q.Submits {
			whatIf = pbssite.WhatIfSubmitted
		}
		changed, remarks, err := whatIf(tried, q.Settings)
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
	if err != nil {
		return nil, nil, err
	}
	now.IsOrderGiven = isGiven
	if q.Known != "" {
		remarks, err := now.Know(s.to.Input.Source(q.Known, site.JobList))
		s.to.Say(remarks...)
		if err != nil {
			return nil, nil, err
		}
	}
	ofRanks, err := s.rank(ctx, now, ordered, q.Policy)
	if err != nil {
		return nil, nil, err
	}
	unseen := now.Unseen
	switch {
	case unseen.IsHidden() && unseen.IsPrivate:
		return nil, nil, diag.Requestf("%s: when jobs start that wait for what others have cannot be told (%s)", unseen.Of(), site.CollectHint)
	case unseen.IsHidden():
		now.Lacks = unseen.Of()
	}
	s.sayDefaults("starts are forecast", at)
	if now.Lacks == "" || at.Unordered() != "" { // else it is why no start is told
		s.sayOf(unseen)
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
	ranked, err := then.WithSubmitted(q.Settings)
	if err != nil {
		return nil, nil, err
	}
	ofChanged, err := s.rank(ctx, changed, ranked, q.Policy)
	for _, r := range ofChanged {
		isSaid := func(o diag.Remark) bool { return o.Text == r.Text }
		isOther := func(o diag.Remark) bool { return about(o.Text) == about(r.Text) }
		if !slices.ContainsFunc(ofRanks, isSaid) && slices.ContainsFunc(ofRanks, isOther) {
			s.to.Say(r.Of("with what is set, "))
		}
	}
	return now, changed, err
}

// beside returns the site as it is, and under a policy without its settings. They are one where the policy has no formula and no
// threshold of its own and no file asks for anything, or nothing tells what is in force.
func (s *Site) beside(p site.Policy) (is, tried *pbs.Site, err error) {
	told, own, remarks, err := s.Place.SiteBeside()
	s.to.Say(remarks...)
	if err != nil {
		return nil, nil, err
	}
	if own == nil {
		own = told.Copied()
	}
	s.tries.Store(s.tries.Load() || len(told.Asked) > 0 || !own.HasPrivOf(told))
	isAsked := p.Formula != "" || p.NoFormula || p.Threshold != nil
	if tried, err = s.put(told, p); err != nil {
		return nil, nil, err
	}
	of := p
	of.Formula, of.NoFormula, of.Threshold, of.Settings = "", false, nil, nil
	is, err = s.quiet().put(own, of)
	switch {
	case errors.Is(err, pbssite.ErrUnknownFormula):
		s.to.Say(diag.Notef("nothing tells which formula is in force: that which is given, or none, is taken to be, and is compared with no other"))
		return tried, tried, nil
	case err != nil:
		return nil, nil, err
	case len(tried.Asked) > 0:
	case is.IsReadAs(tried) && isAsked:
		s.to.Say(diag.Warningf("the formula and the threshold that are given are those in force"))
		return is, is, nil
	case is.IsReadAs(tried):
		return tried, tried, nil
	}
	_, why := s.quiet().plan(is, p)
	if why == nil && p.Formula != "" && isGuess(is) {
		why = errGuess
	}
	if why != nil {
		s.sayAlone(why)
		return tried, tried, nil
	}
	if !is.HasPrivOf(tried) && is.SchedPriv != nil && tried.SchedPriv != nil {
		s.to.Say(diag.WhatIf(fmt.Sprintf("the sched_priv is %s (was %s)", tried.SchedPriv.Dir.Name, is.SchedPriv.Dir.Name)))
	}
	switch {
	case p.NoFormula:
		s.to.Say(diag.WhatIf(fmt.Sprintf("job_sort_formula is not set (was %s)", cmp.Or(is.Sched.Formula, "not set"))))
	case p.Formula != "":
		s.to.Say(diag.WhatIf(fmt.Sprintf("job_sort_formula=%s (was %s)", p.Formula, cmp.Or(is.Sched.Formula, "not set"))))
	}
	if p.Threshold != nil {
		s.to.Say(diag.WhatIf(fmt.Sprintf("job_sort_formula_threshold=%s (was %s)", report.Plain(*p.Threshold), thresholds(is))))
	}
	return is, tried, nil
}

// thresholds returns the threshold of a site in words, with those of other schedulers that have another one.
func thresholds(s *pbs.Site) string {
	text := report.Plain(s.Sched.Threshold)
	for _, other := range s.Others {
		if other.Sched.Threshold != s.Sched.Threshold {
			text += fmt.Sprintf("; of scheduler %s %s", other.Scheduler.Name, report.Plain(other.Sched.Threshold))
		}
	}
	return text
}

// quiet returns the site as one that says nothing.
func (s *Site) quiet() *Site {
	console := *s.to
	console.Say = func(...diag.Remark) {}
	return &Site{Place: s.Place, names: s.names, to: &console}
}

// rank gives the jobs of a forecast the ranks that sort tells, and returns what is to be said of these.
func (s *Site) rank(ctx context.Context, of *pbsforecast.Site, at *pbs.Site, p site.Policy) ([]diag.Remark, error) {
	plan, err := s.planNow(ctx, at, p)
	if err != nil {
		return nil, err
	}
	return of.Rank(s.Place, plan)
}

// logsOf returns the logs that a forecast learns from, nil for none.
func (s *Site) logsOf(q site.Forecasting) (*pbssite.Logs, error) {
	if len(q.Logs) == 0 {
		logs, said := s.Place.OwnRecord(s.names.Zone, s.to.Input.Formats)
		s.to.Say(said...)
		return logs, nil
	}
	logs, said, err := pbssite.FindLogs(q.Logs, q.TZ, s.to.Input)
	s.to.Say(said...)
	return logs, err
}
