package forecast

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/setup"
)

// leftOut is a job of the list of which nothing can be forecast, and why.
type leftOut struct {
	job *slurm.ListedJob
	why string
}

// LeftOut says why nothing is forecast of jobs that wait, of those that are asked about; "" where there is none.
func (s *Site) LeftOut(isAsked func(id, user string) bool) string {
	n, why := 0, ""
	for _, l := range s.left {
		if !slices.ContainsFunc(idsOf(l.job), func(id string) bool { return isAsked(id, l.job.User) }) {
			continue
		}
		if n++; why == "" {
			why = l.why
		}
	}
	if n == 0 {
		return ""
	}
	why = strings.TrimSuffix(why, ", left out")
	if strings.HasPrefix(why, setup.NoAssociation) {
		why += "; sshare is of another cluster, or cut off"
	}
	return fmt.Sprintf("nothing is forecast of %s that the list has: %s", report.Count(n, "waiting job"), why)
}
