package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/cycle"
	"fairshare/cmd/internal/jobs"
	"fairshare/cmd/internal/qmgr"
	"fairshare/cmd/internal/schedpriv"
	"fairshare/formula"
)

// siteFlags say what is known of the scheduler whose order is wanted.
type siteFlags struct {
	SchedPriv string   `placeholder:"DIR" help:"The scheduler's sched_priv, any copy: fairshare tree and settings."`
	Queues    string   `placeholder:"FILE" help:"Queues, as qstat -Qf prints them (text or JSON)."`
	Resources string   `placeholder:"FILE" help:"The site's own resources, as qmgr -c 'list resource' prints them."`
	Sched     string   `placeholder:"FILE" help:"As qmgr -c 'print sched' prints it: formula, threshold, preemption."`
	Threshold *float64 `placeholder:"X" help:"job_sort_formula_threshold: values at or below are not considered."`
	NoFormula bool     `help:"There is no formula: other keys decide."`
	Static    bool     `help:"No job starts, so that nobody's usage grows."`
	NonPrime  bool     `help:"Use the settings for non-prime time."`
	Workers   int      `hidden:"" name:"workers" help:"Parse and evaluate with this many workers."`
}

// maxSiteFile bounds what qmgr and qstat -Q print.
const maxSiteFile = 64 << 20

// plan gathers the settings. flags is the formula that the command line
// names.
func (s *session) plan(c *siteFlags, flags *formulaFlags) (*plan, error) {
	if c.Workers < 0 {
		return nil, fail(exitUsage, "--workers needs a number that is not negative")
	}
	p := &plan{threshold: defaultThreshold, preempt: qmgr.DefaultPreemptQueuePrio, static: c.Static, workers: c.Workers, symbols: symbols}
	var err error
	if p.symbols, err = s.siteSymbols(c.Resources); err != nil {
		return nil, err
	}
	var sched qmgr.Sched
	if c.Sched != "" {
		text, err := readLimited(c.Sched, maxSiteFile)
		if err != nil {
			return nil, err
		}
		var problems []qmgr.Problem
		sched, problems = qmgr.ParseSched(text)
		for _, problem := range problems {
			s.diag.Warning("%s: %v", c.Sched, problem)
		}
		p.preempt, p.preemptFS = sched.PreemptQueuePrio, sched.PreemptsFairshare()
		if sched.Threshold != nil {
			p.threshold = *sched.Threshold
		}
	}
	if c.Threshold != nil {
		p.threshold = *c.Threshold
	}
	if c.SchedPriv != "" {
		if err := s.loadPriv(p, c); err != nil {
			return nil, err
		}
	}
	if c.Queues != "" {
		if p.queues, err = s.readQueues(c.Queues); err != nil {
			return nil, err
		}
	}
	src, err := s.formulaText(c, flags, sched)
	if err != nil {
		return nil, err
	}
	if src != "" {
		if p.formula, err = s.parseForJobs(src, p.symbols); err != nil {
			return nil, err
		}
	}
	return p, s.checkPlan(p, c)
}

// loadPriv reads sched_priv and what its sched_config says.
func (s *session) loadPriv(p *plan, c *siteFlags) error {
	var err error
	if p.priv, err = schedpriv.Load(c.SchedPriv, false); err != nil {
		return failure{exitUnreadable, err}
	}
	s.warnOfPriv(p.priv)
	p.policy = p.priv.Config.Prime
	if c.NonPrime {
		p.policy = p.priv.Config.NonPrime
	}
	if p.policy.FairShare {
		p.usage, err = formula.Parse(p.priv.Config.UsageRes)
		if err != nil {
			s.diag.Warning("fairshare_usage_res %q cannot be evaluated, so that usage does not grow here: %v", p.priv.Config.UsageRes, err)
		}
	}
	return nil
}

// warnOfPriv tells what PBS would take silently.
func (s *session) warnOfPriv(priv *schedpriv.Data) {
	if priv.NoConfig {
		s.diag.Warning("there is no sched_config in %s, PBS's defaults apply", priv.Dir)
	}
	for _, problem := range priv.ConfigProblems {
		s.diag.Warning("sched_config: %v", problem)
	}
	for _, problem := range priv.GroupProblems {
		s.diag.Warning("resource_group: line %d: %s", problem.Line, problem.Detail)
	}
	if priv.Usage == nil {
		s.diag.Warning("%s has no usage file, so nobody has used anything", priv.Dir)
	} else if len(priv.Usage.Problems) > 0 {
		s.diag.Warning("usage: %v", priv.Usage.Problems[0])
	}
}

// formulaText finds the formula: the command line, then --sched, then what
// the server left in sched_priv.
func (s *session) formulaText(c *siteFlags, flags *formulaFlags, sched qmgr.Sched) (string, error) {
	if c.NoFormula {
		return "", nil
	}
	src, err := flags.read()
	if err != nil || src != "" {
		return src, err
	}
	if sched.Formula != "" {
		return sched.Formula, nil
	}
	if c.SchedPriv != "" {
		name := filepath.Join(c.SchedPriv, "sched_formula")
		text, err := readLimited(name, maxFormulaFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if src = withoutComments(text); src != "" {
			s.diag.Note("the formula is the one in %s: %s", name, src)
			return src, nil
		}
	}
	return "", fail(exitUsage, "no formula: give -f FORMULA, -F FILE, a --sched that has one, or --no-formula")
}

// withoutComments is the formula in the file that the server writes, whose
// first line says that it is the server's.
func withoutComments(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, " ")
}

