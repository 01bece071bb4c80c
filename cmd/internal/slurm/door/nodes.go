package door

import (
	"context"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	slurmnodes "fairshare/cmd/internal/slurm/nodes"
	"fairshare/cmd/internal/slurm/setup"
)

// Nodes implements site.Noder.
func (s *Site) Nodes(ctx context.Context, m site.Moment, q nodes.Question) (*nodes.Machine, error) {
	printed, err := s.printed(ctx, dump.ForNow)
	if err != nil {
		return nil, err
	}
	now, remarks, err := s.now(printed, slurm.OnRoom, m.Zone)
	if err == nil && q.OfJob() { // what nodes have for it depends on no other that waits
		if at, _ := s.orderOf(printed); at.Tree == nil && !at.Conf.HasNoAccounts {
			remarks = append(remarks, diag.Warningf("whether the job would start before others that wait is not known: %v", noTree(at.Name)).OfAsked())
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

// roomNow says what the nodes of a site at a moment have for a job that waits, "" where that is not known.
func roomNow(ctx context.Context, now *setup.Site, settings []string, job string) string {
	q := nodes.Question{Job: job, Settings: settings}
	machine, _, err := slurmnodes.Read(ctx, now, time.UTC, q)
	if err != nil {
		return ""
	}
	return nodes.NewAnswer(machine, q).Room()
}
