package main

import (
	"fmt"
	"math"
	"os"

	"golang.org/x/term"

	"fairshare/cmd/internal/jobs"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/queue"
)

// formulaFlags name the formula to work on.
type formulaFlags struct {
	Formula string `short:"f" placeholder:"FORMULA" xor:"formula" help:"The formula."`
	File    string `short:"F" placeholder:"FILE" xor:"formula" help:"Read the formula from FILE."`
}

// read returns the formula that the flags name, "" if they name none.
func (f *formulaFlags) read() (string, error) {
	if f.File == "" {
		return f.Formula, nil
	}
	text, err := pbs.ReadFormula(f.File)
	if err != nil {
		return "", failure{exitUnreadable, err}
	}
	if text == "" {
		return "", fail(exitUsage, "%s has no formula", f.File)
	}
	return text, nil
}

// errNoFormula is for commands that take the formula from no other place.
var errNoFormula = fail(exitUsage, "no formula: give -f FORMULA or -F FILE")

// siteFlags say what is known of the scheduler whose order is wanted, but for
// its sched_priv.
type siteFlags struct {
	Queues    string   `placeholder:"FILE" help:"Queues, as qstat -Qf prints them (text or JSON)."`
	Resources string   `placeholder:"FILE" help:"The site's own resources, as qmgr -c 'list resource' prints them."`
	Sched     string   `placeholder:"FILE" help:"The scheduler's attributes, as qmgr -c 'print sched' prints them: formula, threshold, preemption."`
	Threshold *float64 `placeholder:"X" help:"job_sort_formula_threshold: jobs whose value is at or below it are not considered."`
	NoFormula bool     `help:"Sort without a formula, by the other keys alone."`
	Static    bool     `help:"Assume that no job starts, so that nobody's usage grows."`
	NonPrime  bool     `help:"Use the settings for non-prime time."`
	Workers   int      `hidden:"" name:"workers" help:"Parse and evaluate with this many workers."`
}

// privFlag names the sched_priv.
type privFlag struct {
	SchedPriv string `placeholder:"DIR" help:"The scheduler's sched_priv, any copy: fairshare tree and settings."`
}

// listFlags are about the job list on standard input.
type listFlags struct {
	From string `enum:"auto,json,text,dsv,csv,jsonl" default:"auto" placeholder:"FORMAT" help:"How the job list is written (${enum})."`
}

// site returns the site that the flags describe, with a sched_priv or "".
func (c *siteFlags) site(s *session, schedPriv string) (*pbs.Site, error) {
	if c.Workers < 0 {
		return nil, fail(exitUsage, "--workers needs a number that is not negative")
	}
	if c.Threshold != nil && math.IsNaN(*c.Threshold) {
		return nil, fail(exitUsage, "--threshold needs a number")
	}
	site, remarks, err := pbs.Files{SchedPriv: schedPriv, Queues: c.Queues, Resources: c.Resources, Sched: c.Sched}.Read()
	if err != nil {
		return nil, failure{exitUnreadable, err}
	}
	s.diag.Say(remarks...)
	site.NonPrime = c.NonPrime
	if c.Threshold != nil {
		site.Sched.Threshold = *c.Threshold
	}
	return site, nil
}

// setFormula sets the formula of a site to the one given, to the one in force or
// to the one that the server left in sched_priv.
func (c *siteFlags) setFormula(s *session, site *pbs.Site, given string) error {
	if c.NoFormula {
		site.Sched.Formula = ""
		return nil
	}
	path, err := site.SetFormula(given)
	if err != nil {
		return failure{exitUnreadable, err}
	}
	if path != "" {
		s.diag.Note("the formula is the one in %s: %s", path, site.Sched.Formula)
	}
	if site.Sched.Formula != "" {
		return nil
	}
	return fail(exitUsage, "no formula: give -f FORMULA, -F FILE, a --sched that has one, or --no-formula")
}

// plan returns the plan for a site.
func (c *siteFlags) plan(s *session, site *pbs.Site) (*order.Plan, error) {
	p, remarks, err := order.NewPlan(site, order.Options{Static: c.Static, Workers: c.Workers})
	if err != nil {
		return nil, err
	}
	s.diag.Say(remarks...)
	return p, nil
}

// planFor returns the plan that all the flags of a command describe.
func planFor(s *session, c *siteFlags, schedPriv string, f *formulaFlags) (*order.Plan, error) {
	site, err := c.site(s, schedPriv)
	if err != nil {
		return nil, err
	}
	given, err := f.read()
	if err != nil {
		return nil, err
	}
	if err := c.setFormula(s, site, given); err != nil {
		return nil, err
	}
	return c.plan(s, site)
}

// readList reads the job list on standard input for plans of one site.
func (c *listFlags) readList(s *session, keepRecords bool, plans ...*order.Plan) (*queue.List, error) {
	const name = "standard input"
	o := order.ListOptions(plans...)
	o.Format, o.KeepRecords = jobs.Format(c.From), keepRecords
	p := newProgress(s)
	o.Progress = p.read
	list, err := queue.Read(s.in, o)
	p.end()
	if err != nil {
		return nil, unreadable(name, err)
	}
	s.diag.Say(list.Remarks(name)...)
	s.partly = s.partly || len(list.Problems) > 0
	return list, nil
}

// makeOrder returns the order of a list of jobs.
func makeOrder(s *session, p *order.Plan, list *queue.List) (*order.Order, error) {
	o, remarks, err := p.Order(list)
	s.diag.Say(remarks...)
	return o, err
}

// progress shows on standard error how much of a long input has been read, if
// that is a terminal.
type progress struct {
	terminal     *os.File // nil if nobody would see it
	total, shown int
}

func newProgress(s *session) *progress {
	p := &progress{}
	if stderr, ok := s.diag.W.(*os.File); ok && term.IsTerminal(int(stderr.Fd())) {
		p.terminal = stderr
	}
	return p
}

// read is told how many bytes more have been read.
func (p *progress) read(n int) {
	const step = 64 << 20
	if p.total += n; p.terminal != nil && p.total-p.shown >= step {
		p.shown = p.total
		fmt.Fprintf(p.terminal, "\rformula: read %d MB", p.total>>20)
	}
}

// end takes the line of progress away.
func (p *progress) end() {
	if p.shown > 0 {
		fmt.Fprint(p.terminal, "\r\x1b[K")
	}
}
