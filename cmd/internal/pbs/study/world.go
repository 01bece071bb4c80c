package study

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/replay"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/pbs/world"
)

// localTime returns what is known of the zone of the site's local times.
func (in *Inputs) localTime() (pbssite.LocalTime, error) {
	if in.logs == nil {
		return pbssite.LocalTime{Zone: cmp.Or(in.Zone, time.Local)}, nil
	}
	return in.logs.LocalAt(in.begin)
}

// world returns what happens to the complex besides its jobs under a policy: what the logs
// tell, and the times with rules of their own that the policy's sched_priv has.
func (in *Inputs) world(site *pbs.Site, nodes *cluster.Cluster) (*world.World, []diag.Remark, error) {
	happens := *in.happens
	if at := slices.IndexFunc(site.AwayNodes, func(away pbs.AwayVnodes) bool { return away.IsNever }); at >= 0 {
		return nil, nil, &diag.SettingError{Setting: "node." + site.AwayNodes[at].Names, Err: errors.New("never puts vnodes back that are away now, for nodes, sort --now and when; a replay takes what happened, and --all-nodes also those that were away when pbsnodes was asked")}
	}
	zone := cmp.Or(in.Zone, time.Local)
	if err := replay.Change(&happens, site, nodes, zone); err != nil {
		return nil, nil, err
	}
	priv := site.SchedPriv
	if priv == nil || priv.Dir.FS == nil || site.NonPrime {
		return &happens, nil, nil // all times are alike
	}
	var remarks []diag.Remark
	local, err := in.localTime()
	if err != nil {
		return nil, nil, err
	}
	own, said := local.Hours(in.begin, in.end)
	hours, problems := world.ReadHours(priv.Dir, own, zone)
	happens.Hours = hours
	if hours.Matters(in.begin) {
		remarks = append(remarks, said...)
	}
	for _, p := range problems {
		remarks = append(remarks, diag.Warningf("%v", p))
	}
	if other := hours.OtherYear(in.begin); other != "" {
		remarks = append(remarks, diag.Warningf("%s", other))
	}
	config := priv.Config
	hasBackfill := config.Hours.Prime.Backfill || config.Hours.NonPrime.Backfill
	hasHours := hasBackfill || config.Prime.StrictOrdering != config.NonPrime.StrictOrdering
	if hasHours && !happens.Hours.Changes() {
		remarks = append(remarks, diag.Notef("no file holidays tells of a year, so that all is prime time, as PBS has it"))
	}
	return &happens, remarks, nil
}
