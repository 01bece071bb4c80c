package replay

import (
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/fstree"
	"fairshare/usagefile"
)

// Measure is by what usage over time is measured, so that the same starts come to the same usage whatever a policy tries: the
// fairshare_usage_res, the decay and the usage at the begin of a site.
type Measure struct {
	Site      *pbs.Site
	Begin     *usagefile.Database // nil for that of the site's tree
	LastDecay int64
}

// course returns how usage grows and decays, nil where there is no tree. Whose usage it is and for which shares is as the site has it; how
// much it is, as what it is measured by has it.
func (e *engine) course() (*outcome.UsageCourse, error) {
	u, by := e.usage, e.usage
	if !e.site.HasTree() {
		return nil, nil
	}
	if m := e.Measure; m != nil && m.Site.HasTree() {
		var err error
		if by, err = newUsage(&e.situation, &order.Plan{Site: m.Site}, Options{Begin: m.Begin, LastDecay: m.LastDecay, Lag: e.Lag}); err != nil {
			return nil, err
		}
	}
	c := &outcome.UsageCourse{
		Rates: make([]float64, len(e.work.Jobs)), EntityOf: e.entities.Of, DecayTime: max(1, by.config.DecayTime), DecayFactor: float64(by.config.DecayFactor), LastDecay: by.lastDecay, Least: fstree.StartUsage,
	}
	if by.formula != nil {
		for i := range c.Rates {
			c.Rates[i] = by.rateOf(int32(i))
		}
	}
	for i, id := range u.ids {
		c.Begin = append(c.Begin, by.base[by.ids[i]])
		c.Percentages = append(c.Percentages, float64(u.tree.Entity(id).TreePercentage))
		group := id
		if path := u.paths[i]; len(path) > 1 { // else a user is called as the root is
			group = path[1]
		}
		c.Groups = append(c.Groups, u.tree.Entity(group).Name)
	}
	return c, nil
}
