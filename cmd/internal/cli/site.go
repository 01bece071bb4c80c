package cli

import (
	"math"
	"time"

	"fairshare/cmd/internal/joblist"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbssite"
	"fairshare/cmd/internal/qstat"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurmsite"
)

// siteFlags name a site in one place.
type siteFlags struct {
	Snapshot string        `placeholder:"SITE" help:"A site in one place: what pbs_snapshot writes (.tgz or directory), a sched_priv, or a directory of recorded files."`
	Live     bool          `help:"Ask the PBS or Slurm site of this host."`
	Server   string        `placeholder:"NAME" help:"Ask this PBS server; implies --live."`
	Timeout  time.Duration `default:"30s" placeholder:"TIME" help:"How long each of PBS's commands may take (${default})."`
}

// names returns what the flags and the argument name.
func (c *siteFlags) names(argument string) site.Names {
	return site.Names{Argument: argument, Snapshot: c.Snapshot, Live: c.Live, Server: c.Server, Timeout: c.Timeout}
}

// isEmpty reports whether no site is named.
func (c *siteFlags) isEmpty() bool { return c.Snapshot == "" && !c.Live && c.Server == "" }

// placeFlags say where a site and its jobs are.
type placeFlags struct {
	siteFlags
	Jobs      string   `placeholder:"FILE" help:"The job list (- is standard input)."`
	From      string   `enum:"auto,json,text,dsv,csv,jsonl" default:"auto" placeholder:"FORMAT" help:"How the job list is written (${enum})."`
	Queues    string   `placeholder:"FILE" help:"Queues, as qstat -Qf prints them (text, JSON or DSV)."`
	Resources string   `placeholder:"FILE" help:"The site's own resources, as qmgr -c 'list resource' prints them."`
	Sched     []string `sep:"none" placeholder:"FILE" help:"Attributes of the server or the scheduler: qmgr's print or list of server or sched, or qstat -Bf. May be given more than once."`
}

// names returns what the flags and the argument name.
func (c *placeFlags) names(argument string) site.Names {
	n := c.siteFlags.names(argument)
	n.Jobs, n.Queues, n.Resources, n.Sched = c.Jobs, c.Queues, c.Resources, c.Sched
	return n
}

// find returns the place that names lead to, with a list of jobs where one is wanted.
func (s *session) find(names site.Names, wantsJobs bool) (*pbssite.Place, error) {
	p, remarks, err := pbssite.Find(s.ctx, names, s.in, wantsJobs)
	s.say(remarks...)
	if err != nil {
		return nil, s.failed(err)
	}
	if err := slurmsite.Alone(names.Argument); err != nil {
		return nil, failure{exitUsage, err}
	}
	return p, nil
}

// siteOf reads the site of a place, and says where it comes from and what it lacks.
func (s *session) siteOf(p *pbssite.Place) (*pbs.Site, error) {
	site, remarks, err := p.Site()
	s.say(remarks...)
	if err != nil {
		return nil, s.failed(err)
	}
	return site, nil
}

// formulaFlags name the formula to work on.
type formulaFlags struct {
	Formula string `short:"f" placeholder:"FORMULA" xor:"formula" help:"The formula. Without it: the one in force."`
	File    string `short:"F" placeholder:"FILE" xor:"formula" help:"Read the formula from FILE (- is standard input)."`
}

// read returns the formula that the flags name, "" if they name none.
func (f *formulaFlags) read(s *session) (string, error) {
	if f.File == "" {
		return f.Formula, nil
	}
	from := s.in.Source(f.File, "the formula")
	text, err := pbs.ReadFormula(from)
	if err != nil {
		return "", s.failed(err)
	}
	if text == "" {
		return "", fail(exitUsage, "%s has no formula", from.Name)
	}
	return text, nil
}

// errNoFormula is for commands that take the formula from no other place.
var errNoFormula = fail(exitUsage, "no formula: give -f FORMULA or -F FILE")

// privFlag names the sched_priv.
type privFlag struct {
	SchedPriv string `placeholder:"DIR" help:"The scheduler's sched_priv, or any copy of it: fairshare tree and settings."`
}

// policyFlags are settings of the scheduler that no file says or that are to be
// tried.
type policyFlags struct {
	Threshold *float64 `placeholder:"X" help:"job_sort_formula_threshold: jobs whose value is at or below it are not considered."`
	NoFormula bool     `help:"Sort without a formula: only the other keys order the jobs."`
	Static    bool     `help:"Assume that no job starts, so that nobody's usage grows."`
	NonPrime  bool     `help:"Use the settings for non-prime time."`
	Set       []string `sep:"none" placeholder:"NAME=VALUE" help:"What if: group1.shares=60, bob.usage=0, sched.fair_share=true, queue.highq.priority=200. May be given more than once."`
	Workers   int      `hidden:"" name:"workers" help:"Parse and evaluate with this many workers."`
}

