package replay

import (
	"fairshare/cmd/internal/pbs"
	"fairshare/fstree"
)

// UsageCourse is how usage grows and decays in a replay, for those who follow it over
// time.
type UsageCourse struct {
	Rates       []float64 // by job, usage a second
	EntityOf    []int32   // by job, a number in those below
	Begin       []float64 // by entity, its usage when the record begins
	Percentages []float64 // by entity, its part of all shares
	Groups      []string  // by entity, the child of the root that it is or belongs to
	DecayTime   int64     // seconds
	DecayFactor float64
	LastDecay   int64   // before the record begins
	Least       float64 // below which no usage decays
}

// course returns how usage grows and decays, nil where there is no tree.
func (u *usage) course(site *pbs.Site) *UsageCourse {
	if !site.HasTree() {
		return nil
	}
	a := &UsageCourse{
		Rates: make([]float64, len(u.at.work.Jobs)), EntityOf: u.at.entities.Of, DecayTime: max(1, u.config.DecayTime), DecayFactor: float64(u.config.DecayFactor), LastDecay: u.lastDecay, Least: fstree.StartUsage,
	}
	if u.formula != nil {
		for i := range a.Rates {
			a.Rates[i] = u.rateOf(int32(i))
		}
	}
	for i, id := range u.ids {
		a.Begin = append(a.Begin, u.base[id])
		a.Percentages = append(a.Percentages, float64(u.tree.Entity(id).TreePercentage))
		group := id
		if path := u.paths[i]; len(path) > 1 { // else a user is called as the root is
			group = path[1]
		}
		a.Groups = append(a.Groups, u.tree.Entity(group).Name)
	}
	return a
}
