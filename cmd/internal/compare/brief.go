package compare

import (
	"cmp"
	"slices"

	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/report"
)

// Brief is the figures of a difference without its single moves, which take a fraction of
// the time.
type Brief struct {
	Jobs, Moved, Entered, Left int // as Difference has them
	Tau                        *report.Number
	Entities, Queues           []Shift
	Groups, Projects           []Shift
}

// BriefBetween returns the figures of the difference of two orders of one list.
func BriefBetween(before, after *order.Order) Brief {
	l := after.List
	var b Brief
	both := make([]pair, 0, len(after.Rows))
	entities, queues := newTally(l.Entities.List), newTally(l.Queues.List)
	groups, projects := newTally(l.Groups.List), newTally(l.Projects.List)
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
		both = append(both, pair{place: int32(old)})
		j := l.Job(int(row))
		entities.add(j.Entity, by)
		groups.add(j.Group, by)
		queues.add(j.Queue, by)
		projects.add(j.Project, by)
	}
	b.Jobs, b.Left = len(both), len(before.Rows)-len(both)
	b.Tau = tau(both)
	b.Entities, b.Queues, b.Groups, b.Projects = entities.list(), queues.list(), groups.list(), projects.list()
	return b
}

// tally sums the changes of jobs by name.
type tally struct {
	names  []string
	shifts []shift
}

type shift struct{ jobs, sum int }

func newTally(names []string) tally { return tally{names, make([]shift, len(names))} }

func (t tally) add(name int32, change int) {
	if int(name) < len(t.shifts) { // else the list was read without these names
		t.shifts[name].jobs++
		t.shifts[name].sum += change
	}
}

// list returns the means of those that have jobs, the largest rise first.
func (t tally) list() []Shift {
	list := []Shift{}
	for i, s := range t.shifts {
		if s.jobs > 0 {
			list = append(list, Shift{t.names[i], s.jobs, report.Number(float64(s.sum) / float64(s.jobs))})
		}
	}
	slices.SortFunc(list, func(a, b Shift) int {
		return cmp.Or(cmp.Compare(b.Mean, a.Mean), cmp.Compare(a.Name, b.Name))
	})
	return list
}
