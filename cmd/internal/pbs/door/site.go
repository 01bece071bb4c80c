// Package door is PBS behind the front door: it finds sites of PBS, and answers what commands ask of one.
package door

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/qstat"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/trace"
)

// Scheduler returns PBS.
func Scheduler() *site.Scheduler {
	return &site.Scheduler{
		Name: "PBS", Key: "pbs", Formats: []trace.Format{qstat.Records()}, Find: find, Loose: findLogs, Owns: owns, TakesLists: true, LooksLikeJob: joblist.LooksLikeID, Here: snapshot.Here,
		Claims: func(n site.Names, in *site.Input) bool {
			return n.WantsConf && (pbssite.IsPart(n.Argument, in) || pbssite.IsPart(n.Snapshot, in))
		},
		Instead: map[string]string{
			"priority": "its jobs have no priority that is a sum of terms; formula sort SITE shows what its formula makes of each, and formula explain JOB SITE why",
		},
	}
}

// Site is a PBS site.
type Site struct {
	Place *pbssite.Place // nil where logs alone are named
	names site.Names
	to    *site.Console

	isOfSome atomic.Bool // whether ranks are of jobs that may not be all, which is said
	isJudged atomic.Bool // whether a cycle was gone through
	tries    atomic.Bool // whether files ask for what the site is not

	named *pbssite.Logs // that are, nil where they were not looked for

	logs *pbssite.Logs // from which the last forecast has learned, nil for none
	read *trace.Trace  // what it has read of them

	last atomic.Pointer[pass] // the last cycle right now, nil for none: what is to be said of one is said once
}

// find returns the PBS site that names lead to.
func find(ctx context.Context, names site.Names, to *site.Console) (any, error) {
	if len(names.Logs) > 0 {
		if !hasSnapshot(names.Logs, to.Input) {
			return nil, &site.NothingError{Err: snapshot.ErrNoPBS}
		}
		return findLogs(names, to)
	}
	p, remarks, err := pbssite.Find(ctx, names, to.Input)
	to.Say(remarks...)
	var none *snapshot.Error
	switch {
	case errors.As(err, &none) && none.IsEmpty:
		return nil, &site.NothingError{Err: err, Lacks: none.Detail}
	case errors.As(err, &none) || errors.Is(err, snapshot.ErrNoPBS):
		return nil, &site.NothingError{Err: err}
	case err != nil:
		return nil, err
	}
	return &Site{Place: p, names: names, to: to}, nil
}

// owns reports whether a place has something of PBS: a snapshot, accounting logs or a list of jobs.
func owns(t *file.Tree) bool {
	if t.FS == nil {
		return trace.IsLog(t.First) || qstat.IsTable(t.First) || qstat.Check(t.First, "", true) == nil
	}
	if _, err := snapshot.In(t); err == nil {
		return true
	}
	return snapshot.HasLog(t)
}

// hasSnapshot reports whether one of some names is a snapshot.
func hasSnapshot(names []string, in *site.Input) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		t, err := in.Tree(name, "")
		if err != nil {
			return false
		}
		snap, err := snapshot.In(t)
		return err == nil && !snap.IsFile()
	})
}

// findLogs returns a site of which the logs alone are named, which are looked for when somebody asks.
func findLogs(names site.Names, to *site.Console) (any, error) {
	return &Site{names: names, to: to}, nil
}

// Logs returns the logs that are named, which are looked for once.
func (s *Site) Logs() (*pbssite.Logs, error) {
	if s.named != nil {
		return s.named, nil
	}
	logs, remarks, err := pbssite.FindLogs(s.names.Logs, s.names.Zone, s.to.Input)
	s.to.Say(remarks...)
	s.named = logs
	return logs, err
}

// AsItIs returns the site as files tell of it, with what they ask.
func (s *Site) AsItIs() (*pbs.Site, error) { return s.asTried(nil, pbssite.WhatIfReplayed) }

// asTried returns the site with what files and settings ask, which one of the functions of package site makes.
func (s *Site) asTried(settings []string, change func(*pbs.Site, []string) (*pbs.Site, []diag.Remark, error)) (*pbs.Site, error) {
	at, err := s.asTold()
	if err != nil {
		return at, err
	}
	at, remarks, err := change(at, settings)
	s.to.Say(remarks...)
	return at, err
}

// asTold returns the site as files tell of it, of which With makes what they ask.
func (s *Site) asTold() (*pbs.Site, error) {
	at, remarks, err := s.Place.Site()
	s.to.Say(remarks...)
	if err == nil && len(at.Asked) > 0 {
		s.tries.Store(true)
	}
	return at, err
}

// Tries implements site.Trier.
func (s *Site) Tries() bool { return s.tries.Load() }

// under returns the site under a policy. Where the order goes by a cycle right now, it depends on all that the cycle does.
func (s *Site) under(p site.Policy) (*pbs.Site, error) { return s.changed(p, s.whatIf(p)) }

