package compare

import (
	"cmp"
	"slices"

	"fairshare/cmd/internal/report"
)

// Tally sums the changes of jobs by name.
type Tally struct {
	names  []string
	shifts []shift
}

type shift struct{ jobs, sum int }

// NewTally returns a tally of numbered names.
func NewTally(names []string) Tally { return Tally{names, make([]shift, len(names))} }

// Add adds the change of a job's place to what is known of a name.
func (t Tally) Add(name int32, change int) {
	if int(name) < len(t.shifts) { // else the list was read without these names
		t.shifts[name].jobs++
		t.shifts[name].sum += change
	}
}

// List returns the means of those that have jobs, the largest rise first.
func (t Tally) List() []Shift {
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
