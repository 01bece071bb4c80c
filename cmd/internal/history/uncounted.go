package history

import (
	"fmt"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// uncounted are the jobs of which no record tells how many cpus they had, so that core hours lack them.
type uncounted struct {
	jobs    int
	seconds int64 // for which they ran
	example string
}

// add adds a job, if it is one.
func (u *uncounted) add(j *trace.Job) {
	run, hasRun := j.Length()
	if so, runs := j.SoFar(); runs {
		run, hasRun = so, true
	}
	if j.NCPUs != trace.Unknown || j.Start == trace.Unknown && !hasRun {
		return
	}
	if u.jobs++; u.jobs == 1 {
		u.example = j.ID
	}
	u.seconds += run
}

// remarks says how many they are.
func (u *uncounted) remarks() []diag.Remark {
	if u.jobs == 0 {
		return nil
	}
	such := ""
	if u.jobs > 1 {
		such = "such as "
	}
	return []diag.Remark{diag.Warningf("%s of unknown cpus (%s%s), which ran for %s hours in all: they count as 0 core hours, since no record tells how many cpus they had",
		report.Count(u.jobs, "job"), such, u.example, hoursText(u.seconds))}
}

func hoursText(seconds int64) string { return fmt.Sprintf("%.1f", float64(seconds)/secondsOfHour) }
