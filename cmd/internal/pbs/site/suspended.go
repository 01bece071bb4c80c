package site

import (
	"path"
	"slices"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/trace"
)

// DateSuspended finds out when the jobs of a list were suspended that the scheduler has
// suspended, which the accounting logs of the place tell and qstat does not. It looks only
// where there are several, whose order that decides.
func (p *Place) DateSuspended(l *joblist.List) {
	suspended := map[string]*joblist.Job{}
	first := int64(0)
	for row := range l.Len() {
		job := l.Job(row)
		if !job.IsPreempted || job.IsRepeated {
			continue
		}
		if suspended[job.ID] = job; first == 0 || job.Started < first {
			first = job.Started
		}
	}
	if len(suspended) < 2 || p.snap == nil {
		return
	}
	logs, _, err := snapshot.Logs(p.snap.Tree())
	if err != nil {
		return // it has none
	}
	day := time.Unix(first, 0).UTC().Format("20060102")
	at := map[string]int64{}
	for _, log := range slices.DeleteFunc(logs, func(log file.Source) bool { return path.Base(log.Name) < day }) {
		each := func(_ int, line []byte) error {
			const kindAt = len("00/00/0000 00:00:00;")
			if len(line) <= kindAt || line[kindAt] != 'z' && line[kindAt] != 'r' {
				return nil
			}
			record, why := trace.ParseLine(line)
			switch {
			case why != "" || suspended[record.ID] == nil:
			case record.Type == "z":
				s := record.Stamp
				at[record.ID] = time.Date(s.Year, time.Month(s.Month), s.Day, s.Hour, s.Minute, s.Second, 0, time.UTC).Unix()
			case record.Type == "r":
				delete(at, record.ID)
			}
			return nil
		}
		if err := file.EachLine(log, each, func(int, string) {}); err != nil {
			return // what replays say of it
		}
	}
	for id, when := range at {
		suspended[id].Started = when
	}
	l.TellsSuspension = len(at) == len(suspended)
}
