package door

import (
	"context"

	"fairshare/cmd/internal/pbs/obfuscate"
	"fairshare/cmd/internal/site"
)

// Collect implements site.Collector.
func (s *Site) Collect(_ context.Context, c site.Collecting) (site.Snapshot, error) {
	snap, remarks, err := s.Place.Collect(s.names, c.Days)
	s.to.Say(remarks...)
	if err != nil {
		return nil, err
	}
	if c.Obfuscate {
		if snap, err = obfuscate.Snapshot(snap, c.Shift); err != nil {
			return nil, err
		}
	}
	s.to.Say(snap.Remarks...)
	return snap, nil
}
