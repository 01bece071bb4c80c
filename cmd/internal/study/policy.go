package study

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/accrual"
	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/replay"
	"fairshare/cmd/internal/report"
	"fairshare/usagefile"
)

// Policy is a way to run a site.
type Policy struct {
	Name      string
	IsInForce bool // whether it is the one that was, as far as is known
	Site      *pbs.Site
	Plan      *order.Plan

	setup *setup
}

// Changes are what a new policy has other than the one in force.
type Changes struct {
	Name      string   // "" for its formula and settings
	Formula   string   // "" for that in force
	SchedPriv string   // another tree and sched_config, "" for none
	Settings  []string // as pbs.Site.WithReplayed takes them
}

// New returns a policy that differs from a site's in some things, with remarks about a
// sched_priv. Its errors are about what was asked for (*pbs.SettingError,
// *order.FormulaError), or about a file.
func (c Changes) New(site *pbs.Site) (*Policy, []diag.Remark, error) {
	var remarks []diag.Remark
	var err error
	if c.SchedPriv != "" {
		if site, remarks, err = site.WithSchedPriv(file.DirAt(c.SchedPriv)); err != nil {
			return nil, nil, err
		}
	}
	changed, err := site.WithReplayed(c.Settings)
	if err != nil {
		return nil, remarks, err
	}
	if c.Formula != "" {
		own := *changed
		own.Sched.Formula = c.Formula
		changed = &own
	}
	name := describe(changed)
	if c.SchedPriv != "" {
		name += ", " + c.SchedPriv
	}
	if c.Name != "" {
		name = c.Name + ": " + name
	}
	p, more, err := newPolicy(name, changed)
	return p, append(remarks, more...), err
}

// newPolicy returns the policy of a site.
func newPolicy(name string, site *pbs.Site) (*Policy, []diag.Remark, error) {
	plan, remarks, err := order.NewPlan(site, order.Options{})
	if err != nil {
		return nil, nil, err
	}
	return &Policy{Name: name, Site: site, Plan: plan}, remarks, nil
}

// InForce returns the policy of a site as it is. isKnown says whether it is the one that
// was in force.
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

// describe returns the formula of a site and what was changed.
func describe(site *pbs.Site) string {
	text := cmp.Or(site.Sched.Formula, "no formula")
	for _, change := range site.Changes {
		text += ", " + change.String()
	}
	return text
}

// setup is what a policy is replayed with that its own settings decide.
type setup struct {
	cluster   *cluster.Cluster
	begin     *usagefile.Database // nil for that of the site's tree
	lastDecay int64
}

// prepare makes what a policy is replayed with, and returns remarks on it: its cluster with
// the order of its vnodes and the resources that count, and the usage at the begin as its
// own settings make it.
func (s *Study) prepare(p *Policy) ([]diag.Remark, error) {
	p.setup = &setup{}
	var remarks []diag.Remark
	var err error
	if p.setup.cluster, _, err = s.inputs.cluster(p.Site); err != nil {
		return nil, err
	}
	if lacks := p.lacks(); len(lacks) > 0 {
		remarks = append(remarks, diag.Warningf("nodes.added have no %s: jobs that ask for it do not run there", strings.Join(lacks, ", ")))
	}
	if err := s.checkLimits(p); err != nil {
		return nil, err
	}
	more, err := p.Plan.CheckNames(s.Work.Requested())
	if err != nil {
		return nil, err
	}
	remarks = append(remarks, more...)
	if entity := p.Site.Entity(); p.Site.Policy().FairShare && !accrual.IsInLogs(entity) {
		remarks = append(remarks, diag.Warningf("accounting logs do not tell the entity %s: GROUP:USER stands for it", entity))
	}
	more, err = s.inputs.setBegin(p, s.Work, s.Options.Lag)
	p.setup.begin = p.changedBegin(p.setup.begin)
	return append(remarks, more...), err
}

// checkLimits returns a *RequestError if a limit that the policy changes is of somebody who
// is neither in the logs nor in the tree: it would change nothing.
func (s *Study) checkLimits(p *Policy) error {
	for _, c := range p.Site.Changes {
		if !strings.Contains(c.Name, ".max_run") {
			continue
		}
		for kind, name := range replay.LimitedNames(c.Value) {
			known := s.names(kind)
			if known[name] {
				continue
			}
			if priv := p.Site.SchedPriv; priv != nil {
				if _, ok := priv.Tree.Lookup(name); ok {
					continue
				}
			}
			what := map[byte]string{'u': "user", 'g': "group", 'p': "project"}[kind]
			return &RequestError{c.Name + "=" + c.Value + ": " + report.NoSuch(what, name, slices.Collect(maps.Keys(known)))}
		}
	}
	return nil
}

// names returns the users, groups or projects of the jobs.
func (s *Study) names(kind byte) map[string]bool {
	names := map[string]bool{}
	for _, j := range s.Work.Jobs {
		number := map[byte]int32{'u': j.User, 'g': j.Group, 'p': j.Project}[kind]
		names[s.Work.Trace.Names.List[number]] = true
	}
	return names
}

// Use makes policies those of the study, each with a cluster, usage and entities of its
// own, and returns remarks on them.
func (s *Study) Use(policies []*Policy) ([]diag.Remark, error) {
	var remarks []diag.Remark
	for _, p := range policies {
		more, err := s.prepare(p)
		if err != nil {
			return remarks, err
		}
		for _, r := range more {
			if !slices.Contains(remarks, r) {
				remarks = append(remarks, r)
			}
		}
	}
	s.Policies = policies
	return remarks, nil
}

// lacks returns the consumables of the cluster that the vnodes which the policy adds do not
// have, so that jobs that ask for them do not run there.
func (p *Policy) lacks() []string {
	var lacks []string
	for _, name := range p.setup.cluster.Consumables {
		if p.Site.AddedNodes != "" && name != "ncpus" && !strings.Contains(p.Site.AddedNodes, ":"+name+"=") {
			lacks = append(lacks, name)
		}
	}
	return lacks
}

// changedBegin returns the usage at the begin with what the policy changes of it.
func (p *Policy) changedBegin(db *usagefile.Database) *usagefile.Database {
	isUsage := func(c pbs.Change) bool { return c.Entity != "" && strings.HasSuffix(c.Name, ".usage") }
	if db == nil || !slices.ContainsFunc(p.Site.Changes, isUsage) {
		return db
	}
	changed := *db
	changed.Records = nil
	for name, usage := range db.All() {
		changed.Records = append(changed.Records, usagefile.Record{Name: name, Usage: usage})
	}
	for _, c := range p.Site.Changes {
		if !isUsage(c) {
			continue
		}
		name := c.Entity
		amount, _ := c.Number()
		isThere := false
		for i := range changed.Records {
			if changed.Records[i].Name == name {
				changed.Records[i].Usage, isThere = amount, true
			}
		}
		if !isThere {
			changed.Records = append(changed.Records, usagefile.Record{Name: name, Usage: amount})
		}
	}
	return &changed
}
