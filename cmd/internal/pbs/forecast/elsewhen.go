package forecast

import (
	"fmt"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// late is how far what a list says may be from its time, in seconds.
const late = int64(site.Prompt / time.Second)

// Ran returns for how many seconds a job that runs has run by the time of the site, below 0 for one that started later: since it
// started, or where its resources_used.walltime is clearly less, which leaves out for how long it was suspended, that and what has passed
// since the list was made, if that is told.
func (s *Site) Ran(n trace.ListedJob) int64 {
	since := s.At - n.Start
	if n.Used == trace.Unknown || s.ListedAt.IsZero() {
		return since
	}
	used := n.Used + max(0, s.At-s.ListedAt.Unix())
	if since > used+late { // else moms have not reported yet
		return used
	}
	return since
}

// elsewhen says that the list of jobs is of another time than the answers: how far it is from them, and how many of the jobs
// that run would have ended by then, or had not begun.
func (s *Site) elsewhen() []diag.Remark {
	gap, isTold := s.At-s.ListedAt.Unix(), !s.ListedAt.IsZero()
	running := 0
	var early, over []string
	for _, n := range s.Now {
		if n.Letter != 'R' || n.IsArray || n.Start == trace.Unknown {
			continue
		}
		running++
		ran := s.Ran(n)
		switch {
		case n.Start > s.At+late:
			early = append(early, n.ID)
		case n.Walltime > 0 && ran > n.Walltime+late:
			over = append(over, n.ID)
		}
	}
	these := func(ids []string) string {
		if len(ids) == 0 {
			return fmt.Sprintf("none of %s", report.Count(running, "running job"))
		}
		return fmt.Sprintf("%d of %s (%s)", len(ids), report.Count(running, "running job"), report.First(ids))
	}
	asked := moment.Clock(s.At, s.Zone)
	where := site.Apart(s.ListedAt, time.Unix(s.At, 0), s.Zone)
	switch {
	case where != "" && running == 0 && gap > 0:
		return []diag.Remark{diag.Warningf("%s: who came, started or ended in between is not known", where)}
	case where != "" && running == 0:
		return []diag.Remark{diag.Warningf("%s: who has ended since is not known", where)}
	case where != "" && gap > 0:
		return []diag.Remark{diag.Warningf("%s: %s would have reached their walltime by then, and who came, started or ended in between is not known", where, these(over))}
	case where != "":
		return []diag.Remark{diag.Warningf("%s: %s had not started by then, and are taken to have; who has ended since is not known", where, these(early))}
	case len(early) > 0:
		return []diag.Remark{diag.Warningf("%s that run started after the time of the list, %s (%s): taken to have started then; are --at and --tz those of the list?%s", report.Count(len(early), "job"), asked, report.First(early), s.byItself())}
	case !isTold && len(over) > 0 && !s.isByItself():
		return []diag.Remark{diag.Warningf("%s would have reached their walltime by the time of the list, %s: are --at and --tz those of the list?%s", these(over), asked, s.byItself())}
	}
	return nil
}

// isByItself reports whether the list is of the time for which answers are by most of its jobs: single ones are beyond their walltime then.
func (s *Site) isByItself() bool {
	told, _, ok := site.ToldByJobs(s.Now)
	return ok && max(told-s.At, s.At-told) <= late
}

// byItself says of when a list is by its jobs, "" where they do not tell that alike.
func (s *Site) byItself() string {
	told, _, ok := site.ToldByJobs(s.Now)
	if !ok {
		return ""
	}
	at := time.Unix(told, 0).In(s.Zone).Format(time.DateTime)
	return fmt.Sprintf(" By how long its jobs have run, it is of about %s: --at '%s'", at, at)
}
