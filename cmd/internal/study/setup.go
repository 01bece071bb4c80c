package study

import (
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/accrual"
	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/replay"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/work"
	"fairshare/cmd/internal/world"
	"fairshare/usagefile"
)

// setup is a policy with all that it is replayed with and that its own settings decide.
type setup struct {
	*Policy
	cluster   *cluster.Cluster
	world     *world.World        // what happens besides the jobs
	begin     *usagefile.Database // usage at the begin of the logs, nil for that of the site's tree
	lastDecay int64
}

// Use makes policies those of the study, and returns remarks on them. It is an error if one
// of them cannot be replayed on the study's work.
func (s *Study) Use(policies []*Policy) ([]diag.Remark, error) {
	var remarks []diag.Remark
	var setups []*setup
	for _, p := range policies {
		own, more, err := s.newSetup(p)
		if err != nil {
			return remarks, err
		}
		for _, r := range more {
			if !slices.Contains(remarks, r) {
				remarks = append(remarks, r)
			}
		}
		setups = append(setups, own)
	}
	s.Policies, s.setups = policies, setups
	return remarks, nil
}

// newSetup returns a policy with its own cluster and its own usage at the begin of the logs,
// and remarks on it.
func (s *Study) newSetup(p *Policy) (*setup, []diag.Remark, error) {
	var remarks []diag.Remark
	nodes, _, err := s.Inputs.cluster(p.Site)
	if err != nil {
		return nil, nil, err
	}
	own := &setup{Policy: p, cluster: nodes, lastDecay: s.Inputs.lastDecay(p.Site)}
	if lacks := own.lacks(); len(lacks) > 0 {
		remarks = append(remarks, diag.Warningf("nodes.added have no %s: jobs that ask for it do not run there", strings.Join(lacks, ", ")))
	}
	if p.Site.Walltime != nil {
		remarks = append(remarks, s.asking(p))
	}
	if err := s.checkLimits(p); err != nil {
		return nil, nil, err
	}
	more, err := p.Plan.CheckNames(s.Work.Requested())
	if err != nil {
		return nil, nil, err
	}
	remarks = append(remarks, more...)
	if entity := p.Site.Entity(); p.Site.Policy().FairShare && !accrual.IsInLogs(entity) {
		remarks = append(remarks, diag.Warningf("accounting logs do not tell the entity %s: GROUP:USER stands for it", entity))
	}
	begin, more, err := s.begin(p)
	if err != nil {
		return nil, nil, err
	}
	own.begin = withChanges(begin, p.Site.Changes)
	remarks = append(remarks, more...)
	own.world, more, err = s.Inputs.world(p.Site, nodes)
	remarks = append(remarks, more...)
	if err != nil {
		return nil, remarks, err
	}
	isRequeue := func(c pbs.Change) bool { return c.Name == "server.node_fail_requeue" }
	goesDown := func(e world.VnodeEvent) bool { return e.Kind == world.Down }
	if slices.ContainsFunc(p.Site.Changes, isRequeue) && !slices.ContainsFunc(own.world.Vnodes, goesDown) {
		remarks = append(remarks, diag.Warningf("server.node_fail_requeue changes nothing while no vnode goes down"))
	}
	return own, remarks, nil
}

// options returns how a run of a policy is replayed on its work: as the study says, with what
// is the policy's own.
func (s *Study) options(own *setup, work *work.Work) replay.Options {
	o := s.Options
	o.World, o.Begin, o.LastDecay = own.world, own.begin, own.lastDecay
	o.KeepUsage = slices.ContainsFunc(s.Figures, figure.Figure.NeedsShares)
	if o.Own != nil {
		o.Own = make([]float64, len(work.Jobs))
		for i := range o.Own {
			o.Own[i] = s.Options.Own[work.Origin(i)]
		}
	}
	return o
}

// asking says what a policy in which jobs ask for other walltimes comes to, and what it does
// not model.
func (s *Study) asking(p *Policy) diag.Remark {
	less, more, was, is := 0, 0, 0., 0.
	changed, failed := s.Work.Asking(p.Site.Walltime)
	for i, j := range changed.Jobs {
		before := s.Work.Jobs[i].Walltime
		switch {
		case before <= 0 || j.Walltime < before:
			less++
		case j.Walltime > before:
			more++
		}
		if before > 0 {
			was, is = was+float64(before), is+float64(j.Walltime)
		}
	}
	if failed > 0 {
		return diag.Damagef("walltime=%s has no value for %d of %s, which ask for what they did", p.Site.Walltime.Source(), failed, report.Count(len(s.Work.Jobs), "job"))
	}
	return diag.Notef("with walltime=%s, %d of %s ask for less and %d for more, %s%% of what they asked for in all; none asks for less than it used, those that have not ended ask for what they did, and nobody comes sooner or later for it",
		p.Site.Walltime.Source(), less, report.Count(len(s.Work.Jobs), "job"), more, report.Decimals(100*is/max(1, was), 0))
}

// checkLimits returns a *RequestError if a limit that the policy changes is of somebody who
// is neither in the logs nor in the tree: it would change nothing.
func (s *Study) checkLimits(p *Policy) error {
	for _, c := range p.Site.Changes {
		if !strings.Contains(c.Name, ".max_run") {
			continue
		}
		for kind, name := range pbs.LimitedNames(c.Value) {
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

// names returns the users (u), groups (g) or projects (p) of the jobs.
func (s *Study) names(kind byte) map[string]bool {
	names := map[string]bool{}
	for _, j := range s.Work.Jobs {
		number := map[byte]int32{'u': j.User, 'g': j.Group, 'p': j.Project}[kind]
		names[s.Work.Trace.Names.List[number]] = true
	}
	return names
}

// lacks returns the consumables of the cluster that the vnodes which the policy adds do not
// have, so that jobs that ask for them do not run there.
func (own *setup) lacks() []string {
	var lacks []string
	added := own.cluster.Added()
	for i, name := range own.cluster.Consumables {
		if len(added) > 0 && !slices.ContainsFunc(added, func(v cluster.Vnode) bool { return v.Amounts[i] > 0 }) {
			lacks = append(lacks, name)
		}
	}
	return lacks
}
