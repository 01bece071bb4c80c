package cli

import (
	"fmt"
	"slices"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/trace"
)

// joinArrays returns the rows of a table of jobs, behind its header, with the first and the last of many parts of an array that stand
// one behind the other, and how many stand between them.
func joinArrays(rows [][]string, jobs []*forecast.Job) [][]string {
	const few = 3 // which are shown as they are
	at := slices.Index(rows[0], "JOB")
	if at < 0 || len(rows) != len(jobs)+1 {
		return rows
	}
	joined := rows[:1:1]
	for from, to := 0, 0; from < len(jobs); from = to {
		array := trace.ArrayOf(jobs[from].ID)
		for to = from + 1; to < len(jobs) && array != "" && trace.ArrayOf(jobs[to].ID) == array; to++ {
		}
		if to-from <= few {
			joined = append(joined, rows[1+from:1+to]...)
			continue
		}
		between := make([]string, len(rows[0]))
		between[at] = fmt.Sprintf("… %d more of %s", to-from-2, array)
		joined = append(joined, rows[1+from], between, rows[to])
	}
	return joined
}