// whatIf returns what makes the settings of a policy.
func (s *Site) whatIf(p site.Policy) func(*pbs.Site, []string) (*pbs.Site, []diag.Remark, error) {
	if s.hasCycle(p) {
		return pbssite.WhatIfReplayed
	}
	return pbssite.WhatIf
}

// changed returns the site under a policy whose settings one of the functions of package site makes.
func (s *Site) changed(p site.Policy, change func(*pbs.Site, []string) (*pbs.Site, []diag.Remark, error)) (*pbs.Site, error) {
	at, err := s.before(p)
	if err != nil {
		return nil, err
	}
	changed, remarks, err := change(at, p.Settings)
	s.to.Say(remarks...)
	if err == nil && pbs.GivesFormula(p.Settings) {
		s.to.Say(order.Traps(changed)...)
	}
	return changed, err
}

// before returns the site under a policy without its settings.
func (s *Site) before(p site.Policy) (*pbs.Site, error) {
	at, err := s.asTold()
	if err != nil {
		return nil, err
	}
	return s.put(at, p)
}

// put returns a site under a policy without its settings.
func (s *Site) put(at *pbs.Site, p site.Policy) (*pbs.Site, error) {
	s.apply(p, at)
	if pbs.SetsFormula(p.Settings) && (p.Formula != "" || p.NoFormula) {
		return nil, pbssite.ErrTwoFormulas
	}
	if p.NoFormula {
		return at.WithFormula(""), nil
	}
	err := s.setFormula(at, p.Formula, p.Settings)
	if err == nil && p.Formula != "" {
		s.to.Say(order.Traps(at)...)
	}
	if errors.Is(err, pbssite.ErrUnknownFormula) && len(s.Place.Jobs) > 0 { // what is no list needs none
		var none *qstat.NoListError
		list, wrong := s.List("", order.CheckOptions("", at))
		switch {
		case errors.As(wrong, &none):
			return nil, wrong
		case wrong == nil && list.Len() == 0: // perhaps it is no list of PBS at all
			return nil, diag.Requestf("there is no job in %s: it counts as a list of PBS, which needs a formula (-f FORMULA or --no-formula); what Slurm and flux print is known by its header or its begin", s.Place.Jobs[0].Name)
		}
	}
	return at, err
}

// SetFormula sets the formula of a site to the one given, or for "" to the one in force.
func (s *Site) SetFormula(at *pbs.Site, given string) error { return s.setFormula(at, given, nil) }

// setFormula does what SetFormula does before some settings.
func (s *Site) setFormula(at *pbs.Site, given string, settings []string) error {
	remarks, err := pbssite.SetFormula(at, given, settings)
	s.to.Say(remarks...)
	return err
}

// UnderThreshold says how many jobs that wait are kept by the threshold of a site whose formula is the one in force or, if isTried, another
// one. Whatever else is wrong is told by who reads the list for the answer.
func (s *Site) UnderThreshold(at *pbs.Site, isTried bool, format string) []diag.Remark {
	if !at.Sched.HasThreshold() {
		return nil
	}
	ordered, err := s.quiet().values(at, format)
	if err != nil {
		return nil
	}
	var inForce *order.Order
	if isTried {
		inForce = s.quiet().valuesInForce(format)
	}
	return ordered.SayUnder(inForce)
}

// valuesInForce returns the order of the list under the formula in force, nil if there is none.
func (s *Site) valuesInForce(format string) *order.Order {
	at, err := s.AsItIs()
	if err != nil || s.SetFormula(at, "") != nil || at.Sched.Formula == "" {
		return nil
	}
	ordered, err := s.values(at, format)
	if err != nil {
		return nil
	}
	return ordered
}

// values returns the order of the list at a site, by the usage that the tree has.
func (s *Site) values(at *pbs.Site, format string) (*order.Order, error) {
	plan, err := s.planWith(at, order.Options{Static: true})
	if err != nil {
		return nil, err
	}
	o := order.ListOptions(plan)
	o.Format = qstat.Format(format)
	list, _, err := s.Place.List(o)
	if err != nil {
		return nil, err
	}
	ordered, _, err := plan.Order(list)
	return ordered, err
}

// apply sets what of a policy no file says, and what depends on the time of the place.
func (s *Site) apply(p site.Policy, at *pbs.Site) {
	s.to.Say(s.Place.SetTime(at, p.NonPrime)...)
	if p.Threshold != nil {
		at.SetThreshold(*p.Threshold)
	}
}

// planOptions returns how a policy plans an order.
func (s *Site) planOptions(p site.Policy) order.Options {
	o := order.Options{Static: p.Static, AllStart: p.AllStart, Workers: p.Workers}
	if !s.Place.Taken.IsZero() {
		o.Now = s.Place.Taken.Unix()
	}
	return o
}

// plan returns the plan for a site under a policy.
func (s *Site) plan(at *pbs.Site, p site.Policy) (*order.Plan, error) {
	return s.planWith(at, s.planOptions(p))
}

