package study

import (
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/world"
)

// world returns what happens to the complex besides its jobs under a policy: what the logs
// tell, and the times with rules of their own that the policy's sched_priv has.
func (in *Inputs) world(site *pbs.Site) (*world.World, []diag.Remark) {
	happens := *in.happens
	priv := site.SchedPriv
	if priv == nil || priv.Dir.FS == nil || site.NonPrime {
		return &happens, nil // all times are alike
	}
	zone := in.Zone
	if zone == nil {
		zone = time.Local
	}
	var remarks []diag.Remark
	hours, problems := world.ReadHours(priv.Dir, zone)
	happens.Hours = hours
	for _, p := range problems {
		remarks = append(remarks, diag.Warningf("%v", p))
	}
	if config := priv.Config; !happens.Hours.Changes() && (config.Hours.Prime.Backfill || config.Hours.NonPrime.Backfill || config.Prime.StrictOrdering != config.NonPrime.StrictOrdering) {
		remarks = append(remarks, diag.Notef("no file holidays tells of a year, so that all is prime time, as PBS has it"))
	}
	return &happens, remarks
}
