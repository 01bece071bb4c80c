package compare

import (
	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/pbs/order"
)

// BriefBetween returns the figures of the difference of two orders of one list, by the entities of the old one.
func BriefBetween(before, after *order.Order) (b compare.Brief) {
	l := before.List
	both := make([]int32, 0, len(after.Rows)) // their places in the old order
	entities, queues := compare.NewTally(l.Entities.List), compare.NewTally(l.Queues.List)
	groups, projects := compare.NewTally(l.Groups.List), compare.NewTally(l.Projects.List)
	for i, row := range after.Rows {
		old := before.Place(int(row))
		if old == 0 {
			b.Entered++
			continue
		}
		by := old - (i + 1)
		if by != 0 {
			b.Moved++
		}
		both = append(both, int32(old))
		j := l.Job(int(row))
		entities.Add(j.Entity, by)
		groups.Add(j.Group, by)
		queues.Add(j.Queue, by)
		projects.Add(j.Project, by)
	}
	b.Jobs, b.Left = len(both), len(before.Rows)-len(both)
	b.Tau = compare.Tau(both)
	b.Entities, b.Queues, b.Groups, b.Projects = entities.List(), queues.List(), groups.List(), projects.List()
	return b
}
