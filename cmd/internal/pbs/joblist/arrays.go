package joblist

import (
	"strings"

	"fairshare/cmd/internal/trace"
)

// settleArrays notes of which arrays that have begun nothing waits: the list does not tell which of their indices remain,
// and has their subjobs one by one, none of which waits.
func (l *List) settleArrays() {
	var begun []*Job
	for row := range l.Len() {
		if j := l.Job(row); j.State == 'B' && j.isUntold {
			begun = append(begun, j)
		}
	}
	if begun == nil {
		return
	}
	waits := map[string]bool{} // arrays whose subjobs are listed, and whether one of them waits
	for row := range l.Len() {
		j := l.Job(row)
		if array, _, isSubjob := trace.Subjob(j.ID); isSubjob {
			waits[array] = waits[array] || strings.IndexByte("QHWT", j.State) >= 0
		}
	}
	for _, j := range begun {
		if some, isListed := waits[j.ID]; isListed && !some {
			j.Subjobs = 0
		}
	}
}
