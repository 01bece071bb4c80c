package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync"

	"golang.org/x/term"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/joblist"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/qstat"
)

// formulaFlags name the formula to work on.
type formulaFlags struct {
	Formula string `short:"f" placeholder:"FORMULA" xor:"formula" help:"The formula; else the one in force."`
	File    string `short:"F" placeholder:"FILE" xor:"formula" help:"Read the formula from FILE, - for standard input."`
}

// read returns the formula that the flags name, "" if they name none.
func (f *formulaFlags) read(s *session) (string, error) {
	if f.File == "" {
		return f.Formula, nil
	}
	from := s.source(f.File, "the formula")
	text, err := pbs.ReadFormula(from)
	if err != nil {
		return "", s.failed(err)
	}
	if text == "" {
		return "", fail(exitUsage, "%s has no formula", from.Name)
	}
	return text, nil
}

// errUnknownFormula is for a site of which nothing says which formula is in force.
var errUnknownFormula = errors.New("no formula: give -f FORMULA, -F FILE, a snapshot or a --sched that tells which is in force, or --no-formula")

// errNoFormula is for commands that take the formula from no other place.
var errNoFormula = fail(exitUsage, "no formula: give -f FORMULA or -F FILE")

// privFlag names the sched_priv.
type privFlag struct {
	SchedPriv string `placeholder:"DIR" help:"The scheduler's sched_priv, any copy: fairshare tree and settings."`
}

// policyFlags are settings of the scheduler that no file says or that are to be
// tried.
type policyFlags struct {
	Threshold *float64 `placeholder:"X" help:"job_sort_formula_threshold: jobs whose value is at or below it are not considered."`
	NoFormula bool     `help:"Sort without a formula, by the other keys alone."`
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

// readSite reads the site of a place, and says where it comes from and what it
// lacks.
func (s *session) readSite(p *place) (*pbs.Site, error) {
	p.say(s)
	site, remarks, err := p.files.Read()
	if err != nil {
		return nil, s.failed(err)
	}
	s.say(remarks...)
	p.sayOfSite(s, site)
	return site, nil
}

// apply sets what the flags say about a site.
func (c *policyFlags) apply(site *pbs.Site) {
	site.NonPrime = c.NonPrime
	if c.Threshold != nil {
		site.Sched.Threshold = *c.Threshold
	}
}

// whatIf returns a site with the changes that --set asks for.
func (c *policyFlags) whatIf(s *session, site *pbs.Site) (*pbs.Site, error) {
	changed, err := site.With(c.Set)
	if err != nil {
		return nil, fail(exitUsage, "--set %w", err)
	}
	for _, change := range changed.Changes {
		s.diag.Note("what if: %v", change)
	}
	return changed, nil
}

// setFormula sets the formula of a site to the one given, or to the one in force.
func (c *policyFlags) setFormula(s *session, site *pbs.Site, given string) error {
	if c.NoFormula {
		if given != "" {
			return fail(exitUsage, "--no-formula cannot be combined with -f or -F")
		}
		site.Sched.Formula = ""
		return nil
	}
	remarks, isKnown, err := site.SetFormula(given)
	if err != nil {
		return failure{exitUnreadable, err}
	}
	s.say(remarks...)
	if !isKnown {
		return failure{exitUsage, errUnknownFormula}
	}
	if site.Sched.Formula == "" {
		s.diag.Note("no job_sort_formula is set: the other keys order the jobs")
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
	if err := c.check(); err != nil {
		return nil, err
	}
	p, err := c.find(s, argument, orderParts(c.SchedPriv)...)
	if err != nil {
		return nil, err
	}
	site, err := c.siteOf(s, p)
	if err != nil {
		return nil, err
	}
	plan, err := c.plan(s, site)
	if err != nil {
		return nil, err
	}
	list, err := c.readList(s, p, keepRecords, plan)
	if err != nil {
		return nil, err
	}
	return makeOrder(s, plan, list)
}

// siteOf returns the site of a place with what the flags say of it.
func (c *queueFlags) siteOf(s *session, p *place) (*pbs.Site, error) {
	given, err := c.read(s)
	if err != nil {
		return nil, err
	}
	if c.SchedPriv != "" {
		p.files.SchedPriv = file.DirAt(c.SchedPriv)
	}
	site, err := s.readSite(p)
	if err != nil {
		return nil, err
	}
	c.apply(site)
	if err := c.setFormula(s, site, given); err != nil {
		return nil, err
	}
	return c.whatIf(s, site)
}

// readList reads the job list of a place for plans of one site.
func (c *placeFlags) readList(s *session, p *place, keepRecords bool, plans ...*order.Plan) (*joblist.List, error) {
	o := order.ListOptions(plans...)
	o.KeepRecords, o.Groups = keepRecords, len(plans) > 1 // several plans are compared, also by group
	return c.readListWith(s, p, o)
}

// readListWith reads the job list of a place: the best one, or where that is damaged
// or has no job the one with the most jobs.
func (c *placeFlags) readListWith(s *session, p *place, o joblist.Options) (*joblist.List, error) {
	o.Format = qstat.Format(c.From)
	var best *joblist.List
	var at int
	var failed error
	for i, from := range p.jobs {
		list, err := readOne(s, from, o)
		switch {
		case err != nil && len(p.jobs) == 1:
			return nil, err
		case err != nil:
			s.say(diag.Damagef("%v", err))
			failed = err
			continue
		}
		s.say(list.Remarks(from.Name)...)
		if best == nil || list.Len() > best.Len() {
			best, at = list, i
		}
		if list.Len() > 0 && len(list.Problems) == 0 {
			break
		}
	}
	if best == nil {
		return nil, failed
	}
	if at > 0 {
		s.diag.Note("the job list is %s", p.jobs[at].Name)
	}
	return best, nil
}

// readOne reads a list, and shows on a terminal how far it is.
func readOne(s *session, from file.Source, o joblist.Options) (*joblist.List, error) {
	shown := newProgress(s)
	o.Progress = shown.read
	in, err := from.Open()
	if err != nil {
		return nil, s.failed(err)
	}
	defer in.Close()
	list, err := joblist.Read(in, o)
	shown.end()
	if err != nil {
		return nil, unreadable(from.Name, err)
	}
	return list, nil
}

// makeOrder returns the order of a list of jobs.
func makeOrder(s *session, p *order.Plan, list *joblist.List) (*order.Order, error) {
	o, remarks, err := p.Order(list)
	s.say(remarks...)
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

// part is told how many of all steps of something long are done.
func (p *progress) part(done, all int) {
	if percent := 100 * done / max(1, all); p.terminal != nil && percent > p.shown {
		p.shown = percent
		fmt.Fprintf(p.terminal, "\rformula: %d %% done", percent)
	}
}

// steps returns a function that several goroutines may tell how much of something is done.
func (p *progress) steps() func(part, all float64) {
	var mutex sync.Mutex
	const steps = 1000
	return func(part, all float64) {
		mutex.Lock()
		defer mutex.Unlock()
		p.part(int(part*steps), int(all*steps))
	}
}

// end takes the line of progress away.
func (p *progress) end() {
	if p.shown > 0 {
		fmt.Fprint(p.terminal, "\r\x1b[K")
	}
}
