package door

import (
	"context"
	"fmt"

	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	slurmnodes "fairshare/cmd/internal/slurm/nodes"
)

// Nodes implements site.Noder.
func (s *Site) Nodes(ctx context.Context, m site.Moment, q nodes.Question) (*nodes.Machine, error) {
	printed, err := s.printed(ctx, dump.ForNow)
	if err != nil {
		return nil, err
	}
	now, remarks, err := s.now(printed, slurm.OnRoom, m.Zone)
	if err == nil && q.OfJob() { // whether a job starts depends on who goes before it
		if at, _ := s.orderOf(printed); at.Tree == nil && !at.Conf.HasNoAccounts {
			err = fmt.Errorf("%w: where it would start depends on it", noTree(at.Name))
		}
	}
	if err == nil {
		if err := s.expand(printed, &q.Settings, ofSetup(now.Setup)); err != nil {
			return nil, err
		}
	}
	remarks = asTried(remarks, q.Settings)
	if err != nil {
		s.to.Say(remarks...)
		return nil, err
	}
	machine, said, err := slurmnodes.Read(ctx, now, m.Zone, q)
	if err == nil { // of what cannot be asked for nothing else is said
		s.to.Say(append(remarks, said...)...)
	}
	return machine, err
}
