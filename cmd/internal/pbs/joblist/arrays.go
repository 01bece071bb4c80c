package joblist

import (
	"strings"

	"fairshare/cmd/internal/trace"
)

// settleArrays counts the subjobs that wait of arrays of which the list does not tell which indices remain, and has the subjobs
// one by one.
func (l *List) settleArrays() {
	var untold []*Job
	for row := range l.Len() {
		if j := l.Job(row); j.isUntold && trace.IsArray(j.ID) {
			untold = append(untold, j)
		}
	}
	if untold == nil {
		return
	}
	waiting := map[string]int32{} // by the arrays whose subjobs are listed
	for row := range l.Len() {
		j := l.Job(row)
		array, _, isSubjob := trace.Subjob(j.ID)
		switch {
		case !isSubjob:
		case strings.IndexByte("QHWT", j.State) >= 0:
			waiting[array]++
		default:
			waiting[array] += 0
		}
	}
	for _, j := range untold {
		if n, isListed := waiting[j.ID]; isListed {
			j.Subjobs = n
		}
	}
}
