package forecast

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// readReservations finds the reservations that are known at the time of a site: those that
// pbs_rstat -f printed then, else those of the accounting logs up to then. t is what was read of these,
// nil for nothing.
func (s *Site) readReservations(p *site.Place, logs *site.Logs, t *trace.Trace) ([]diag.Remark, error) {
	all, isTold, remarks := p.Reservations()
	if !isTold && logs != nil {
		var err error
		if all, remarks, err = logs.Reservations(t, s.At); err != nil {
			return remarks, err
		}
	}
	s.Reservations = known(all, s.At)
	return append(remarks, s.tellReservations()...), nil
}

// known returns the reservations that are known at a time and not over by then.
func known(all []*world.Reservation, at int64) (list []*world.Reservation) {
	for _, r := range all {
		if r.Asked > at || r.Ended != 0 && r.Ended <= at {
			continue
		}
		of := *r
		of.Holds = nil
		for _, h := range r.Holds {
			if h.From <= at && h.End > at && (h.Until == 0 || h.Until > at) {
				of.Holds = append(of.Holds, h)
			}
		}
		list = append(list, &of)
	}
	return list
}

// tellReservations says for which times vnodes are kept, and which reservations have none yet.
func (s *Site) tellReservations() (remarks []diag.Remark) {
	const most = 3 // that are told one by one
	var told, waiting []string
	for _, r := range s.Reservations {
		if len(r.Holds) == 0 {
			if r.State == "" || r.State == "UNCONFIRMED" {
				waiting = append(waiting, r.Queue)
			}
			continue
		}
		clock := func(at int64) string { return time.Unix(at, 0).In(s.Zone).Format("2006-01-02 15:04") }
		told = append(told, fmt.Sprintf("%s from %s to %s", r.Queue, clock(r.Holds[0].Start), clock(r.Holds[0].End)))
	}
	if n := len(told); n > 0 {
		remarks = append(remarks, diag.Generalf("vnodes are kept for %s, and none is taken to be made later: %s", report.Count(n, "reservation"), report.Some(told, most)))
	}
	if n := len(waiting); n > 0 {
		remarks = append(remarks, diag.Notef("no vnodes are kept for %s that PBS has not confirmed: %s", report.Count(n, "reservation"), strings.Join(waiting[:min(n, most)], ", ")))
	}
	return remarks
}

// missing says which reservations have jobs in the list of which nothing else is known.
func (s *Site) missing() (remarks []diag.Remark) {
	known := map[string]bool{}
	for _, r := range s.Reservations {
		known[r.Queue] = true
	}
	jobs := map[string]int{}
	for _, n := range s.Now {
		if queue := s.Past.Names.List[n.Queue]; trace.IsReservation(queue) && !known[queue] {
			jobs[queue]++
		}
	}
	for _, queue := range slices.Sorted(maps.Keys(jobs)) {
		remarks = append(remarks, diag.Warningf("nothing tells of reservation %s, in whose queue the list has %s: no vnodes are kept for it", queue, report.Count(jobs[queue], "job")))
	}
	return remarks
}

// groupless says of jobs whose group nothing tells that limits of groups are not applied to them.
func (s *Site) groupless() []diag.Remark {
	jobs := 0
	for _, n := range s.Now {
		if n.Group == 0 {
			jobs++
		}
	}
	limits, _ := s.Site.Limits(false) // of which it is said elsewhere what cannot be read
	return pbs.Groupless(jobs, limits)
}
