package replay

// Accruing says how usage grows and decays in a replay, for those who follow it over
// time.
type Accruing struct {
	Rates       []float64 // by job, usage a second
	Begin       []float64 // by entity, its usage when the record begins
	Percentages []float64 // by entity, its part of all shares
	Groups      []string  // by entity, the child of the root that it is or belongs to
	DecayTime   int64     // seconds
	DecayFactor float64
	LastDecay   int64 // before the record begins
}

// accruing returns how usage grows and decays, nil where there is no tree.
func (e *engine) accruing() *Accruing {
	if !e.site.HasTree() {
		return nil
	}
	u := e.usage
	a := &Accruing{
		Rates: make([]float64, len(e.work.Jobs)), DecayTime: max(1, u.config.DecayTime), DecayFactor: float64(u.config.DecayFactor), LastDecay: u.lastDecay,
	}
	if u.formula != nil {
		for i := range a.Rates {
			a.Rates[i] = u.rateOf(e, int32(i))
		}
	}
	for i, id := range u.ids {
		a.Begin = append(a.Begin, u.base[id])
		a.Percentages = append(a.Percentages, float64(u.tree.Entity(id).TreePercentage))
		a.Groups = append(a.Groups, u.tree.Entity(u.paths[i][1]).Name) // behind the root
	}
	return a
}
