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

// isKept reports whether something that is not told keeps a job for which there is room whichever jobs come first.
func (s CycleResult) isKept() bool {
	return s.IsOfOrder() && s.Preempts == nil && s.Kept.Waited > 0 && s.Whoever == s.Kept.String()
}

// KeptOthers says of what a cycle makes of other jobs that something which is not told keeps some for which there is room, and may keep
// a job that is asked about. It is "" where there is none.
func KeptOthers(others []CycleResult) string {
	var k keptJobs
	for _, x := range others {
		if x.isKept() {
			k.add(x.ID, x.Kept)
		}
	}
	n := len(k.ids)
	if n == 0 {
		return ""
	}
	which := "of which one"
	if n == 1 {
		which = "which"
	}
	return fmt.Sprintf("there is room for %s as well (%s), %s has waited for %s: what keeps it is not told here and may keep this one too, such as %s",
		report.Count(n, "other job"), report.First(k.ids), which, report.Duration(float64(k.worst.Waited)), k.worst.May)
}
