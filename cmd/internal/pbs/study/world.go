package study

import (
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/replay"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/pbs/world"
)

// world returns what happens to the complex besides its jobs under a policy: what the logs
// tell, and the times with rules of their own that the policy's sched_priv has.
func (in *Inputs) world(site *pbs.Site, nodes *cluster.Cluster) (*world.World, []diag.Remark, error) {
	happens := *in.happens
	zone := in.Zone
	if zone == nil {
		zone = time.Local
	}
	if err := replay.Change(&happens, site, nodes, zone); err != nil {
		return nil, nil, err
	}
	priv := site.SchedPriv
	if priv == nil || priv.Dir.FS == nil || site.NonPrime {
		return &happens, nil, nil // all times are alike
	}
	var remarks []diag.Remark
	own, said := pbssite.HoursZone(in.logs, zone, in.begin)
	hours, problems := world.ReadHours(priv.Dir, own)
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
