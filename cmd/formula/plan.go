package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/cycle"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/jobs"
	"fairshare/cmd/internal/qmgr"
	"fairshare/cmd/internal/schedpriv"
	"fairshare/formula"
)

// siteFlags say what is known of the scheduler whose order is wanted, but for
// its sched_priv.
type siteFlags struct {
	Queues    string   `placeholder:"FILE" help:"Queues, as qstat -Qf prints them (text or JSON)."`
	Resources string   `placeholder:"FILE" help:"The site's own resources, as qmgr -c 'list resource' prints them."`
	Sched     string   `placeholder:"FILE" help:"As qmgr -c 'print sched' prints it: formula, threshold, preemption."`
	Threshold *float64 `placeholder:"X" help:"job_sort_formula_threshold: values at or below are not considered."`
	NoFormula bool     `help:"There is no formula: other keys decide."`
	Static    bool     `help:"No job starts, so that nobody's usage grows."`
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

// maxSiteFile bounds what qmgr and qstat -Q print.
const maxSiteFile = 64 << 20

// site is what siteFlags come to.
type site struct {
	flags   *siteFlags
	symbols *formula.Symbols
	sched   qmgr.Sched
	queues  []cycle.Queue
}

func (s *session) site(c *siteFlags) (*site, error) {
	if c.Workers < 0 {
		return nil, fail(exitUsage, "--workers needs a number that is not negative")
	}
	if c.Threshold != nil && math.IsNaN(*c.Threshold) {
		return nil, fail(exitUsage, "--threshold needs a number")
	}
	out := &site{flags: c}
	var err error
	if out.symbols, err = s.siteSymbols(c.Resources); err != nil {
		return nil, err
	}
	out.sched.PreemptQueuePrio = qmgr.DefaultPreemptQueuePrio
	if c.Sched != "" {
		text, err := readLimited(c.Sched, maxSiteFile)
		if err != nil {
			return nil, err
		}
		var problems []*file.LineError
		out.sched, problems = qmgr.ParseSched(text)
		for _, problem := range problems {
			s.diag.Warning("%s: %v", c.Sched, problem)
		}
	}
	if c.Queues != "" {
		out.queues, err = s.readQueues(c.Queues)
	}
	return out, err
}

// plan gathers the settings for a sched_priv, "" for none, and the formula
// that the command line names.
func (s *session) plan(c *siteFlags, dir string, flags *formulaFlags) (*plan, error) {
	st, err := s.site(c)
	if err != nil {
		return nil, err
	}
	priv, err := s.loadPriv(dir)
	if err != nil {
		return nil, err
	}
	given, err := flags.read()
	if err != nil {
		return nil, err
	}
	return s.newPlan(st, priv, given)
}

// newPlan puts a plan together. given is the formula that the command line
// has, "" for none.
func (s *session) newPlan(st *site, priv *schedpriv.Data, given string) (*plan, error) {
	p := &plan{
		symbols: st.symbols, queues: st.queues, priv: priv, workers: st.flags.Workers, static: st.flags.Static,
		threshold: defaultThreshold, preempt: st.sched.PreemptQueuePrio, preemptFS: st.sched.PreemptsFairshare(),
	}
	switch {
	case st.flags.Threshold != nil:
		p.threshold = *st.flags.Threshold
	case st.sched.Threshold != nil:
		p.threshold = *st.sched.Threshold
	}
	var err error
	if priv != nil {
		p.policy = priv.Config.Prime
		if st.flags.NonPrime {
			p.policy = priv.Config.NonPrime
		}
		if p.policy.FairShare {
			p.usage, err = formula.Parse(priv.Config.UsageRes)
			if err != nil {
				s.diag.Warning("fairshare_usage_res %q cannot be evaluated, so that usage does not grow here: %v", priv.Config.UsageRes, err)
			}
		}
	}
	src, err := s.formulaText(st, priv, given)
	if err != nil {
		return nil, err
	}
	if src != "" {
		if p.formula, err = s.parseForJobs(src, p.symbols); err != nil {
			return nil, err
		}
	}
	return p, s.checkPlan(p, st.flags)
}

// loadPriv reads a sched_priv, if any.
func (s *session) loadPriv(dir string) (*schedpriv.Data, error) {
	if dir == "" {
		return nil, nil
	}
	priv, err := schedpriv.Load(dir, false)
	if err != nil {
		return nil, failure{exitUnreadable, err}
	}
	s.warnOfPriv(priv)
	return priv, nil
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
func (s *session) formulaText(st *site, priv *schedpriv.Data, given string) (string, error) {
	switch {
	case st.flags.NoFormula:
		return "", nil
	case given != "":
		return given, nil
	case st.sched.Formula != "":
		return st.sched.Formula, nil
	}
	if priv != nil {
		name := filepath.Join(priv.Dir, "sched_formula")
		text, err := readLimited(name, maxFormulaFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if src := withoutComments(text); src != "" {
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
	if p.priv == nil && (p.usesFairshare() || len(others) > 0) {
		return fail(exitUsage, "the formula has fairshare terms: give the tree with --sched-priv DIR")
	}
	if len(others) > 0 {
		s.diag.Note("PBS does not know %s, only this program does", strings.Join(others, ", "))
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

// jobSource is where a job list comes from.
type jobSource struct {
	in     io.Reader
	name   string
	format string
}

// stdin is standard input as a job list.
func (s *session) stdin(f listFlags) jobSource { return jobSource{s.in, "standard input", f.From} }

// readJobs reads a job list for plans of one site, and tells what was wrong
// with it.
func (s *session) readJobs(from jobSource, keepRaw bool, plans ...*plan) (*jobList, error) {
	entity := "euser"
	if priv := plans[0].priv; priv != nil {
		entity = priv.Config.Entity
	}
	var slots []string
	for _, p := range plans {
		for _, slot := range p.slots() {
			if !slices.Contains(slots, slot) {
				slots = append(slots, slot)
			}
		}
	}
	lr := newListReader(plans[0].symbols, slots, entity, keepRaw)
	l, err := lr.read(from.in, jobs.Format(from.format), plans[0].workers, s.progress())
	s.endProgress()
	if err != nil {
		return nil, failure{exitUnreadable, fmt.Errorf("%s: %w", from.name, err)}
	}
	for _, kind := range sortedKeys(l.problems) {
		s.diag.Warning("%s: %s (%d times)", from.name, kind, l.problems[kind])
		s.partly = true
	}
	for _, name := range sortedKeys(l.missing) {
		s.diag.Warning("%s without %s", count(l.missing[name], "job"), name)
	}
	if l.len() == 0 {
		s.diag.Warning("%s has no job", from.name)
	}
	for _, p := range plans {
		if err := s.unknownNames(p, l); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// isKnown tells whether a name means something without any job.
func isKnown(name string, symbols *formula.Symbols) bool {
	return formula.IsMathName(name) || formula.IsBuiltin(name) || symbols.Type(name) != "" || formula.IsOtherFairshare(name)
}

// unknownNames finds names of the formula that neither PBS nor a job knows.
func (s *session) unknownNames(p *plan, l *jobList) error {
	if p.formula == nil || l.len() == 0 {
		return nil
	}
	for _, name := range p.formula.Names() {
		if isKnown(name, p.symbols) || l.seen[name] {
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
