package study

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs/accrual"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/replay"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
	"fairshare/usagefile"
)

// Study is a study of a PBS site.
type Study struct {
	study.Study
	Inputs  *Inputs // what it was made of
	Cluster *cluster.Cluster
	Options replay.Options // what does not depend on the policy
	InForce *Policy        // nil if it is not known which one is

	impossible map[*cluster.Cluster][]bool // by job, whether a cluster can never run it
}

// setup is a policy with all that it is replayed with and that its own settings decide.
type setup struct {
	*Policy
	study      *Study
	cluster    *cluster.Cluster
	impossible []bool
	world      *world.World        // what happens besides the jobs
	further    []replay.Further    // what is of the other schedulers
	begin      *usagefile.Database // usage at the begin of the logs, nil for that of the site's tree
	lastDecay  int64
}

// Use makes policies those of the study, and returns remarks on them. It is an error if one
// of them cannot be replayed on the study's work.
func (s *Study) Use(policies []*Policy) ([]diag.Remark, error) {
	var remarks []diag.Remark
	var ready []*study.Policy
	var err error
	if s.Options.Measure, err = s.measure(policies); err != nil {
		return nil, err
	}
	for _, p := range policies {
		own, more, err := s.newSetup(p)
		if err != nil {
			return remarks, placed(p.asked, err)
		}
		for _, r := range more {
			if !slices.Contains(remarks, r) {
				remarks = append(remarks, r)
			}
		}
		used := p.Policy
		if used.Runner = own; p.Site.HasOtherVnodes() {
			used.On = own.cluster.String()
		}
		ready = append(ready, &used)
	}
	s.Policies = ready
	return remarks, nil
}

// Used returns the policies of the study.
func (s *Study) Used() []*Policy {
	var policies []*Policy
	for _, p := range s.Policies {
		policies = append(policies, p.Runner.(*setup).Policy)
	}
	return policies
}

// newSetup returns a policy with its own cluster and its own usage at the begin of the logs,
// and remarks on it.
func (s *Study) newSetup(p *Policy) (*setup, []diag.Remark, error) {
	var remarks []diag.Remark
	nodes, _, err := s.Inputs.cluster(p.Site)
	if err != nil {
		return nil, nil, err
	}
	own := &setup{Policy: p, study: s, cluster: nodes, lastDecay: s.Inputs.lastDecay(p.Site)}
	if _, isKnown := s.impossible[nodes]; !isKnown {
		s.impossible[nodes], _ = nodes.Impossible(s.Work)
	}
	own.impossible = s.impossible[nodes]
	if lacks := nodes.AddedLack(); len(lacks) > 0 {
		remarks = append(remarks, diag.Warningf("nodes.added have no %s: jobs that ask for it do not run there", strings.Join(lacks, ", ")))
	}
	if p.Site.Walltime != nil {
		remarks = append(remarks, s.asking(p))
	}
	var jobs []*trace.Job
	for _, j := range s.Work.Jobs {
		jobs = append(jobs, j.Job)
	}
	if err := replay.CheckLimits(p.Site, s.Work.Trace.Names, jobs); err != nil {
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
	for _, plan := range p.Plan.Others {
		f, more, err := s.further(plan, own.world)
		if remarks = append(remarks, more...); err != nil {
			return nil, remarks, err
		}
		own.further = append(own.further, f)
	}
	return own, append(remarks, replay.IdleChanges(p.Site, own.world)...), nil
}

// further returns what the replay of another scheduler of the site begins with, and remarks on it.
func (s *Study) further(plan *order.Plan, happens *world.World) (f replay.Further, remarks []diag.Remark, err error) {
	given := s.Inputs.Usage // that of the default one
	s.Inputs.Usage = nil
	defer func() { s.Inputs.Usage = given }()
	of := &Policy{Site: plan.Site, Plan: plan}
	if f.Begin, remarks, err = s.begin(of); err != nil {
		return f, remarks, err
	}
	own, _, err := s.Inputs.world(plan.Site, s.Cluster)
	if err != nil {
		return f, remarks, err
	}
	changed := *happens
	changed.Hours, f.World, f.LastDecay = own.Hours, &changed, s.Inputs.lastDecay(plan.Site)
	for i := range remarks {
		remarks[i].Text = "scheduler " + plan.Site.Scheduler.Name + ": " + remarks[i].Text
	}
	return f, remarks, nil
}

// Run replays work under a policy.
func (own *setup) Run(ctx context.Context, w *work.Work, ask outcome.Ask, progress func(part float64)) (*outcome.Result, error) {
	if walltime := own.Site.Walltime; walltime != nil {
		w, _ = w.Asking(walltime)
	}
	o := own.options()
	o.Ask = ask
	if all := o.Own; all != nil {
		o.Own = make([]float64, len(w.Jobs))
		for i := range o.Own {
			o.Own[i] = all[w.Origin(i)]
		}
	}
	o.Progress = func(done, jobs int) { progress(float64(done) / float64(max(1, jobs))) }
	return replay.Run(ctx, w, own.Plan, own.cluster, o)
}

// options returns those of replays under the policy, but for what is asked of them.
func (own *setup) options() replay.Options {
	o := own.study.Options
	o.World, o.Begin, o.LastDecay, o.Further = own.world, own.begin, own.lastDecay, own.further
	return o
}

// Decide asks the rules of the study's first policy about each recorded start.
func (s *Study) Decide(ctx context.Context, yield func(*replay.Decision)) error {
	own := s.Policies[0].Runner.(*setup)
	o := own.options()
	happens := *o.World
	happens.Vnodes = world.Merge(happens.Vnodes, s.Inputs.kept(s.Work.Trace))
	o.World = &happens
	if s.Progress != nil {
		o.Progress = func(done, all int) { s.Progress(float64(done), float64(all)) }
	}
	return replay.Decide(ctx, s.Work, own.Plan, own.cluster, o, yield)
}

// Impossible reports which jobs the policy's cluster can never run.
func (own *setup) Impossible() []bool { return own.impossible }

// CPUs returns how many cpus the policy's cluster has.
func (own *setup) CPUs() float64 { return own.cluster.Total("ncpus") }

// UsesSamples reports whether replays take reports of use to be as old as mom makes them, and not of one age.
func (s *Study) UsesSamples() bool { return s.Options.IsSampled && s.Cluster.HasOneMom() }

// how returns a clause that says how replays are made.
func (s *Study) how() string {
	o := s.Options
	text := fmt.Sprintf("starts are logged %.1f s after their cycle", o.Latency.First)
	if o.Latency.Most > 0 {
		text += fmt.Sprintf(" and up to %.1f s later with many jobs waiting", o.Latency.Most)
	}
	if o.Own != nil {
		text += ", each as the log shows it"
	}
	if s.UsesSamples() {
		return text + "; use is known as of the times at which one mom reports it"
	}
	return text + fmt.Sprintf("; reports of use are %.0f s old", o.Lag)
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
