// Package compare compares the orders of a Slurm site and of a changed one.
package compare

import (
	"math"
	"strings"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/set"
)

// Between returns what changes of a Slurm site change in its order: of a move, Entity is the
// account, Queue the partition, Group the QOS and Project the user. A job that names several
// partitions has a move in each.
func Between(before, after []order.Row, changes []set.Change) *compare.Difference {
	now := map[order.Place]order.Row{}
	for _, r := range after {
		now[r.Place()] = r
	}
	rank := func(r order.Row) *int {
		if r.Rank == 0 {
			return nil
		}
		return &r.Rank
	}
	value := func(r order.Row) *report.Number {
		if r.Rank == 0 || math.IsNaN(r.Value) {
			return nil
		}
		n := report.Number(r.Value)
		return &n
	}
	var moves []compare.Move
	for _, r := range before {
		n := now[r.Place()]
		moves = append(moves, compare.Move{
			ID: r.Job.ID, User: r.Job.User, Entity: r.Job.Account, Queue: r.Partition, Group: r.QOS, Project: r.Job.User,
			OldRank: rank(r), NewRank: rank(n), OldValue: value(r), NewValue: value(n), OldReason: r.Reason, NewReason: n.Reason,
		})
	}
	var said []string
	for _, c := range changes {
		said = append(said, c.String())
	}
	return compare.BetweenRanks("the priorities that Slurm has", strings.Join(said, ", "), moves)
}

// Page returns the difference of the orders of a Slurm site and of a changed one as a page shows it.
func Page(d *compare.Difference, at, changed *order.Site) page.Data {
	parties := []*numberedParty{
		newNumberedParty("User", d.Projects), newNumberedParty("Account", d.Entities), newNumberedParty("Partition", d.Queues), newNumberedParty("QOS", d.Groups),
	}
	rank := func(n *int) int {
		if n == nil {
			return 0
		}
		return *n
	}
	c := d.Chart(at.Describe(), func(row int) (old, now int, names []int32) {
		m := &d.Moves[row]
		for i, name := range []string{m.User, m.Entity, m.Queue, m.Group} {
			names = append(names, parties[i].number(name))
		}
		return rank(m.OldRank), rank(m.NewRank), names
	})
	for _, p := range parties {
		c.Parties = append(c.Parties, p.Party)
	}
	out := page.Data{Title: "What a change does to the order of jobs", Compare: c}
	switch old, now := at.Fairshare(), changed.Fairshare(); {
	case old == nil || now == nil:
	case at.Tree == changed.Tree && old.Algorithms[0].Name == now.Algorithms[0].Name:
		out.Trees = []page.Tree{old.Page("Fairshare tree: width is shares, colour is use")}
	default:
		out.Trees = []page.Tree{old.Page("Old fairshare tree: width is shares, colour is use"), now.Page("New fairshare tree")}
	}
	return out
}

// numberedParty is a party of a page whose names come one by one.
type numberedParty struct {
	page.Party
	index map[string]int32
}

func newNumberedParty(name string, shifts []compare.Shift) *numberedParty {
	p := &numberedParty{page.Party{Name: name}, map[string]int32{}}
	for _, s := range shifts {
		p.Shifts = append(p.Shifts, s.Page(int(p.number(s.Name))))
	}
	return p
}

// number returns the place of a name among those of the party.
func (p *numberedParty) number(name string) int32 {
	i, ok := p.index[name]
	if !ok {
		i = int32(len(p.Names))
		p.index[name] = i
		p.Names = append(p.Names, name)
	}
	return i
}
