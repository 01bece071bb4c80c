package door

import (
	"context"

	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	slurmnodes "fairshare/cmd/internal/slurm/nodes"
)

// Nodes implements site.Noder.
func (s *Site) Nodes(ctx context.Context, m site.Moment, q nodes.Question) (*nodes.Machine, error) {
	printed, err := s.printed(ctx, dump.ForForecast)
	if err != nil {
		return nil, err
	}
	now, remarks, err := s.now(printed, slurm.OnRoom, m.Zone)
	s.to.Say(asTried(remarks, q.Settings)...)
	if err != nil {
		return nil, err
	}
	machine, remarks, err := slurmnodes.Read(ctx, now, m.Zone, q)
	s.to.Say(remarks...)
	return machine, err
}
