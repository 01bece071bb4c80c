package sacct

import (
	"cmp"
	"slices"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// Marks returns by how much local times are ahead of UTC, the last mark first, as jobs tell of which one table has local times and
// another one has times since 1970, as JSON has them. There are none where all tables have times of the same kind. What a table leaves unclear is
// passed over: whoever reads it says what is wrong.
func Marks(from []file.Source) []trace.Mark {
	if len(from) < 2 { // a single one may be readable once
		return nil
	}
	var local, whole []file.Source
	for _, table := range from {
		eachSubmitted(table, func(_ string, _ int64, isLocal bool) error {
			if isLocal {
				local = append(local, table)
			} else {
				whole = append(whole, table)
			}
			return errFound
		})
	}
	if len(local) == 0 || len(whole) == 0 {
		return nil
	}
	return marksOf(submittedOnce(local), submittedOnce(whole))
}

// submittedOnce returns when the jobs of tables were submitted, of those that no table has twice with different times: a job that was
// queued again has several.
func submittedOnce(tables []file.Source) map[string]int64 {
	at := map[string]int64{}
	for _, table := range tables {
		eachSubmitted(table, func(id string, submitted int64, _ bool) error {
			if known, isKnown := at[id]; isKnown && known != submitted {
				submitted = Unknown
			}
			at[id] = submitted
			return nil
		})
	}
	return at
}

// eachSubmitted hands out when each job of a table was submitted. isLocal says that this is a local time, which is read as if it were one
// of UTC. An error ends it.
func eachSubmitted(table file.Source, add func(id string, at int64, isLocal bool) error) {
	reader := Reader{
		Zone: time.UTC, Columns: []Column{JobID, Submit}, MostTasks: 1, IsTimed: true,
		Header:  func(string, int, *Header) error { return nil },
		Damaged: func(string, int, string) {},
		Row: func(row *Row) error {
			if row.Submit == Unknown {
				return nil
			}
			return add(string(row.ID), row.Submit, len(row.Text(Submit)) == len(local))
		},
	}
	_ = reader.Read(table)
}

// marksOf compares local times with times since 1970 by the jobs that they are of. A mark counts where another one beside it says the same, for one
// by itself may be of two jobs with the same number; of those in a row it returns the first and the last.
func marksOf(local, whole map[string]int64) (marks []trace.Mark) {
	const quarter, most = 15 * 60, 14 * secondsOfHour // of which zones are made, and how far they are from UTC
	var all []trace.Mark
	for id, at := range whole {
		if there, isKnown := local[id]; isKnown && at != Unknown && there != Unknown {
			if off := there - at; off%quarter == 0 && off >= -most && off <= most {
				all = append(all, trace.Mark{At: at, Offset: off})
			}
		}
	}
	slices.SortFunc(all, func(a, b trace.Mark) int { return cmp.Compare(b.At, a.At) })
	isLike := func(i, other int) bool { return other >= 0 && other < len(all) && all[i].Offset == all[other].Offset }
	for i, m := range all {
		if isLike(i, i-1) != isLike(i, i+1) { // the first or the last of a row
			marks = append(marks, m)
		}
	}
	return marks
}
