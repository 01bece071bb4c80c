package door

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm/dump"
	slurmlab "fairshare/cmd/internal/slurm/lab"
	"fairshare/cmd/internal/witness"
)

// Lab implements site.Experimenter.
func (s *Site) Lab(ctx context.Context, q site.Experiment) (lab.Site, error) {
	printed, err := s.printed(ctx, dump.ForNow)
	if err != nil {
		return nil, err
	}
	at, err := s.order(printed)
	if err != nil {
		return nil, err
	}
	s.to.Say(at.Differences()...)
	name := "--live"
	if s.dump != nil {
		name = s.dump.Name
	}
	made := slurmlab.New(at, printed, name)
	made.Replay, err = s.replayer(printed, q)
	return made, err
}

// replayer returns what replays the tables of sacct that are named, or those that the site has within it; nil where there
// are none.
func (s *Site) replayer(printed *dump.Dump, q site.Experiment) (lab.Replayer, error) {
	zone, err := s.zoneNamed(q.TZ)
	if err != nil {
		return nil, err
	}
	past := &Past{name: printed.Name, dump: printed}
	if past.tables, err = tablesNamed(q.Logs, true, s.to.Input); err != nil {
		return nil, err
	}
	if len(q.Logs) == 0 {
		tables, remarks, err := printed.Accounting()
		var lacks *dump.MissingError
		if past.tables = tables; err != nil && !errors.As(err, &lacks) && !dump.IsMissing(err) { // the order does not need them
			remarks = append(remarks, diag.Warningf("no record is replayed: %v", err))
		}
		s.to.Say(remarks...)
	}
	if len(past.tables) == 0 {
		return nil, nil
	}
	var mutex sync.Mutex // one at a time reads the record
	return func(ctx context.Context, state lab.State, progress func(float64)) ([]byte, error) {
		mutex.Lock()
		defer mutex.Unlock()
		quiet := diag.Printer{W: io.Discard} // the terminal has nobody any more who reads it
		own := *s.to
		own.Say = quiet.Say
		past.to = &own
		on, err := past.Replay(ctx, site.Replaying{Zone: zone, Settings: state.Settings})
		if err == nil {
			err = on.Use()
		}
		if err != nil {
			return nil, err
		}
		if on.Judged, err = witness.Summarize(ctx, on.Record()); err != nil {
			return nil, err
		}
		on.Progress = func(part, all float64) { progress(part / all) }
		all, err := on.Run(ctx)
		if err != nil {
			return nil, fmt.Errorf("the record cannot be replayed: %w", err)
		}
		return page.Render(on.Page(all, on.Compare(all), nil, zone, append(quiet.Said(), on.Caveats(all, zone)...)))
	}, nil
}
