package diag

import (
	"slices"

	"fairshare/cmd/internal/report"
)

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
