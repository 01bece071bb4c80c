package forecast

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// onlyOnVnodes returns the jobs that vnodes name and the list does not have.
func (s *Site) onlyOnVnodes() map[string]bool {
	known := map[string]bool{}
	for _, n := range s.Now {
		known[n.ID] = true
	}
	ids := map[string]bool{}
	for a := range s.Listing.Vnodes() {
		for _, id := range cluster.JobsOn(a["jobs"]) {
			if !known[id] {
				ids[id] = true
			}
		}
	}
	return ids
}

// overdue is for how long at most vnodes name jobs that are over, in seconds: PBS tells both within one round.
const overdue = 3600

// releaseBy does what releaseOver does, by logs that are not read yet, nil for none. They are read only where vnodes name jobs that the
// list does not have, and of them the last.
func (s *Site) releaseBy(logs *site.Logs) []diag.Remark {
	if logs == nil || len(s.onlyOnVnodes()) == 0 {
		return nil
	}
	past, _, err := logs.Since(s.At - overdue).Read(trace.Keep{Requests: true, Places: true})
	if err != nil {
		return nil
	}
	return s.releaseOver(past)
}

// releaseOver takes from the vnodes what jobs had there that are over by a record, though vnodes still name them: PBS tells vnodes and
// jobs one after the other, and the list of jobs does not have them any more.
func (s *Site) releaseOver(past *trace.Trace) []diag.Remark {
	named := s.onlyOnVnodes()
	if len(named) == 0 {
		return nil
	}
	over := map[string]string{}
	for i := range past.Jobs {
		if j := past.Jobs[i]; named[j.ID] && j.State == trace.Ended && j.End != trace.Unknown && j.End <= s.At {
			over[j.ID] = ""
		}
	}
	if len(over) == 0 {
		return nil
	}
	for _, p := range past.Places {
		if id := past.Jobs[p.Job].ID; named[id] {
			if _, is := over[id]; is {
				over[id] = past.ExecVnodes.List[p.Vnodes]
			}
		}
	}
	var ids []string
	for id, places := range over {
		if strings.TrimSpace(places) == "" { // nothing tells what it had
			delete(over, id)
			continue
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	s.released = map[string]bool{}
	for _, places := range over {
		for vnode := range cluster.Vnodes(places) {
			s.released[vnode] = true
		}
	}
	s.Listing = s.Listing.Release(over)
	return []diag.Remark{diag.Notef("vnodes still name %s that %s over by the accounting logs, whose cpus count as free: %s",
		report.Count(len(ids), "job"), map[bool]string{true: "is", false: "are"}[len(ids) == 1], report.First(ids)).OfPeople()}
}
