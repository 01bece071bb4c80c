package forecast

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/order"
)

// Expected returns when Slurm itself expects to start the jobs of a site that wait, in place of a forecast that failed for want of
// what an error says, and what of the list cannot be read. Of a job all of whose rows a rule or a limit keeps from starting that is
// said, and not when Slurm expects it to start. It returns an error where nothing tells any such start.
func Expected(d *dump.Dump, rows []order.Row, zone *time.Location, why error) (*forecast.Expected, []diag.Remark, error) {
	listed, isListed, remarks := d.Jobs()
	if !isListed {
		return nil, nil, why
	}
	unix := func(t time.Time) int64 { // the site's times were read as if they were UTC
		switch {
		case t.IsZero():
			return 0
		case d.IsUTC():
			return t.Unix()
		}
		x, _ := time.ParseInLocation(dump.TimeLayout, t.Format(dump.TimeLayout), zone)
		return x.Unix()
	}
	var jobs []*forecast.Job
	var over, people, planned []string
	isTold, stuck := false, stuckBy(rows)
	for i := range listed {
		n := &listed[i]
		people = append(people, n.User)
		if n.State != "PENDING" {
			over = append(over, cmp.Or(n.Task, n.ID))
			continue
		}
		told := math.Inf(1)
		if at := unix(n.Started); at > 0 {
			told, isTold = float64(at), true
		}
		by := stuck[n.ID]
		if by != "" && !math.IsInf(told, 1) {
			planned, told = append(planned, idsOf(n)[0]), math.Inf(1)
		}
		for _, id := range idsOf(n) {
			j := &forecast.Job{ID: id, Queue: strings.Join(n.Partitions, ","), User: n.User, Account: n.Account, Project: n.QOS, Estimated: told, Reason: n.Reason}
			if by != "" {
				j.Held, j.Reason = by, by
			} else if held := saysHeld(n); held != "" && math.IsInf(told, 1) {
				j.Held, j.Reason = held, held
			}
			jobs, told = append(jobs, j), math.Inf(1) // it is of the first task of an array
		}
	}
	if text := d.UnreadStart(); text != "" && len(jobs) > 0 && !isTold {
		return nil, nil, fmt.Errorf("%w; and %s", why, text)
	}
	if len(jobs) > 0 && !isTold {
		return nil, nil, fmt.Errorf("nothing there tells by START_TIME when Slurm itself expects to start jobs, which squeue --start prints; for a forecast, %w", why)
	}
	e := forecast.NewExpected(unix(d.Taken()), words, jobs)
	e.Over, e.People, e.Planned = over, people, planned
	return e, damaged(remarks), nil
}

// stuckBy says of the jobs that do not start, for ever or as the site is now, what keeps them, by their IDs.
func stuckBy(rows []order.Row) map[string]string {
	stuck, isFree := map[string]string{}, map[string]bool{}
	for i := range rows {
		r := &rows[i]
		if r.Rank == 0 { // which Slurm does not consider
			continue
		}
		if by := r.StuckBy(); by == nil {
			isFree[r.Job.ID] = true
		} else if stuck[r.Job.ID] == "" {
			stuck[r.Job.ID] = standing(by)
		}
	}
	maps.DeleteFunc(stuck, func(id, _ string) bool { return isFree[id] })
	return stuck
}

// damaged returns those remarks that are of what cannot be read.
func damaged(remarks []diag.Remark) (of []diag.Remark) {
	for _, r := range remarks {
		if r.IsDamage {
			of = append(of, r)
		}
	}
	return of
}

// saysHeld says that a job does not start as things are, by the reason that Slurm gives alone; "" for one that may.
func saysHeld(n *slurm.ListedJob) string {
	switch of := slurm.ReasonNamed(n.Reason); {
	case strings.HasPrefix(strings.ReplaceAll(n.Reason, " ", ""), "JobHeld"):
		return outcome.HeldByUser
	case of.Fate == slurm.ReasonNever && n.Dependency != "":
		return outcome.Never + "Slurm says " + n.Reason + " (" + n.Dependency + ")"
	case of.Fate == slurm.ReasonNever:
		return outcome.Never + "Slurm says " + n.Reason
	case of.Fate == slurm.ReasonHeld:
		return outcome.Held + n.Reason + ": " + of.Means
	}
	return ""
}
