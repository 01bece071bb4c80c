package order

import (
	"maps"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/report"
)

// PassedOver warns of resources for which jobs of a list ask and at which the scheduler does not look, since "resources" of sched_config
// leaves them out.
func PassedOver(site *pbs.Site, l *joblist.List) (remarks []diag.Remark) {
	for _, of := range append([]*pbs.Site{site}, site.Others...) {
		checks := cluster.ChecksOf(of, nil)
		for _, name := range slices.Sorted(maps.Keys(l.Asking)) {
			if n := l.Asking[name]; n > 0 && checks.PassesOver(name) {
				remarks = append(remarks, diag.Warningf("%s: resources does not name %s (%s): the scheduler starts jobs that ask for it whatever is free of it", of.SchedPriv.NameOf(pbs.ConfigFile), name, report.Count(n, "job")).At(of.SchedPriv.NameOf(pbs.ConfigFile), 0))
			}
		}
	}
	return remarks
}
