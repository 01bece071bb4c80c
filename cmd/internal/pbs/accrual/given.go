package accrual

import (
	"fmt"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
	"fairshare/fstree"
	"fairshare/usagefile"
)

// CheckBegin says whether a file, of a name, can have the usage at the begin of recorded work, at a site with a tree, nil where it is not
// known, whose entities an attribute of jobs names: nothing where it can. A file of which no entity is in the tree or has jobs is an error.
func CheckBegin(file string, begin *usagefile.Database, tree *fstree.Tree, attribute string, t *trace.Trace, zone *time.Location) ([]diag.Remark, error) {
	if t.Begin() == trace.Unknown {
		return nil, nil
	}
	var remarks []diag.Remark
	if begin.LastDecay > t.Begin() {
		clock := func(at int64) string { return moment.Clock(at, zone) }
		remarks = append(remarks, diag.Damagef("%s was decayed at %s, after the begin of the logs at %s: what ran between counts twice, and these answers may be wrong (--usage FILE: that of a snapshot of the begin)", file, clock(begin.LastDecay), clock(t.Begin())).
			Briefly("the file of --usage was decayed at %s, after the begin of the logs at %s: what ran between counts twice", clock(begin.LastDecay), clock(t.Begin())))
	}
	if tree == nil || !IsInLogs(attribute) {
		return remarks, nil
	}
	hasJobs := map[string]bool{}
	for _, j := range t.Jobs {
		hasJobs[EntityOf(t, j, attribute)] = true
	}
	known := 0
	var foreign []string
	for name := range begin.All() {
		if _, isIn := tree.Lookup(name); name == fstree.RootName || name == fstree.UnknownName {
			continue
		} else if isIn || hasJobs[name] {
			known++
		} else {
			foreign = append(foreign, name)
		}
	}
	const most = 3 // names
	switch {
	case len(foreign) == 0:
	case known == 0:
		return remarks, fmt.Errorf("%s is not of this site: none of its entities (%s) is in resource_group or has jobs in the logs", file, report.Some(foreign, most))
	case len(foreign) > known:
		remarks = append(remarks, diag.Damagef("%s may be of another site: %d of the %d entities in it are neither in resource_group nor have jobs in the logs (%s)", file, len(foreign), len(foreign)+known, report.Some(foreign, most)))
	}
	return remarks, nil
}
