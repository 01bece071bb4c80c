package door

import (
	"context"

	"fairshare/cmd/internal/nodes"
	pbsnodes "fairshare/cmd/internal/pbs/nodes"
	"fairshare/cmd/internal/site"
)

// Nodes implements site.Noder.
func (s *Site) Nodes(ctx context.Context, m site.Moment, q nodes.Question) (*nodes.Machine, error) {
	if err := s.keepList(); err != nil {
		return nil, err
	}
	s.at(m)
	at, err := s.AsItIs()
	if err != nil {
		return nil, err
	}
	machine, remarks, err := pbsnodes.Read(ctx, s.Place, at, s.reservationLogs(), m.Zone, q)
	s.to.Say(remarks...)
	return machine, err
}
