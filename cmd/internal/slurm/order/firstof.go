package order

import (
	"fmt"
	"math"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
)

// FirstOf returns the row of a user's first job: of those that wait the first one that may start, where one may. A *diag.RequestError
// is for one who has none.
func (s *Site) FirstOf(rows []Row, user string) (Row, error) {
	for _, is := range []func(*Row) bool{
		func(r *Row) bool { return r.Rank > 0 && r.MayStart() },
		(*Row).MayStart,
		func(r *Row) bool { return r.Job.State == "PENDING" },
		func(*Row) bool { return true },
	} {
		if at := slices.IndexFunc(rows, func(r Row) bool { return r.Job.User == user && is(&r) }); at >= 0 {
			return rows[at], nil
		}
	}
	unnamed := 0
	for _, r := range rows {
		if r.Job.User == "" {
			unnamed++
		}
	}
	if unnamed > 0 {
		return Row{}, diag.Requestf("which jobs user %s has is not known: the list does not tell whose %d of its %s are, and sprio -l and squeue do", user, unnamed, report.Count(len(rows), "job"))
	}
	return Row{}, diag.NoJobOfUser(user, s.Users(), "the list has no job of "+user)
}

// Stuck says how many of the first rows of an order are jobs that do not start as things are, and which of all rows that were asked for
// is the first that no limit holds; nothing where all of them may.
func Stuck(shown, all []Row) []diag.Remark {
	var stuck []string
	for i := range shown {
		if r := &shown[i]; r.Job.State == "PENDING" && !r.MayStart() {
			stuck = append(stuck, r.Job.ID)
		}
	}
	if len(stuck) == 0 {
		return nil
	}
	text := fmt.Sprintf("%d of these %s cannot start as things are: %s", len(stuck), report.Count(len(shown), "job"), report.First(stuck))
	isFree := func(r Row) bool {
		return r.Rank > 0 && r.MayStart() && r.Limit == nil && !slurm.ReasonNamed(r.Job.Reason).IsOfLimit()
	}
	if at := slices.IndexFunc(all, isFree); at >= 0 {
		text += fmt.Sprintf("; the first that may, and that no limit holds now, is %s, at rank %d", all[at].Job.ID, all[at].Rank)
	}
	return []diag.Remark{diag.Notef("%s (REASON and LIMIT say what keeps each)", text).OfAsked()}
}

// MayStart reports whether a row's job waits and nothing is known that keeps it from starting whatever else runs: no limit, nor the
// reason that Slurm has for it, also the state of its partition where no configuration tells that. Of a job of several partitions, the
// reason may be of another one.
func (r *Row) MayStart() bool {
	if r.Job.State != "PENDING" || r.IsStuck() {
		return false
	}
	switch of := slurm.ReasonNamed(r.Job.Reason); of.Fate {
	case slurm.ReasonHeld, slurm.ReasonNever:
		return len(r.Job.Partitions) > 1
	default:
		isOfState := r.Job.Reason == "PartitionDown" || r.Job.Reason == "PartitionInactive"
		return !isOfState || !math.IsNaN(r.Tier) || len(r.Job.Partitions) > 1
	}
}

// OthersOf says in a line which other waiting jobs a user has than the one that FirstOf has chosen; nothing for one who has none. Of squeue
// alone, jobs of other partitions are not after it.
func (s *Site) OthersOf(rows []Row, chosen Row) []diag.Remark {
	seen := map[string]bool{chosen.Job.ID: true}
	var stuck, others, elsewhere []string
	for i := range rows {
		r := &rows[i]
		if r.Job.User != chosen.Job.User || r.Job.State != "PENDING" || seen[r.Job.ID] {
			continue
		}
		switch seen[r.Job.ID] = true; {
		case r.MayStart() && s.isAsListed && r.Partition != chosen.Partition:
			elsewhere = append(elsewhere, r.Job.ID)
		case r.MayStart():
			others = append(others, r.Job.ID)
		default:
			stuck = append(stuck, fmt.Sprintf("%s (%s)", r.Job.ID, r.Job.Reason))
		}
	}
	text := fmt.Sprintf("%s has %s that wait", chosen.Job.User, report.Count(len(seen), "job"))
	switch {
	case len(seen) == 1:
		return nil
	case !chosen.MayStart():
		text += ", of which none starts as things are, and this is the first"
	case stuck != nil:
		text += ", of which this is the first that may start; not as things are: " + report.First(stuck)
	default:
		text += ", of which this is the first"
	}
	if others != nil {
		text += "; after it: " + report.First(others)
	}
	if elsewhere != nil {
		text += "; in other partitions: " + report.First(elsewhere)
	}
	if others == nil && elsewhere == nil && !chosen.MayStart() {
		text += "; the others: " + report.First(stuck)
	}
	return []diag.Remark{diag.Notef("%s", text).OfAsked()}
}
