package compare

import (
	"slices"

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

// Names are the names of the jobs of a list by which their changes are summed up, numbered.
type Names struct {
	of   [4][]string // of entities, queues, groups and projects
	jobs [][4]int32
}

// NewNames returns the names of n jobs: each of its entity, queue, group and project.
func NewNames(n int, of func(i int) [4]string) *Names {
	names := Names{jobs: make([][4]int32, n)}
	numbers := [4]map[string]int32{{}, {}, {}, {}}
	for i := range n {
		for k, name := range of(i) {
			number, ok := numbers[k][name]
			if !ok {
				number = int32(len(names.of[k]))
				numbers[k][name], names.of[k] = number, append(names.of[k], name)
			}
			names.jobs[i][k] = number
		}
	}
	return &names
}

// Brief returns the figures of the difference of two orders of the list, of which ranks tells where a job stands, 0 for not at all.
func (n *Names) Brief(ranks func(i int) (old, new int)) (b Brief) {
	type both struct{ old, new int32 }
	list := make([]both, 0, len(n.jobs))
	var tallies [4]Tally
	for k := range tallies {
		tallies[k] = NewTally(n.of[k])
	}
	for i := range n.jobs {
		switch old, new := ranks(i); {
		case old > 0 && new > 0:
			if old != new {
				b.Moved++
			}
			list = append(list, both{int32(old), int32(new)})
			for k, name := range n.jobs[i] {
				tallies[k].Add(name, old-new)
			}
		case new > 0:
			b.Entered++
		case old > 0:
			b.Left++
		}
	}
	b.Jobs = len(list)
	slices.SortFunc(list, func(a, b both) int { return int(a.new - b.new) })
	places := make([]int32, len(list))
	for i, r := range list {
		places[i] = r.old
	}
	b.Tau = Tau(places)
	b.Entities, b.Queues, b.Groups, b.Projects = tallies[0].List(), tallies[1].List(), tallies[2].List(), tallies[3].List()
	return b
}
