package door

import (
	"context"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/site"
	slurmstudy "fairshare/cmd/internal/slurm/study"
	slurmwitness "fairshare/cmd/internal/slurm/witness"
	"fairshare/cmd/internal/witness"
)

// Witness implements site.Witnesser.
func (p *Past) Witness(_ context.Context, q site.Replaying) (witness.Record, error) {
	past, recorded, err := p.read(q)
	if err != nil {
		return nil, err
	}
	judging := past.Setup
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
	record := slurmwitness.New(judging, recorded, zone)
	shown := p.to.Progress()
	record.Tells = func(done, all int) { shown.Steps(float64(done), float64(all)) }
	return &shownRecord{record, shown.End}, nil
}

// shownRecord is a record whose progress is shown until it is over.
type shownRecord struct {
	*slurmwitness.Record
	end func()
}

// Starts implements witness.Record.
func (r *shownRecord) Starts(ctx context.Context, yield func(*witness.Start)) error {
	defer r.end()
	return r.Record.Starts(ctx, yield)
}