// parseForJobs parses a formula as strictly as qmgr would, but for names that
// only the jobs can tell.
func (s *session) parseForJobs(src string, symbols *formula.Symbols) (*formula.Formula, error) {
	f, err := formula.Parse(src)
	if err == nil {
		unknown := map[string]formula.Type{}
		for _, name := range f.Names() {
			if symbols.Type(name) == "" {
				unknown[name] = formula.Long
			} else {
				unknown[name] = symbols.Type(name)
			}
		}
		v := formula.Check(src, formula.NewSymbols(unknown))
		if v.Code == 0 && v.Err == nil {
			return f, nil
		}
		s.explainFormula(src, v.Err, v.Span, v.Hint)
		return nil, failure{code: exitFormula}
	}
	span, _ := place(err)
	s.explainFormula(src, err, span, hintOf(err))
	return nil, failure{code: exitFormula}
}

// checkPlan tells which file is missing for what is asked.
func (s *session) checkPlan(p *plan, c *siteFlags) error {
	var others []string
	if p.formula != nil {
		for _, name := range p.formula.Names() {
			if p.otherFairshare(name) {
				others = append(others, name)
			}
		}
	}
	if p.priv == nil && (p.uses(derivedNames[1:]...) || len(others) > 0) {
		return fail(exitUsage, "the formula has fairshare terms: give the tree with --sched-priv DIR")
	}
	if len(others) > 0 {
		s.diag.Note("PBS does not know %s: qmgr would refuse the formula", strings.Join(others, ", "))
	}
	if c.Queues == "" {
		switch {
		case p.uses("queue_priority"):
			s.diag.Warning("the formula has queue_priority, which is 0 without --queues FILE")
		case p.policy.ByQueue || p.policy.RoundRobin || p.policy.Preemptive:
			s.diag.Warning("sched_config orders by queue, whose priorities are 0 without --queues FILE")
		}
	}
	return nil
}

// readQueues reads qstat -Qf.
func (s *session) readQueues(file string) ([]cycle.Queue, error) {
	text, err := readLimited(file, maxSiteFile)
	if err != nil {
		return nil, err
	}
	schema := jobs.NewSchema("Priority", "started")
	var queues []cycle.Queue
	work := func(b *jobs.Batch) error {
		for i := range b.Records {
			r := &b.Records[i]
			q := cycle.Queue{Name: string(r.ID), Stopped: strings.EqualFold(string(r.Values[1]), "false")}
			if r.Values[0] != nil {
				var err error
				if q.Priority, err = strconv.Atoi(string(r.Values[0])); err != nil {
					return fmt.Errorf("%s: the priority of queue %s, %q, is no number", file, q.Name, r.Values[0])
				}
			}
			queues = append(queues, q)
		}
		return nil
	}
	_, err = jobs.Read(bytes.NewReader([]byte(text)), jobs.Options{Schema: schema, Queues: true, Workers: 1}, work, func(err error) error { return err })
	if err != nil {
		return nil, failure{exitUnreadable, err}
	}
	if len(queues) == 0 {
		s.diag.Warning("%s names no queue", file)
	}
	return queues, nil
}

// readJobs reads the job list on standard input, and tells what was wrong
// with it.
func (s *session) readJobs(p *plan, format string, keepRaw bool) (*jobList, error) {
	entity := "euser"
	if p.priv != nil {
		entity = p.priv.Config.Entity
	}
	lr := newListReader(p.symbols, p.slots(), entity, keepRaw)
	l, err := lr.read(s.in, jobs.Format(format), p.workers, s.progress())
	s.endProgress()
	if err != nil {
		return nil, failure{exitUnreadable, fmt.Errorf("standard input: %w", err)}
	}
	for _, kind := range sortedKeys(l.problems) {
		s.diag.Warning("standard input: %s (%d times)", kind, l.problems[kind])
		s.partly = true
	}
	for _, name := range sortedKeys(l.missing) {
		s.diag.Warning("%s without %s", count(l.missing[name], "job"), name)
	}
	if l.len() == 0 {
		s.diag.Warning("standard input has no job")
	}
	return l, s.unknownNames(p, l)
}

// unknownNames finds names of the formula that neither PBS nor a job knows.
func (s *session) unknownNames(p *plan, l *jobList) error {
	if p.formula == nil || l.len() == 0 {
		return nil
	}
	for _, name := range p.formula.Names() {
		if formula.IsMathName(name) || formula.IsBuiltin(name) || p.symbols.Type(name) != "" || p.otherFairshare(name) || l.seen[name] {
			continue
		}
		v := formula.Check(p.formula.Source, p.symbols)
		if v.Code == 0 {
			s.diag.Warning("%s is no keyword and no resource that PBS or a job has", name)
			continue
		}
		s.explainFormula(p.formula.Source, v.Err, v.Span, v.Hint)
		s.diag.Hint("a resource that no job requests can be named with --resources FILE")
		return failure{code: exitFormula}
	}
	return nil
}

func sortedKeys(m map[string]int) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
