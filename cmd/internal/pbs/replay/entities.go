package replay

import (
	"fairshare/cmd/internal/pbs/accrual"
	"fairshare/cmd/internal/work"
)

// entities are the fairshare entities of jobs.
type entities struct {
	Names []string
	Of    []int32 // by job, a number in Names
}

// entitiesOf returns the entities of the jobs of work by an attribute, as fairshare_entity names it.
func entitiesOf(w *work.Work, attribute string) *entities {
	all := &entities{Of: make([]int32, len(w.Jobs))}
	numbers := map[string]int32{}
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
