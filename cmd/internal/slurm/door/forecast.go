package door

import (
	"context"
	"errors"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	slurmforecast "fairshare/cmd/internal/slurm/forecast"
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
	dump, err := s.printed(ctx, dump.ForForecast)
	switch {
	case err != nil:
		return nil, nil, err
	case q.OnlyPast && s.dump != nil:
		read = slurmforecast.ReadPast
		now, remarks, err = setup.Past(dump)
	default:
		now, remarks, err = s.now(dump, on, q.Zone)
	}
	if err == nil {
		if q.Settings, err = expanded(s.to, dump, q.Settings, ofSetup(now.Setup)); err != nil {
			return nil, nil, err
		}
	}
	remarks = asTried(remarks, q.Settings)
	defer func() { s.to.Say(remarks...) }()
	if err != nil {
		return nil, nil, err
	}
	if now.Hidden != "" {
		return nil, nil, diag.Requestf("%s: when jobs start that wait for what others have cannot be told (an operator's formula collect --slurm site.tgz writes a site that has all jobs)", now.Hidden)
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
	if at, err := s.orderOf(dump); err == nil && of.Ranks != nil {
		changed.Ranks = set.Ranks(at, q.Settings)
	}
	return of, changed, nil
}
