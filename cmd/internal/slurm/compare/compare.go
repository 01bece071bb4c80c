// Package compare compares the orders of a Slurm site and of a changed one.
package compare

import (
	"cmp"
	"strings"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/set"
)

// Between returns what changes of a Slurm site change in its order, of which set.After has made the second: of a move, Entity is the
// account, Queue the partition, Group the QOS and Project the user. A job that names several
// partitions has a move in each.
func Between(before, after []order.Row, changes []set.Change) *compare.Difference {
	now := make([]*order.Row, len(before)) // by Listed of what they were
	for i := range after {
		if was := after[i].Was; was != nil {
			now[was.Listed] = &after[i]
		}
	}
	var standings compare.Standings
	moves, none := make([]compare.Move, 0, len(before)), order.Row{}
	for i := range before {
		r := &before[i]
		n := cmp.Or(now[r.Listed], &none)
		m := compare.Move{ID: r.Job.ID, User: r.Job.User, Entity: r.Job.Account, Queue: r.Partition, Group: r.QOS, Project: r.Job.User, OldReason: r.Reason, NewReason: n.Reason}
		m.OldRank, m.OldValue = standings.Of(r.Rank, r.Value)
		m.NewRank, m.NewValue = standings.Of(n.Rank, n.Value)
		moves = append(moves, m)
	}
	var said []string
	for _, c := range changes {
		said = append(said, c.String())
	}
	return compare.BetweenRanks("the priorities that Slurm has", strings.Join(said, ", "), moves)
}

// NamesOf returns the names of the jobs of rows, as Between has them.
func NamesOf(before []order.Row) *compare.Names {
	return compare.NewNames(len(before), func(i int) [4]string {
		r := &before[i]
		return [...]string{r.Job.Account, r.Partition, r.QOS, r.Job.User}
	})
}

// BriefBetween returns the figures of Between, with the names of the first rows.
func BriefBetween(before, after []order.Row, names *compare.Names) compare.Brief {
	now := make([]int, len(before)) // ranks, by Listed of what they were
	for i := range after {
		if was := after[i].Was; was != nil {
			now[was.Listed] = after[i].Rank
		}
	}
	return names.Brief(func(i int) (old, new int) { return before[i].Rank, now[before[i].Listed] })
}

// Page returns the difference of the orders of a Slurm site and of a changed one as a page shows it.
func Page(d *compare.Difference, at, changed *order.Site) page.Data {
	c := d.RankedChart(at.Describe(), [4]string{"User", "Account", "Partition", "QOS"})
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