// check returns what is wrong with the flags by themselves.
func (c *policyFlags) check() error {
	if c.Workers < 0 {
		return fail(exitUsage, "--workers needs a number that is not negative")
	}
	if c.Threshold != nil && math.IsNaN(*c.Threshold) {
		return fail(exitUsage, "--threshold needs a number")
	}
	return nil
}

// apply sets what the flags say about a site, and what depends on the time of its place.
func (c *policyFlags) apply(s *session, p *pbssite.Place, at *pbs.Site) {
	s.say(p.SetTime(at, c.NonPrime)...)
	if c.Threshold != nil {
		at.Sched.Threshold = *c.Threshold
	}
}

// whatIf returns a site with the changes that --set asks for.
func (c *policyFlags) whatIf(s *session, at *pbs.Site) (*pbs.Site, error) {
	changed, remarks, err := pbssite.WhatIf(at, c.Set)
	s.say(remarks...)
	return changed, err
}

// setFormula sets the formula of a site to the one given, or to the one in force.
func (c *policyFlags) setFormula(s *session, at *pbs.Site, given string) error {
	if c.NoFormula {
		if given != "" {
			return fail(exitUsage, "--no-formula cannot be combined with -f or -F")
		}
		at.Sched.Formula = ""
		return nil
	}
	remarks, err := pbssite.SetFormula(at, given)
	s.say(remarks...)
	if err != nil {
		return s.failed(err)
	}
	return nil
}

// plan returns the plan for a site.
func (c *policyFlags) plan(s *session, site *pbs.Site) (*order.Plan, error) {
	p, remarks, err := order.NewPlan(site, order.Options{Static: c.Static, Workers: c.Workers})
	if err != nil {
		return nil, err
	}
	s.say(remarks...)
	return p, nil
}

// queueFlags are those of a command that orders jobs by one formula.
type queueFlags struct {
	formulaFlags
	placeFlags
	privFlag
	policyFlags
}

// order returns the order of the jobs that the flags and the argument name. With
// keepRecords, the list keeps its records as they stand in the input.
func (c *queueFlags) order(s *session, argument string, keepRecords bool) (*order.Order, error) {
	p, _, plan, err := c.open(s, c.names(argument), true)
	if err != nil {
		return nil, err
	}
	list, err := c.readList(s, p, keepRecords, plan)
	if err != nil {
		return nil, err
	}
	return makeOrder(s, plan, list)
}

// open returns the place that names lead to, its site, and the plan for it.
func (c *queueFlags) open(s *session, names site.Names, wantsJobs bool) (*pbssite.Place, *pbs.Site, *order.Plan, error) {
	if err := c.check(); err != nil {
		return nil, nil, nil, err
	}
	p, err := s.find(names, wantsJobs)
	if err != nil {
		return nil, nil, nil, err
	}
	at, err := c.siteOf(s, p)
	if err != nil {
		return nil, nil, nil, err
	}
	plan, err := c.plan(s, at)
	return p, at, plan, err
}

// siteOf returns the site of a place with what the flags say of it.
func (c *queueFlags) siteOf(s *session, p *pbssite.Place) (*pbs.Site, error) {
	site, err := c.siteNow(s, p)
	if err != nil {
		return nil, err
	}
	return c.whatIf(s, site)
}

// siteNow returns what siteOf does without what --set changes.
func (c *queueFlags) siteNow(s *session, p *pbssite.Place) (*pbs.Site, error) {
	given, err := c.read(s)
	if err != nil {
		return nil, err
	}
	site, err := s.siteOf(p)
	if err != nil {
		return nil, err
	}
	c.apply(s, p, site)
	return site, c.setFormula(s, site, given)
}

// names returns what the flags and the argument name.
func (c *queueFlags) names(argument string) site.Names {
	n := c.placeFlags.names(argument)
	n.SchedPriv = c.SchedPriv
	return n
}

// readList reads the job list of a place for plans of one site.
func (c *placeFlags) readList(s *session, p *pbssite.Place, keepRecords bool, plans ...*order.Plan) (*joblist.List, error) {
	o := order.ListOptions(plans...)
	o.KeepRecords, o.Groups = keepRecords, o.Groups || len(plans) > 1 // several plans are compared, also by group
	return c.readListWith(s, p, o)
}

// readListWith reads the job list of a place, and shows on a terminal how far it is.
func (c *placeFlags) readListWith(s *session, p *pbssite.Place, o joblist.Options) (*joblist.List, error) {
	shown := newProgress(s)
	o.Format, o.Progress = qstat.Format(c.From), shown.read
	list, remarks, err := p.List(o)
	shown.end()
	s.say(remarks...)
	if err != nil {
		return nil, s.failed(err)
	}
	p.DateSuspended(list)
	return list, nil
}

// makeOrder returns the order of a list of jobs.
func makeOrder(s *session, p *order.Plan, list *joblist.List) (*order.Order, error) {
	o, remarks, err := p.Order(list)
	s.say(remarks...)
	return o, err
}
