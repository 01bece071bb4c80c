package forecast

import (
	"fmt"

	"fairshare/cmd/internal/report"
)

// Kept says of a job which would start if it came first that it has waited for many cycles all the same: something keeps it that is
// not told. The zero Kept is that of another job.
type Kept struct {
	Waited int64  // in seconds
	May    string // what may keep it, and what would tell
}

// String says so of one job.
func (k Kept) String() string {
	return fmt.Sprintf("there is room for it, yet it has waited for %s: what keeps it is not told here", report.Duration(float64(k.Waited)))
}

// Says also says what may keep it.
func (k Kept) Says() string { return k.String() + ", such as " + k.May }

// keptJobs are the jobs of a forecast that something keeps which is not told.
type keptJobs struct {
	ids   []string
	worst Kept // of the one that has waited longest
}

// add adds a job.
func (k *keptJobs) add(id string, of Kept) {
	if k.ids = append(k.ids, id); of.Waited > k.worst.Waited {
		k.worst = of
	}
}

// String says so of all of them, "" for none.
func (k *keptJobs) String() string {
	n := len(k.ids)
	switch n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("what keeps %s, for which there is room, is not told here, such as %s", k.ids[0], k.worst.May)
	}
	return fmt.Sprintf("%s for which there is room (%s) have waited for up to %s: what keeps them is not told here, such as %s", report.Count(n, "job"), report.First(k.ids), report.Duration(float64(k.worst.Waited)), k.worst.May)
}
