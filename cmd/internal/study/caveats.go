package study

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
)

// Caveats returns remarks that readers of the figures have to know: which jobs could not run
// or never started, where the formula failed, and which replays are saturated or were
// interrupted.
func (s *Study) Caveats(all []*Measured) []diag.Remark {
	var remarks []diag.Remark
	for i, m := range all[1:] {
		result := m.First.Result
		of := fmt.Sprintf("policy %d: ", i+1)
		if impossible := result.Impossible; len(impossible) > 0 {
			remarks = append(remarks, diag.Damagef("%s%s cannot run on its cluster and count nowhere, such as %v", of, report.Count(len(impossible), "job"), impossible[0]))
		}
		for _, message := range slices.Sorted(maps.Keys(result.Errors)) {
			remarks = append(remarks, diag.Damagef("%sthe formula failed %s, and its value was 0: %s", of, report.Count(result.Errors[message], "time"), message))
		}
		if middle, end, is := result.IsSaturated(); is {
			remarks = append(remarks, diag.Warningf("policy %d is saturated: %d jobs wait at the last time of the logs, %d in the middle, so that waits grow with the time that is looked at", i+1, end, middle))
		}
		never, late := result.Left()
		switch {
		case never > 0 && s.LeavesOut:
			remarks = append(remarks, diag.Warningf("policy %d never starts %s, which its waits leave out", i+1, report.Count(never, "job")))
		case never > 0:
			remarks = append(remarks, diag.Notef("%s%s never started", of, report.Count(never, "job")))
		}
		if i > 0 && !m.IsCut && !all[1].IsCut && slices.Equal(result.Start, all[1].First.Result.Start) {
			remarks = append(remarks, diag.Warningf("policy %d starts every job when policy 1 does: what it changes moves no job of this record", i+1))
		}
		for _, text := range result.Refused {
			remarks = append(remarks, diag.Warningf("policy %d: %s", i+1, text))
		}
		if late > 0 {
			remarks = append(remarks, diag.Notef("%s%s started after the last time of the logs, when nobody else comes", of, report.Count(late, "job")))
		}
		switch {
		case m.IsCut && m.Runs > 1:
			remarks = append(remarks, diag.Warningf("interrupted: policy %d has been replayed %d of %d times", i+1, m.Runs, s.Runs))
		case m.IsCut:
			remarks = append(remarks, diag.Warningf("interrupted: policy %d is replayed until %s only", i+1, time.Unix(int64(result.Until), 0).UTC().Format("2006-01-02 15:04 MST")))
		}
	}
	return remarks
}

// CountedNote returns by which jobs the figures are, "" if they are by all.
func (s *Study) CountedNote(all []*Measured) string {
	if n := len(all[1].First.Counted); n > 0 && n < len(s.Work.Jobs) {
		return fmt.Sprintf("by the %s that the record shows to start", report.Count(n, "job"))
	}
	return ""
}
