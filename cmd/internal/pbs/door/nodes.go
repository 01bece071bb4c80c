package door

import (
	"context"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/pbs"
	pbsnodes "fairshare/cmd/internal/pbs/nodes"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/site"
)

// Nodes implements site.Noder.
func (s *Site) Nodes(ctx context.Context, m site.Moment, q nodes.Question) (*nodes.Machine, error) {
	if err := s.KeepList(); err != nil {
		return nil, err
	}
	s.at(m)
	whatIf := pbssite.WhatIfReplayed
	if q.OfJob() {
		whatIf = pbssite.WhatIfSubmitted
	}
	at, err := s.asTried(q.Settings, whatIf)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range at.Changes {
		names = append(names, c.Name)
	}
	s.to.Say(q.SayIdle(names, func(name string) bool {
		return strings.HasPrefix(name, "node") || strings.HasPrefix(name, "reservation.") || strings.Contains(name, ".default_chunk.")
	})...)
	machine, remarks, err := s.machine(ctx, at, m.Zone, q)
	s.to.Say(remarks...)
	return machine, err
}

// machine returns the vnodes of a site with what is asked of them.
func (s *Site) machine(ctx context.Context, at *pbs.Site, zone *time.Location, q nodes.Question) (*nodes.Machine, []diag.Remark, error) {
	if q.Job != "" && s.Place.OnlyTables() {
		return s.nodesFor(ctx, at, zone, q)
	}
	return pbsnodes.Read(ctx, s.Place, at, s.reservationLogs(), zone, q)
}
