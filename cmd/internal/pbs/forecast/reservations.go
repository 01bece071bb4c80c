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
		if isUnconfirmed(r) {
			waiting = append(waiting, r.Queue)
		}
		if len(r.Holds) == 0 {
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

// isUntold reports whether a queue is that of a reservation of which nothing else is known.
func (s *Site) isUntold(queue string) bool {
	isOf := func(r *world.Reservation) bool { return r.Queue == queue }
	return trace.IsReservation(queue) && !slices.ContainsFunc(s.Reservations, isOf)
}

// unreserved says why nothing can be told of the jobs in the queue of a reservation: nothing else is known of it, or it has no
// vnodes yet. It is "" of one that has some, and of another queue.
func (s *Site) unreserved(queue string) string {
	at := slices.IndexFunc(s.Reservations, func(r *world.Reservation) bool { return r.Queue == queue })
	hasBegun := func(q pbs.Queue) bool { return q.Name == queue && !q.Stopped } // when the server starts its queue
	switch {
	case s.isUntold(queue) && slices.ContainsFunc(s.Site.Queues, hasBegun):
		return "nothing tells which vnodes reservation " + queue + " has (pbs_rstat -f does)"
	case s.isUntold(queue):
		return "nothing tells when reservation " + queue + " begins and which vnodes it has (pbs_rstat -f does)"
	case at >= 0 && isUnconfirmed(s.Reservations[at]):
		return "PBS has not confirmed reservation " + queue
	}
	return ""
}

// isUnconfirmed reports whether a reservation has no vnodes since PBS has not found any for it yet.
func isUnconfirmed(r *world.Reservation) bool {
	return len(r.Holds) == 0 && (r.State == "" || r.State == "UNCONFIRMED")
}

// missing says which reservations have jobs in the list of which nothing else is known.
func (s *Site) missing() []diag.Remark {
	jobs, all := map[string]bool{}, 0
	for _, n := range s.Now {
		if queue := s.Past.Names.List[n.Queue]; s.isUntold(queue) {
			jobs[queue] = true
			all++
		}
	}
	if all == 0 {
		return nil
	}
	const most = 3 // that are told
	queue, it := "queue", "it"
	if len(jobs) > 1 {
		queue, it = "queues", "them"
	}
	return []diag.Remark{diag.Warningf("nothing tells of %s (%s; pbs_rstat -f does), in whose %s the list has %s: no vnodes are kept for %s, and no start of a job in %[5]s is told",
		report.Count(len(jobs), "reservation"), report.Some(slices.Sorted(maps.Keys(jobs)), most), queue, report.Count(all, "job"), it)}
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