// planNow returns the plan for a site under a policy, in whose order those jobs add to usage which a cycle right now
// starts or plans, where it is known on which vnodes.
func (s *Site) planNow(ctx context.Context, at *pbs.Site, p site.Policy) (*order.Plan, error) {
	options := s.planOptions(p)
	var err error
	if options.Judge, err = s.fates(ctx, p); err != nil {
		return nil, err
	}
	return s.planWith(at, options)
}

// planTold is planNow for answers that can do without the values of jobs: it fails where nothing tells the priorities of queues, but of a
// site with other settings, of which nothing else is answered.
func (s *Site) planTold(ctx context.Context, at *pbs.Site, p site.Policy) (*order.Plan, error) {
	plan, err := s.quiet().planWith(at, s.planOptions(p))
	if err == nil {
		err = plan.Untold(len(p.Settings) > 0)
	}
	if err != nil {
		return nil, err
	}
	return s.planNow(ctx, at, p)
}

func (s *Site) planWith(at *pbs.Site, o order.Options) (*order.Plan, error) {
	plan, remarks, err := order.NewPlan(at, o)
	if err == nil {
		err = plan.Untold(true)
	}
	if err != nil {
		return nil, err
	}
	s.to.Say(remarks...)
	return plan, nil
}

// ordered returns the order of the jobs under a policy, with what PBS says of each.
func (s *Site) ordered(ctx context.Context, p site.Policy) (*order.Order, error) {
	at, err := s.under(p)
	if err != nil {
		return nil, err
	}
	plan, err := s.planTold(ctx, at, p)
	if err != nil {
		return nil, err
	}
	o := order.ListOptions(plan)
	o.Comments = true
	return s.planned(plan, p, o)
}

// planned returns the order of the jobs under a plan, of a list that is read with some options.
func (s *Site) planned(plan *order.Plan, p site.Policy, o joblist.Options) (*order.Order, error) {
	list, err := s.List(p.Format, o)
	if err != nil {
		return nil, err
	}
	return s.orderOf(plan, list)
}

// orderOf returns the order of a list under a plan.
func (s *Site) orderOf(plan *order.Plan, list *joblist.List) (*order.Order, error) {
	s.sayUnseen(plan.Site, list)
	o, remarks, err := plan.Order(list)
	s.to.Say(remarks...)
	return o, err
}

// sayUnseen says of which jobs ranks are, once.
func (s *Site) sayUnseen(at *pbs.Site, list *joblist.List) {
	if list.IsCut() { // as its remarks say
		s.isOfSome.Store(true)
	}
	if !s.isOfSome.Load() { // to find it out takes the whole list of vnodes
		s.sayOf(s.unseenOf(at, list))
	}
}

// sayOf says of which jobs ranks are that may not be all, once.
func (s *Site) sayOf(u pbssite.Unseen) {
	s.to.Say(u.OtherMoment()...)
	if of := u.Remarks(); len(of) > 0 && !s.isOfSome.Swap(true) {
		s.to.Say(of...)
	}
}

// unseenOf returns what is known of jobs that a list does not have.
func (s *Site) unseenOf(at *pbs.Site, list *joblist.List) pbssite.Unseen {
	return s.Place.Unseen(at, func(yield func(pbssite.ListedJob) bool) {
		for row := range list.Len() {
			if j := list.Job(row); !yield(pbssite.ListedJob{ID: j.ID, User: list.Users.List[j.User], Queue: list.Queues.List[j.Queue], State: j.State}) {
				return
			}
		}
	})
}

// List reads the jobs, and shows how far it is.
func (s *Site) List(format string, o joblist.Options) (*joblist.List, error) {
	shown := s.to.Reads()
	o.Format, o.Progress = qstat.Format(format), shown.Read
	list, remarks, err := s.Place.List(o)
	shown.End()
	s.to.Say(remarks...)
	if err != nil {
		return nil, err
	}
	s.Place.DateSuspended(list)
	return list, nil
}

// checkChoice returns a *diag.RequestError for a choice of users or queues of which the site has none, and says what else is
// chosen that no job of a list has: of a queue that the site has, that it has no job.
func (s *Site) checkChoice(c site.Choice, list *joblist.List, at *pbs.Site) error {
	remarks, err := diag.CheckNames("user", c.Users, order.Users(list, at))
	s.to.Say(remarks...)
	if err != nil {
		return err
	}
	called, there := at.PlaceNames()
	there = append(there, list.Queues.List...)
	slices.Sort(there)
	there = slices.Compact(there)
	remarks, err = diag.CheckNames(called, c.Queues, there)
	s.to.Say(remarks...)
	for _, name := range c.Queues {
		if slices.Contains(there, name) && !slices.Contains(list.Queues.List, name) {
			s.to.Say(diag.Warningf("no job matches: queue %s has none in the list", name))
		}
	}
	return err
}

// KeepList keeps a list of jobs that is no part of a snapshot, since it may be readable once.
func (s *Site) KeepList() error {
	p := s.Place
	if len(p.Jobs) != 1 || p.Jobs[0].Member != "" {
		return nil
	}
	text, err := p.Jobs[0].Text(file.MostPrinted)
	p.Jobs[0].Open = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	return err
}
