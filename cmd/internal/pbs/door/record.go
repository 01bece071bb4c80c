package door

import (
	"errors"
	"fmt"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/trace"
)

// withRecord returns an error with what accounting logs tell of a job, if it says that the list does not have it.
func (s *Site) withRecord(err error, job string) error {
	if _, is := errors.AsType[*joblist.FindError](err); is {
		return s.Recall(err, job)
	}
	return err
}

// Recall implements site.Recaller, by the logs that the last forecast has learned from, or those of the site; it names lists that are
// not read as well.
func (s *Site) Recall(missing error, job string) error {
	err := s.recall(missing, job)
	if passed := s.Place.PassedLists(); len(passed) > 0 {
		return fmt.Errorf("%w; %s not read, for %s", err, file.Are(passed), s.Place.Jobs[0].Name)
	}
	return err
}

func (s *Site) recall(missing error, job string) error {
	logs := s.logs
	if logs == nil {
		logs, _ = s.Place.OwnRecord(s.names.Zone, s.to.Input.Formats)
	}
	if logs == nil || !joblist.LooksLikeID(job) {
		return missing
	}
	t, _, err := logs.Read(trace.Keep{})
	zone, wrong := logs.Zone()
	if err != nil || wrong != nil {
		return missing
	}
	for _, j := range t.Jobs {
		if j.ID == job || trace.WithoutServer(j.ID) == job {
			return &joblist.FindError{Detail: fmt.Sprintf("the list has no job %s: by %s, %s of %s in queue %s %s",
				job, logs.Called(), j.ID, t.Names.List[j.User], t.Names.List[j.Queue], becameOf(j, zone))}
		}
	}
	if t.First == trace.Unknown || t.Last == trace.Unknown { // of logs that tell of nothing
		return missing
	}
	var like []string // IDs that may be meant
	if of, is := errors.AsType[*joblist.FindError](missing); is {
		like = of.Like
	}
	return &joblist.FindError{Like: like, Detail: fmt.Sprintf("%v; %s of the site, from %s to %s, do not tell of it either", missing, logs.Called(), moment.Clock(t.First, zone), moment.Clock(t.Last, zone))}
}

// becameOf says what became of a job by its record.
func becameOf(j *trace.Job, zone *time.Location) string {
	ran := ""
	if j.Start > 0 {
		ran = "started at " + moment.Clock(j.Start, zone)
	}
	switch {
	case j.End > 0 && ran != "":
		return ran + " and ended at " + moment.Clock(j.End, zone)
	case j.End > 0:
		return "was deleted at " + moment.Clock(j.End, zone) + " without having run"
	case ran != "":
		return ran + ", and nothing tells of its end"
	}
	return "came at " + moment.Clock(j.Queued, zone) + ", and nothing tells of a start"
}
