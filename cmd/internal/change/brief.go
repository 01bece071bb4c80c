package change

import (
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/report"
)

// Brief is the figures of a difference without its single moves, which take a fraction of
// the time.
type Brief struct {
	Jobs, Moved, Entered, Left int // as Difference has them
	Tau                        *report.Number
	Entities, Groups, Queues   []Shift
}

// BriefBetween returns the figures of the difference of two orders of one list.
func BriefBetween(before, after *order.Order) Brief {
	l := after.List
	var b Brief
	both := make([]pair, 0, len(after.Rows))
	entities, groups, queues := newTally(len(l.Entities.List)), newTally(len(l.Groups.List)), newTally(len(l.Queues.List))
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
	}
	b.Jobs, b.Left = len(both), len(before.Rows)-len(both)
	b.Tau = tau(both)
	b.Entities, b.Groups, b.Queues = entities.list(l.Entities.List), groups.list(l.Groups.List), queues.list(l.Queues.List)
	return b
}

// tally sums changes by the numbers of names.
type tally []shift

func newTally(names int) tally { return make(tally, names) }

func (t tally) add(name int32, change int) {
	if int(name) < len(t) { // else the list was read without these names
		t[name].jobs++
		t[name].sum += change
	}
}

func (t tally) list(names []string) []Shift {
	s := shifts{}
	for i := range t {
		if t[i].jobs > 0 {
			s[names[i]] = &t[i]
		}
	}
	return s.list()
}
