package door

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	slurmforecast "fairshare/cmd/internal/slurm/forecast"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/set"
	"fairshare/cmd/internal/slurm/setup"
)

// Forecast implements site.Forecaster.
func (s *Site) Forecast(ctx context.Context, q site.Forecasting) (is, under forecast.Subject, err error) {
	return s.forecastOn(ctx, q, slurm.OnStarts|slurm.OnArrivals)
}

// forecastOn is Forecast that says of what is not modelled that on which some answers depend.
func (s *Site) forecastOn(ctx context.Context, q site.Forecasting, on slurm.Answers) (is, under forecast.Subject, err error) {
	tables, err := tablesNamed(q.Logs, false, s.to.Input)
	if err != nil {
		return nil, nil, err
	}
	read, now := slurmforecast.Read, (*setup.Site)(nil)
	var remarks []diag.Remark
	printed, err := s.printed(ctx, dump.ForNow)
	switch {
	case err != nil:
		return nil, nil, err
	case q.OnlyPast && s.dump != nil:
		read = slurmforecast.ReadPast
		now, remarks, err = setup.Past(printed)
	default:
		now, remarks, err = s.now(printed, on, q.Zone)
	}
	if err == nil {
		if err := s.expand(printed, &q.Settings, ofSetup(now.Setup)); err != nil {
			return nil, nil, err
		}
	}
	remarks = asTried(remarks, q.Settings)
	defer func() { s.to.Say(remarks...) }()
	var lacks *dump.MissingError
	switch {
	case errors.As(err, &lacks) && lacks.What == dump.WholeTree:
		return nil, nil, &site.OrderError{Err: err}
	case err != nil:
		return nil, nil, err
	}
	if now.Hidden != "" {
		return nil, nil, &diag.RequestError{Err: &hiddenError{now.Hidden}}
	}
	of, said, err := read(now, tables, q.Zone)
	remarks = append(remarks, said...)
	var other *slurmforecast.OtherClusterError
	switch {
	case errors.As(err, &other):
		return nil, nil, &diag.RequestError{Err: err}
	case err != nil:
		return nil, nil, err
	}
	if s.forecast = of; len(q.Settings) == 0 {
		return of, nil, nil
	}
	changed, remarks, err := of.Under(q.Settings, remarks)
	if err != nil {
		return nil, nil, err
	}
	if at, err := s.orderOf(printed); err == nil && of.Ranks != nil {
		changed.Ranks = set.Ranks(at, q.Settings)
	}
	return of, changed, nil
}

// hiddenError says that much is in use by jobs which nobody may see who asks.
type hiddenError struct{ what string }

func (e *hiddenError) Error() string {
	return e.what + ": when jobs start that wait for what others have cannot be told (an operator's formula collect --slurm site.tgz writes a site that has all jobs)"
}

// Expected implements site.Expecter.
func (s *Site) Expected(ctx context.Context, zone *time.Location, why error) (*forecast.Expected, error) {
	var lacks *dump.MissingError
	var hidden *hiddenError
	if !errors.As(why, &lacks) && !errors.As(why, &hidden) {
		return nil, why
	}
	printed, err := s.printed(ctx, dump.ForNow)
	if err != nil {
		return nil, err
	}
	var rows []order.Row
	if at, err := s.orderOf(printed); err == nil {
		rows = at.Rows()
	}
	e, remarks, err := slurmforecast.Expected(printed, rows, zone, why)
	if err != nil {
		return nil, err
	}
	of, collect := "", ""
	if missing := setup.Missing(printed); lacks != nil && missing != nil {
		of = " without " + report.Listed(missing)
		collect = fmt.Sprintf("; with what %s prints it is forecast", report.Listed(missing))
	}
	s.to.Say(append(remarks, diag.Lackf("%v. So nothing is forecast: SLURM SAYS is Slurm's own START_TIME, by which it expects to start a job if all others run to their time limits and none comes before%s", why, collect).
		Briefly("nothing is forecast%s: SLURM SAYS is Slurm's own START_TIME, which takes all to run to their time limits and none to come", of).OfAsked())...)
	return e, nil
}
