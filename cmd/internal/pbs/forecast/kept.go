package forecast

import (
	"slices"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/replay"
	"fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// mayKeep returns what may keep a job from starting that would start by all that a place tells, and what would tell: a job that goes first
// and must not be delayed among it, since the order is not known without sched_config.
func mayKeep(p *site.Place, at *pbs.Site) string {
	var list []string
	if !p.Resvs.IsGiven() {
		list = append(list, "a reservation to come (pbs_rstat -f)")
	}
	if at.Queues == nil {
		list = append(list, "a queue that is stopped (qstat -Qf)")
	}
	if !at.Sched.OfServer {
		list = append(list, "a limit of the server (qstat -Bf)")
	}
	return report.Listed(append(list, "dedicated time", "a job that goes first and must not be delayed (sched_priv, which root can read)"))
}

// keptSoLong returns by the ID of a job what is said of it if there is room for it: of one that has waited for some cycles, where the list has all
// jobs, the order is not known, and PBS has not written why it waits.
func (s *Site) keptSoLong() func(id string) forecast.Kept {
	const cycles = 3 // after which no other reason is left, as that a job has just ended
	if s.mayKeep == "" || s.Site.SchedPriv != nil || s.Lacks != "" || s.Unseen.RunsMore() {
		return func(string) forecast.Kept { return forecast.Kept{} }
	}
	accrues := slices.ContainsFunc(s.Now, func(n trace.ListedJob) bool { return n.Eligible > 0 })
	waited := map[string]int64{}
	for _, n := range s.Now {
		of := n.Eligible
		if !accrues && n.Arrival != trace.Unknown && !s.ListedAt.IsZero() { // eligible_time is not told
			of = s.At - n.Arrival
		}
		if (n.Letter == 'Q' || n.Letter == 'B') && n.Says == "" && n.ID != s.tried && of > cycles*int64(replay.Interval(s.Site)) {
			waited[n.ID] = of
		}
	}
	return func(id string) forecast.Kept {
		of := waited[id]
		if of == 0 {
			of = waited[arrayOf(id)]
		}
		if of == 0 {
			return forecast.Kept{}
		}
		return forecast.Kept{Waited: of, May: s.mayKeep}
	}
}
