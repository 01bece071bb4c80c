package order

import (
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurm"
)

// Rivals returns the first jobs of two users that compete for nodes, in place of the first ones of both where these do not: of jobs that
// may start the first ones of one partition, or else of partitions that have nodes in common. A remark says so, or that there are none.
func (s *Site) Rivals(rows []Row, a, b Row) (Row, Row, []diag.Remark) {
	if a.Partition == b.Partition || a.Rank == 0 || b.Rank == 0 || !a.MayStart() || !b.MayStart() {
		return a, b, nil
	}
	of := func(user string) (list []Row) {
		for _, r := range rows {
			if r.Job.User == user && r.Rank > 0 && r.MayStart() {
				list = append(list, r)
			}
		}
		return list
	}
	first, second := of(a.Job.User), of(b.Job.User)
	both := func(compete func(a, b string) bool) (x, y Row, found bool) {
		for _, x := range first {
			if at := slices.IndexFunc(second, func(y Row) bool { return compete(x.Partition, y.Partition) }); at >= 0 {
				return x, second[at], true
			}
		}
		return a, b, false
	}
	isKnown := true
	share := func(a, b string) bool {
		isShared, isTold := s.shareNodes(a, b)
		isKnown = isKnown && isTold
		return isShared
	}
	where := "in one partition"
	x, y, found := both(func(a, b string) bool { return a == b })
	if !found {
		where = "in partitions that have nodes in common"
		x, y, found = both(share)
	}
	switch {
	case found && x.Job == a.Job && y.Job == b.Job:
		return x, y, nil
	case found:
		return x, y, []diag.Remark{diag.Notef("compared are the first jobs of both %s: %s of %s and %s of %s, the first of all, are in partitions %s and %s (formula explain %[2]s --vs %[4]s compares these)",
			where, a.Job.ID, a.Job.User, b.Job.ID, b.Job.User, a.Partition, b.Partition).OfAsked()}
	case isKnown:
		return a, b, []diag.Remark{diag.Notef("no jobs of %s and %s compete for nodes: their partitions have none in common, so that a reversal brings neither of them a node", a.Job.User, b.Job.User).OfAsked()}
	}
	return a, b, []diag.Remark{diag.Notef("no jobs of %s and %s are in one partition: a reversal brings neither of them a node, unless partitions share some", a.Job.User, b.Job.User).OfAsked()}
}

// shareNodes reports whether two partitions have nodes in common, where that is known.
func (s *Site) shareNodes(a, b string) (isShared, isKnown bool) {
	of := func(name string) []string {
		if s.Conf == nil || s.Conf.Partitions[name] == nil {
			return nil
		}
		nodes, err := slurm.Hostlist(s.Conf.Partitions[name].Printed["nodes"])
		if err != nil {
			return nil
		}
		return nodes
	}
	first, second := of(a), of(b)
	if len(first) == 0 || len(second) == 0 {
		return false, false
	}
	return slices.ContainsFunc(first, func(node string) bool { return slices.Contains(second, node) }), true
}
