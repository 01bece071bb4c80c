package door

import (
	"errors"
	"fmt"
	"time"

	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/trace"
)

// withRecord returns an error about a job that the list does not have with what the site's own accounting logs tell of the job:
// when it ended, for one. Any other error stays as it is, and so does one of a job that they do not tell of either.
func (s *Site) withRecord(err error, job string) error {
	var missing *joblist.FindError
	if !errors.As(err, &missing) || !joblist.LooksLikeID(job) {
		return err
	}
	logs := s.reservationLogs()
	if logs == nil {
		return err
	}
	t, _, failed := logs.Read(trace.Keep{})
	zone, wrong := logs.Zone()
	if failed != nil || wrong != nil {
		return err
	}
	for _, j := range t.Jobs {
		if j.ID == job || trace.WithoutServer(j.ID) == job {
			return &joblist.FindError{Detail: fmt.Sprintf("the list has no job %s: by the accounting logs, %s of %s in queue %s %s",
				job, j.ID, t.Names.List[j.User], t.Names.List[j.Queue], becameOf(j, zone))}
		}
	}
	missing.Detail += fmt.Sprintf("; the accounting logs of the site, from %s to %s, do not tell of it either", clock(t.First, zone), clock(t.Last, zone))
	return missing
}

// becameOf says what became of a job by its record.
func becameOf(j *trace.Job, zone *time.Location) string {
	ran := ""
	if j.Start > 0 {
		ran = "started at " + clock(j.Start, zone)
	}
	switch {
	case j.End > 0 && ran != "":
		return ran + " and ended at " + clock(j.End, zone)
	case j.End > 0:
		return "was deleted at " + clock(j.End, zone) + " without having run"
	case ran != "":
		return ran + ", and nothing tells of its end"
	}
	return "came at " + clock(j.Queued, zone) + ", and nothing tells of a start"
}

func clock(at int64, zone *time.Location) string {
	return time.Unix(at, 0).In(zone).Format("2006-01-02 15:04:05 MST")
}
