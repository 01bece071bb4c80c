package order

import (
	"fmt"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/report"
)

// Limited says whom limits of a site name that have no job in a list and are not in its fairshare tree: they may be misspelt.
func Limited(site *pbs.Site, l *joblist.List) []diag.Remark {
	var nobody []string
	for _, isSoft := range []bool{false, true} {
		limits, _ := site.Limits(isSoft) // of which check says what cannot be read
		for _, limit := range slices.Concat(limits, site.QueuedLimits()) {
			names := map[byte]*joblist.Names{'u': &l.Users, 'g': &l.Groups, 'p': &l.Projects}[limit.Kind]
			if names == nil || len(names.List) == 0 || limit.Name == pbs.GenericLimit || slices.Contains(names.List, limit.Name) {
				continue
			}
			if site.HasTree() {
				if _, isInTree := site.SchedPriv.Tree.Lookup(limit.Name); isInTree {
					continue
				}
			}
			if text := fmt.Sprintf("%s %s (%s of %s)", pbs.LimitedKinds[limit.Kind], limit.Name, limit.Setting, limit.Where()); !slices.Contains(nobody, text) {
				nobody = append(nobody, text)
			}
		}
	}
	if nobody == nil {
		return nil
	}
	return []diag.Remark{diag.Notef("limits name whom neither the list of jobs nor the fairshare tree has: %s", report.First(nobody)).OfPeople()}
}
