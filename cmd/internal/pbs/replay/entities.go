package replay

import (
	"slices"

	"fairshare/cmd/internal/pbs/accrual"
	"fairshare/cmd/internal/work"
)

// entities are the fairshare entities of jobs.
type entities struct {
	Names []string
	Of    []int32 // by job, a number in Names
}

// entitiesOf returns the entities of the jobs of work by an attribute, as fairshare_entity names it, behind those that are
// known already.
func entitiesOf(w *work.Work, attribute string, known []string) *entities {
	all := &entities{Names: slices.Clone(known), Of: make([]int32, len(w.Jobs))}
	numbers := map[string]int32{}
	for i, name := range known {
		numbers[name] = int32(i)
	}
	for i, j := range w.Jobs {
		name := accrual.EntityOf(w.Trace, j.Job, attribute)
		number, ok := numbers[name]
		if !ok {
			number = int32(len(all.Names))
			numbers[name] = number
			all.Names = append(all.Names, name)
		}
		all.Of[i] = number
	}
	return all
}
