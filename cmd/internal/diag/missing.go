package diag

import (
	"slices"

	"fairshare/cmd/internal/report"
)

// MayHaveEnded says why a list may have no job of a name.
const MayHaveEnded = "it may have ended, or the list may lack the jobs of others"

// NoJobError says that a list has no job, or none that waits, of a name.
type NoJobError struct {
	Name      string
	OfWaiting bool // whether only jobs that wait are looked at
}

func (e *NoJobError) Error() string {
	if e.OfWaiting {
		return "no job " + e.Name + " waits in the list: it may run or have ended, or the list may lack the jobs of others"
	}
	return "there is no job " + e.Name + " in the list: " + MayHaveEnded
}

// NoJobOf returns warnings for those of some wanted names that no job has, each with one that
// was meant perhaps.
func NoJobOf(kind string, wanted, there []string) []Remark {
	var remarks []Remark
	for _, name := range wanted {
		if !slices.Contains(there, name) {
			remarks = append(remarks, Warningf("no job matches: %s", report.NoSuch(kind, name, there)))
		}
	}
	return remarks
}
