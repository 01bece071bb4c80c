package site

import (
	"errors"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
)

// Change is how the second of two sites that are compared differs from the first.
type Change struct {
	Formulas  []string // the new one, which is compared with the one in force, or the old and the new one
	NoFormula bool     // both sites have none
	SchedPriv string   // of the second site, "" for that of the first
	NonPrime  bool     // the settings of non-prime time hold
	Settings  []string // of the second site, as --set has them

	WhatIf func(*pbs.Site, []string) (*pbs.Site, []diag.Remark, error) // what makes the settings: WhatIf or WhatIfReplayed
}

// Sites returns two sites, of which the first is the one of a place. What is given once holds
// for both, but for a formula beside one sched_priv, which is new.
func (c Change) Sites(p *Place, at *pbs.Site) (old, new *pbs.Site, remarks []diag.Remark, err error) {
	say := func(more []diag.Remark) { remarks = append(remarks, more...) }
	old = at
	new = at.Copied()
	if c.SchedPriv != "" {
		other, more, err := at.WithSchedPriv(file.DirAt(c.SchedPriv))
		if err != nil {
			return nil, nil, remarks, err
		}
		new = other
		say(more)
		say(p.SetTime(new, c.NonPrime))
	}
	for i, site := range []*pbs.Site{old, new} {
		if c.NoFormula {
			*site = *site.WithFormula("")
			continue
		}
		var settings []string
		if i == 1 {
			settings = c.Settings
		}
		more, err := SetFormula(site, c.formula(i), settings)
		say(slices.DeleteFunc(more, func(r diag.Remark) bool { return r.Text == noFormula && pbs.SetsFormula(c.Settings) }))
		if errors.Is(err, ErrUnknownFormula) {
			err = diag.Requestf("nothing to compare with: which formula is in force is not known (a snapshot or --sched tells it); give -f OLD -f NEW")
		}
		if err != nil {
			return nil, nil, remarks, err
		}
	}
	new, more, err := c.WhatIf(new, c.Settings)
	say(more)
	if err != nil {
		return nil, nil, remarks, err
	}
	return old, new, remarks, nil
}

// formula returns the formula of the first site or, for 1, of the second, "" for the one in force.
func (c Change) formula(i int) string {
	switch {
	case len(c.Formulas) == 2:
		return c.Formulas[i]
	case len(c.Formulas) == 1 && (i == 1 || c.SchedPriv != ""):
		return c.Formulas[0]
	}
	return ""
}
