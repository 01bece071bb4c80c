// Package compare compares the orders of a site of flux and of a changed one.
package compare

import (
	"strings"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/flux/order"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
)

// Between returns what settings change in the order of a site: of a move, Entity is the bank, Queue the queue, Group
// the project and Project the user.
func Between(before, after []order.Row, settings []string) *compare.Difference {
	now := map[uint64]order.Row{}
	for _, r := range after {
		now[r.Job.Number] = r
	}
	rank := func(r order.Row) *int {
		if r.Rank == 0 {
			return nil
		}
		return &r.Rank
	}
	value := func(r order.Row) *report.Number {
		if r.Rank == 0 {
			return nil
		}
		return report.Optional(r.Value)
	}
	var moves []compare.Move
	for _, r := range before {
		n := now[r.Job.Number]
		moves = append(moves, compare.Move{
			ID: r.Job.ID, User: r.Job.User, Entity: r.Job.Bank, Queue: r.Job.Queue, Group: r.Job.Project, Project: r.Job.User,
			OldRank: rank(r), NewRank: rank(n), OldValue: value(r), NewValue: value(n), OldReason: r.Reason, NewReason: n.Reason,
		})
	}
	return compare.BetweenRanks("the priorities that flux has", strings.Join(settings, ", "), moves)
}

// Page returns the difference of two orders as a page shows it.
func Page(d *compare.Difference, at *order.Site) page.Data {
	index := [4]map[string]int32{}
	parties := []page.Party{{Name: "User"}, {Name: "Bank"}, {Name: "Queue"}, {Name: "Project"}}
	number := func(party int, name string) int32 {
		if index[party] == nil {
			index[party] = map[string]int32{}
		}
		i, ok := index[party][name]
		if !ok {
			i = int32(len(index[party]))
			index[party][name] = i
			parties[party].Names = append(parties[party].Names, name)
		}
		return i
	}
	for party, shifts := range [][]compare.Shift{d.Projects, d.Entities, d.Queues, d.Groups} {
		for _, s := range shifts {
			parties[party].Shifts = append(parties[party].Shifts, s.Page(int(number(party, s.Name))))
		}
	}
	rank := func(n *int) int {
		if n == nil {
			return 0
		}
		return *n
	}
	c := d.Chart(at.Describe(), func(row int) (old, now int, names []int32) {
		m := &d.Moves[row]
		for party, name := range []string{m.User, m.Entity, m.Queue, m.Group} {
			names = append(names, number(party, name))
		}
		return rank(m.OldRank), rank(m.NewRank), names
	})
	c.Parties = append(c.Parties, parties...)
	return page.Data{Title: "What a change does to the order of jobs", Compare: c}
}
