package pbsstudy

import (
	"cmp"
	"fmt"
	"time"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/world"
)

// world returns what happens to the complex besides its jobs under a policy: what the logs
// tell, and the times with rules of their own that the policy's sched_priv has.
func (in *Inputs) world(site *pbs.Site, nodes *cluster.Cluster) (*world.World, []diag.Remark, error) {
	happens := *in.happens
	zone := in.Zone
	if zone == nil {
		zone = time.Local
	}
	for _, away := range site.AwayNodes {
		events, err := eventsOf(away, nodes, zone)
		if err != nil {
			return nil, nil, err
		}
		happens.Vnodes = world.Merge(happens.Vnodes, events)
	}
	var err error
	if happens.Reservations, err = reserve(happens.Reservations, site.ReservationChanges, nodes, zone); err != nil {
		return nil, nil, err
	}
	priv := site.SchedPriv
	if priv == nil || priv.Dir.FS == nil || site.NonPrime {
		return &happens, nil, nil // all times are alike
	}
	var remarks []diag.Remark
	own := cmp.Or(in.told, zone)
	hours, problems := world.ReadHours(priv.Dir, own)
	happens.Hours = hours
	dedicated, _ := hours.Dedicated(in.begin) // PBS comes with some of 1998
	if in.told != nil && (hours.Changes() || dedicated != world.Span{}) {
		remarks = append(remarks, diag.Notef("holidays and dedicated_time are read in %s, as the logs tell of their begin (--tz ZONE, if the site's clocks change)", own))
	}
	for _, p := range problems {
		remarks = append(remarks, diag.Warningf("%v", p))
	}
	if other := hours.OtherYear(in.begin); other != "" {
		remarks = append(remarks, diag.Warningf("%s", other))
	}
	if config := priv.Config; !happens.Hours.Changes() && (config.Hours.Prime.Backfill || config.Hours.NonPrime.Backfill || config.Prime.StrictOrdering != config.NonPrime.StrictOrdering) {
		remarks = append(remarks, diag.Notef("no file holidays tells of a year, so that all is prime time, as PBS has it"))
	}
	return &happens, remarks, nil
}

// eventsOf returns what happens to vnodes that a policy takes away for a while.
func eventsOf(away pbs.AwayVnodes, nodes *cluster.Cluster, zone *time.Location) ([]world.VnodeEvent, error) {
	fail := func(err error) error { return &study.RequestError{Detail: fmt.Sprintf("node.%s: %v", away.Names, err)} }
	numbers, err := nodes.Find(away.Names)
	if err != nil {
		return nil, fail(err)
	}
	var at [2]int64
	if at[0], at[1], err = parseSpan(away.From, away.To, zone); err != nil {
		return nil, fail(err)
	}
	kinds := [2]world.VnodeChange{world.Offline, world.Online}
	if away.IsDown {
		kinds = [2]world.VnodeChange{world.Down, world.Up}
	}
	var events []world.VnodeEvent
	for i, kind := range kinds {
		for _, number := range numbers {
			events = append(events, world.VnodeEvent{At: at[i], Vnode: nodes.Vnodes[number].Name, Kind: kind})
		}
	}
	return events, nil
}

// parseSpan returns the times between which something is to be.
func parseSpan(from, to string, zone *time.Location) (start, end int64, err error) {
	if start, err = world.ParseTime(from, zone); err != nil {
		return 0, 0, err
	}
	if end, err = world.ParseTime(to, zone); err != nil {
		return 0, 0, err
	}
	if start >= end {
		return 0, 0, fmt.Errorf("%s is not before %s", from, to)
	}
	return start, end, nil
}
