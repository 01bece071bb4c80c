package site

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
)

// ErrTwoFormulas is for a formula that is given by itself and by a setting as well.
var ErrTwoFormulas = diag.Requestf("the formula is given by itself (-f, -F or --no-formula) and by --set: give it once")

// noFormula says of a site that it has no formula.
const noFormula = "no job_sort_formula is set: the other keys order the jobs"

// WhatIf returns a site with the changes that settings ask for, each of which is told.
func WhatIf(site *pbs.Site, settings []string) (*pbs.Site, []diag.Remark, error) {
	changed, err := site.With(settings)
	return whatIf(changed, err)
}

// WhatIfReplayed returns what WhatIf does, and knows settings that a replay depends on and the order of jobs
// does not.
func WhatIfReplayed(site *pbs.Site, settings []string) (*pbs.Site, []diag.Remark, error) {
	changed, err := site.WithReplayed(settings)
	return whatIf(changed, err)
}

// WhatIfSubmitted returns what WhatIfReplayed does for a job that is not there yet, on whose submission further settings act.
func WhatIfSubmitted(site *pbs.Site, settings []string) (*pbs.Site, []diag.Remark, error) {
	changed, err := site.WithSubmitted(settings)
	return whatIf(changed, err)
}

// whatIf returns a changed site, and remarks on what is changed.
func whatIf(changed *pbs.Site, err error) (*pbs.Site, []diag.Remark, error) {
	if err != nil {
		return nil, nil, diag.Requestf("--set %w", err)
	}
	return changed, SayChanges(changed), nil
}

// mostChanges is of how many settings it is said by itself that they are changed: a print of all vnodes may have tens of thousands.
const mostChanges = 100

// SayChanges says what of a site is changed, and what of it changes nothing.
func SayChanges(changed *pbs.Site) (remarks []diag.Remark) {
	said := 0
	for _, change := range changed.Changes {
		if change.Was == change.Value {
			remarks = append(remarks, diag.Warningf("%s=%s changes nothing: it is so without it", change.Name, change.Value).OfAsked())
			continue
		}
		if said++; said <= mostChanges {
			remarks = append(remarks, diag.WhatIf(change.String()))
		}
		if change.Name == "sched.fair_share" && !changed.Policy().FairShare && strings.Contains(changed.Sched.Formula, "fairshare_") {
			remarks = append(remarks, diag.Notef("without fair_share usage decays and no longer grows, so that the fairshare terms of the formula forget who has run: that changes the order later, as formula replay shows").OfAsked())
		}
		if change.Name == "sched.fairshare_entity" {
			remarks = append(remarks, diag.Notef("usage stays as the tree has it: what was used while fairshare_entity was %s is not counted again by %s, as it is not in PBS", change.Was, change.Value))
		}
	}
	if said > mostChanges {
		remarks = append(remarks, diag.WhatIf(fmt.Sprintf("and %d more settings", said-mostChanges)))
	}
	if changed.Sched.Formula == "" && slices.ContainsFunc(changed.Changes, pbs.Change.IsFormula) {
		remarks = append(remarks, diag.Notef(noFormula))
	}
	for _, r := range changed.Replaced {
		remarks = append(remarks, diag.Warningf("%v", r))
	}
	for _, a := range changed.Untried {
		remarks = append(remarks, diag.Warningf("%s: %s changes nothing in the order: it changes who starts (sort --now and when show who does)", a.Where, a.Setting).OfAsked())
	}
	for _, text := range changed.ShortTimes() {
		remarks = append(remarks, diag.Warningf("%s", text).OfAsked())
	}
	for _, idle := range changed.IdleChanges() {
		remarks = append(remarks, diag.Warningf("%s", idle))
	}
	return remarks
}
