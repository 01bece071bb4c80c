package door

import (
	"context"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	slurmstudy "fairshare/cmd/internal/slurm/study"
	slurmwitness "fairshare/cmd/internal/slurm/witness"
	"fairshare/cmd/internal/witness"
)

// Witness implements site.Witnesser.
func (p *Past) Witness(_ context.Context, q site.Replaying) (witness.Record, error) {
	past, recorded, begin, err := p.read(q)
	if err != nil {
		return nil, err
	}
	judging := past.Setup
	if err = p.expand(past.Setup, &q.Settings); err != nil {
		return nil, err
	}
	if len(q.Settings) > 0 {
		var remarks []diag.Remark
		if judging, remarks, err = slurmstudy.Change(past.Setup, q.Settings); err != nil {
			return nil, err
		}
		p.to.Say(remarks...)
	}
	zone := q.Zone
	if zone == nil {
		zone = time.Local
	}
	shown := p.to.Progress("events of the record")
	return witness.Ending(judgedRecord(past, begin, judging, recorded, zone, shown.Steps), shown.End), nil
}

// judgedRecord returns a record as a setup judges it.
func judgedRecord(past *setup.Site, begin record.Beginning, judging *sched.Setup, from *record.Record, zone *time.Location, steps func(part, all float64)) *slurmwitness.Record {
	r := slurmwitness.New(judging, from, zone)
	r.Tells = func(done, all int) { steps(float64(done), float64(all)) }
	if !begin.IsGiven {
		r.Taken = onClock(past.World.Taken(), zone)
	}
	return r
}

// onClock returns when a site was asked, of what its clocks show in a zone, 0 for zero.
func onClock(taken time.Time, zone *time.Location) int64 {
	if taken.IsZero() {
		return 0
	}
	return time.Date(taken.Year(), taken.Month(), taken.Day(), taken.Hour(), taken.Minute(), taken.Second(), 0, zone).Unix()
}

// Past implements site.PastJudge, by the record that the last forecast has learned from, or one would. Without a file of the
// usage at its begin nothing tells who goes first.
func (s *Site) Past(ctx context.Context, q site.Forecasting, usage string) (witness.Record, error) {
	if s.forecast == nil {
		if _, _, err := s.forecastOn(ctx, q, slurm.OnStarts); err != nil {
			return nil, err
		}
	}
	judging, from, err := s.forecast.Past(usage)
	if err != nil || from == nil {
		return nil, err
	}
	r := slurmwitness.New(judging, from, q.Zone)
	if usage == "" {
		r.Taken = s.forecast.At
	}
	return r, nil
}
