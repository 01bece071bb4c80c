package replay

import (
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/fstree"
)

// course returns how usage grows and decays, nil where there is no tree.
func (u *usage) course(site *pbs.Site) *outcome.UsageCourse {
	if !site.HasTree() {
		return nil
	}
	a := &outcome.UsageCourse{
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
