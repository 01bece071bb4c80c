// Package compare compares the orders of a site of flux and of a changed one.
package compare

import (
	"strings"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/flux/order"
	"fairshare/cmd/internal/page"
)

// Between returns what settings change in the order of a site: of a move, Entity is the bank, Queue the queue, Group
// the project and Project the user.
func Between(before, after []order.Row, settings []string) *compare.Difference {
	now := map[uint64]order.Row{}
	for _, r := range after {
		now[r.Job.Number] = r
	}
	var moves []compare.Move
	var standings compare.Standings
	for _, r := range before {
		n := now[r.Job.Number]
		m := compare.Move{ID: r.Job.ID, User: r.Job.User, Entity: r.Job.Bank, Queue: r.Job.Queue, Group: r.Job.Project, Project: r.Job.User, OldReason: r.Reason, NewReason: n.Reason}
		m.OldRank, m.OldValue = standings.Of(r.Rank, r.Value)
		m.NewRank, m.NewValue = standings.Of(n.Rank, n.Value)
		moves = append(moves, m)
	}
	return compare.BetweenRanks("the priorities that flux has", strings.Join(settings, ", "), moves)
}

// Page returns the difference of two orders as a page shows it.
func Page(d *compare.Difference, at *order.Site) page.Data {
	c := d.RankedChart(at.Describe(), [4]string{"User", "Bank", "Queue", "Project"})
	return page.Data{Title: "What a change does to the order of jobs", Compare: c}
}
