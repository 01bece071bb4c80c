package forecast

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
)

// unknownLimit returns the limit by which Slurm holds a job that may start as far as is known here, where nothing tells of that limit:
// no table of limits, or none that has it; "" for none.
func (s *Site) unknownLimit(p listedJob) string {
	if p.Start > 0 || p.why != "" || !slurm.ReasonNamed(p.reason).IsOfLimit() || s.tells().IsSet(p.Job, p.reason) {
		return ""
	}
	return p.reason
}

// commentOn says by which unknown limit Slurm holds a job, "" for none.
func (s *Site) commentOn(p listedJob) string {
	limit := s.unknownLimit(p)
	if limit == "" {
		return ""
	}
	return asUnknown(limit) + ": it may start later"
}

// heldByUnknown says that Slurm holds a job by an unknown limit, so that nothing tells whether it starts right now.
func heldByUnknown(limit string) string { return "held by Slurm: " + asUnknown(limit) }

// asUnknown names a limit that is not known, and what tells it.
func asUnknown(limit string) string {
	return fmt.Sprintf("%s, which is not known here (%s tells it)", limit, tableOfLimit(limit))
}

// tableOfLimit returns the command that tells of a limit.
func tableOfLimit(reason string) string {
	if strings.HasPrefix(reason, "Assoc") {
		return "sacctmgr -P show assoc"
	}
	return "sacctmgr -P show qos"
}

// ofUnknownLimits says how many jobs Slurm holds by limits that are not known here.
func (s *Site) ofUnknownLimits() (remarks []diag.Remark) {
	jobs := map[string]map[string]bool{} // by limit, as the list has them
	for _, p := range s.listed {
		if limit := s.unknownLimit(p); limit != "" {
			if jobs[limit] == nil {
				jobs[limit] = map[string]bool{}
			}
			jobs[limit][p.row] = true
		}
	}
	for _, limit := range slices.Sorted(maps.Keys(jobs)) {
		n := report.Count(len(jobs[limit]), "waiting job")
		remarks = append(remarks, diag.Warningf("%s: held by %s, as Slurm says, a limit that is not known here (%s tells it): forecast without it, to start later maybe", n, limit, tableOfLimit(limit)).
			Briefly("%s: held by %s, which is not known here (%s tells it), and forecast without it", n, limit, tableOfLimit(limit)))
	}
	return remarks
}
