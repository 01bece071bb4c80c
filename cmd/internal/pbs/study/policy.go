package study

import (
	"cmp"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/order"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/study"
)

// Policy is a way to run a PBS site. It can be run once Study.Use has made it ready.
type Policy struct {
	study.Policy
	Site *pbs.Site
	Plan *order.Plan

	asked study.Changes // of the site's own
}

// NewPolicy returns the policy that changes make of a site's, and remarks on it and on the files
// of its sched_priv. Its errors are *diag.SettingError, *order.FormulaError, or about a file.
func NewPolicy(c study.Changes, site *pbs.Site) (*Policy, []diag.Remark, error) {
	var remarks []diag.Remark
	var err error
	if c.SchedPriv != "" {
		if site, remarks, err = site.WithSchedPriv(file.DirAt(c.SchedPriv)); err != nil {
			return nil, nil, err
		}
	}
	if c.Formula != "" {
		if pbs.SetsFormula(c.Settings) {
			return nil, nil, pbssite.ErrTwoFormulas
		}
		site = site.WithFormula(c.Formula)
	}
	changed, err := site.WithReplayed(c.Settings)
	if err != nil {
		return nil, remarks, err
	}
	name := describe(changed)
	if c.SchedPriv != "" {
		name += ", " + c.SchedPriv
	}
	if c.Name != "" {
		name = c.Name + ": " + name
	}
	p, more, err := newPolicy(name, changed)
	if err == nil {
		p.asked = c
	}
	return p, append(remarks, more...), err
}

// traps warns of what no figure shows of the formula of a policy, where it is not the site's own.
func (in *Inputs) traps(p *Policy) []diag.Remark {
	if p.Site.Sched.Formula == in.Site.Sched.Formula {
		return nil
	}
	return order.Traps(p.Site)
}

// newPolicy returns the policy of a site, and remarks on it.
func newPolicy(name string, site *pbs.Site) (*Policy, []diag.Remark, error) {
	plan, remarks, err := order.NewPlan(site, order.Options{})
	if err != nil {
		return nil, nil, err
	}
	return &Policy{Policy: study.Policy{Name: name, Formula: site.Sched.Formula}, Site: site, Plan: plan}, remarks, nil
}

// InForce returns the policy of a site as it is, and remarks on it. isKnown says whether the
// site is known to have been run like this.
func InForce(site *pbs.Site, isKnown bool) (*Policy, []diag.Remark, error) {
	name := describe(site)
	if isKnown {
		name = "in force: " + name
	}
	p, remarks, err := newPolicy(name, site)
	if err != nil {
		return nil, nil, err
	}
	p.IsInForce = isKnown
	return p, remarks, nil
}

// describe returns the formula of a site and its changed settings as the name of a policy.
func describe(site *pbs.Site) string {
	text := cmp.Or(site.Sched.Formula, "no formula")
	for _, change := range site.Changes {
		if change.IsFormula() {
			continue // which stands before it
		}
		if isUsage(change) {
			change.Was = "" // which the site has at the end of its logs, where a replay begins with that of their begin
		}
		text += ", " + change.String()
	}
	return text
}
