package study

import (
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/world"
)

// world returns what happens to the complex besides its jobs, as far as the site's files tell.
func (in *Inputs) world() (*world.World, []diag.Remark) {
	priv := in.Site.SchedPriv
	if priv == nil || priv.Dir.FS == nil || in.Site.NonPrime {
		return nil, nil // all times are alike
	}
	zone := in.Zone
	if zone == nil {
		zone = time.Local
	}
	hours, problems := world.ReadHours(priv.Dir, zone)
	var remarks []diag.Remark
	for _, p := range problems {
		remarks = append(remarks, diag.Warningf("%v", p))
	}
	if config := priv.Config; !hours.Changes() && (config.Hours.Prime.Backfill || config.Hours.NonPrime.Backfill || config.Prime.StrictOrdering != config.NonPrime.StrictOrdering) {
		remarks = append(remarks, diag.Notef("no file holidays tells of a year, so that all is prime time, as PBS has it"))
	}
	return &world.World{Hours: hours}, remarks
}
