// Package order puts the jobs of a PBS site into the order in which its scheduler considers them.
package order

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/formula"
)

// EligibleTime is the column of a list with how long jobs have been eligible.
const EligibleTime = "eligible_time"

// Options are settings that are not the site's.
type Options struct {
	Static   bool // no job starts, so that nobody's usage grows
	AllStart bool // every job starts, also where Judge says who does
	Workers  int  // that evaluate at a time; 0 is one a processor

	Now int64 // of when the jobs are, in seconds since 1970; 0 where that is not known

	Beside []*pbs.Site // under what is set, where this is the order without it; what they lack is said with what the site does

	Judge Judge // says which jobs start in a cycle now; nil where that is not known: then every one does

	// Unordered leaves the formula out: it is asked which jobs are considered, and not in
	// which order.
	Unordered bool
}

// Plan is what the order of a list of jobs is made with.
type Plan struct {
	Site    *pbs.Site
	Formula *formula.Formula // the site's, nil for none
	Options

	Others []*Plan // of the other schedulers of the site

	symbols  *formula.Symbols
	usageRes *formula.Formula // fairshare_usage_res, nil where usage does not grow
	soft     []pbs.Limit      // the soft limits on which the order depends
}

// ErrNoTree says that a formula needs a fairshare tree and the site has none.
var ErrNoTree = errors.New("the formula has fairshare terms, and there is no fairshare tree")

// ErrNoQueues says that a formula needs the priorities of queues and nothing tells them.
var ErrNoQueues = errors.New("the formula has queue_priority, and nothing tells the priorities of queues (qstat -Qf does)")

// IsUntold reports whether an error is that a formula has terms of which nothing is told.
func IsUntold(err error) bool { return errors.Is(err, ErrNoTree) || errors.Is(err, ErrNoQueues) }

// NewPlan returns a plan for a site. The error is a *FormulaError for a formula
// that PBS refuses or that cannot be evaluated, or ErrNoTree.
func NewPlan(site *pbs.Site, o Options) (*Plan, []diag.Remark, error) {
	p := &Plan{Site: site, Options: o, symbols: Symbols(site.Resources)}
	var remarks []diag.Remark
	var err error
	for _, other := range site.Others {
		plan, more, err := NewPlan(other, o)
		if err != nil {
			return nil, nil, err
		}
		p.Others, remarks = append(p.Others, plan), append(remarks, more...)
	}
	if site.Policy().FairShare && !o.Static {
		res := site.SchedPriv.Config.UsageRes
		if p.usageRes, err = formula.Parse(res); err != nil {
			remarks = append(remarks, diag.Warningf("fairshare_usage_res %q cannot be evaluated, so usage does not grow here: %v", res, err))
		}
	}
	if p.soft, err = softLimits(site); err != nil {
		remarks = append(remarks, diag.Warningf("soft limits do not count: %v", err))
	}
	if site.Sched.Formula != "" && !o.Unordered {
		if p.Formula, err = Parse(site.Sched.Formula, p.symbols); err != nil {
			return nil, nil, err
		}
	}
	others := p.namesFrom(formula.Additional)
	if fromTree := slices.Concat(p.namesFrom(formula.FromTree), others); !site.HasTree() && len(fromTree) > 0 {
		return nil, nil, fmt.Errorf("%w for %s", ErrNoTree, strings.Join(fromTree, ", "))
	}
	if len(others) > 0 {
		remarks = append(remarks, diag.Notef("PBS does not know %s, only this program does", strings.Join(others, ", ")))
	}
	policy := site.Policy()
	switch {
	case site.Queues != nil:
	case len(p.namesFrom(formula.FromQueue)) > 0:
		remarks = append(remarks, diag.Warningf("no queues are given (--queues, or queues in a test file): queue_priority in the formula is 0"))
	case policy.ByQueue || policy.RoundRobin || policy.Preemptive:
		remarks = append(remarks, diag.Warningf("no queues are given (--queues, or queues in a test file): sched_config orders by queue, whose priorities are 0"))
	}
	return p, remarks, nil
}

// Untold returns ErrNoQueues where the value of no job is known, since nothing tells the priorities of queues, nil otherwise. Beside a
// sched_priv or what is set of one, where takesZero says so, a warning says that they are taken to be 0.
func (p *Plan) Untold(takesZero bool) error {
	if p.lacksQueues() && (p.Site.SchedPriv == nil || !takesZero) {
		return ErrNoQueues
	}
	return nil
}

// lacksQueues reports whether the formula has the priority of queues, which nothing tells.
func (p *Plan) lacksQueues() bool {
	return p.Site.Queues == nil && len(p.namesFrom(formula.FromQueue)) > 0
}

// takesPriorities reports whether an order is by priorities of queues which nothing tells, so that 0 is taken for each: by the formula, or by
// what is set of a sched_config that is not there.
func (p *Plan) takesPriorities(o *Order) bool {
	priv, policy := p.Site.SchedPriv, p.Site.Policy()
	if p.lacksQueues() || p.Site.Queues != nil || priv == nil || priv.Dir.FS != nil {
		return p.lacksQueues()
	}
	queues := map[int32]bool{}
	for _, row := range o.Rows {
		queues[o.List.Job(int(row)).Queue] = true
	}
	return len(queues) > 1 && (policy.ByQueue || policy.RoundRobin || policy.Preemptive)
}

// FormulaTerms are the names in a formula.
type FormulaTerms struct {
	Formula *formula.Formula
	Untold  []string // whose values the fairshare tree gives, or a queue of which nothing is told
	Others  []string
}

// namesFrom returns the variables of the formula whose values have an origin.
func (p *Plan) namesFrom(origin formula.Origin) []string {
	var names []string
	if p.Formula != nil {
		for _, name := range p.Formula.Names() {
			if v, ok := p.symbols.Lookup(name); ok && v.Origin == origin && p.symbols.Resolve(name) == formula.VariableName {
				names = append(names, name)
			}
		}
	}
	return names
}

// TermsOf returns the names in the formula of a site that lacks its tree, or its queues.
func TermsOf(site *pbs.Site) (t FormulaTerms, err error) {
	p := &Plan{Site: site, symbols: Symbols(site.Resources)}
	if p.Formula, err = Parse(site.Sched.Formula, p.symbols); err != nil {
		return t, err
	}
	t.Formula = p.Formula
	if !site.HasTree() {
		t.Untold = slices.Concat(p.namesFrom(formula.FromTree), p.namesFrom(formula.Additional))
	}
	if p.lacksQueues() {
		t.Untold = append(t.Untold, p.namesFrom(formula.FromQueue)...)
	}
	for _, v := range p.Variables() {
		if !slices.Contains(t.Untold, v.Name) {
			t.Others = append(t.Others, v.Name)
		}
	}
	return t, nil
}

// UsesTree reports whether the formula has a fairshare term of PBS's.
func (p *Plan) UsesTree() bool { return len(p.namesFrom(formula.FromTree)) > 0 }

// UsesPriority reports whether the formula has the priority that a job asks for.
func (p *Plan) UsesPriority() bool {
	return p.Formula != nil && slices.Contains(p.Formula.Names(), "job_priority")
}

// OtherTerms returns the terms of other schedulers that the formula has.
func (p *Plan) OtherTerms() []Term {
	var terms []Term
	for _, name := range p.namesFrom(formula.Additional) {
		if t, ok := TermNamed(name); ok {
			terms = append(terms, t)
		}
	}
	return terms
}

// UsageRes returns fairshare_usage_res, nil where usage does not grow within a cycle.
func (p *Plan) UsageRes() *formula.Formula { return p.usageRes }

// Variables returns the variables of the formula, in the order of its text. Names
// that may be resources which only jobs know are among them.
func (p *Plan) Variables() []formula.Variable {
	var variables []formula.Variable
	if p.Formula == nil {
		return nil
	}
	for _, name := range p.Formula.Names() {
		switch v, known := p.symbols.Lookup(name); p.symbols.Resolve(name) {
		case formula.VariableName:
			variables = append(variables, v)
		case formula.UndefinedName:
			if !known {
				variables = append(variables, formula.Variable{Name: name})
			}
		}
	}
	return variables
}

// Columns returns the names of the amounts that the plan needs of each job. A
// name that is neither PBS's nor Python's may be a resource that jobs request,
// and so may one of Python's functions.
func (p *Plan) Columns() []string {
	var columns []string
	add := func(name string) {
		kind := p.symbols.Resolve(name)
		if v, ok := p.symbols.Lookup(name); ok && v.Origin != formula.FromJob || kind == formula.MathFunction || kind == formula.Constant {
			return
		}
		if !slices.Contains(columns, name) {
			columns = append(columns, name)
		}
	}
	for _, f := range []*formula.Formula{p.Formula, p.usageRes} {
		if f != nil {
			for _, name := range f.Names() {
				add(name)
			}
		}
	}
	for _, key := range p.Site.Policy().SortKeys {
		add(KeyName(key.Resource))
	}
	for _, limit := range p.soft {
		if limit.Resource != "" && !slices.Contains(columns, limit.Resource) {
			columns = append(columns, limit.Resource)
		}
	}
	if p.starves() {
		add(EligibleTime)
	}
	return columns
}

// KeyName returns what a job_sort_key's name is called in formulas.
func KeyName(name string) string {
	if name == "sort_priority" {
		return "job_priority"
	}
	return name
}

// countLacks lets a list count the jobs that have what is not modelled of a site's jobs.
func countLacks(o *joblist.Options, site *pbs.Site) {
	for _, s := range site.JobLacks() {
		o.Counted = append(o.Counted, joblist.Counted{Name: s.Name, Is: s.Matters})
	}
}

// ListOptions returns how to read a list of jobs for plans of one site.
func ListOptions(plans ...*Plan) joblist.Options {
	o := joblist.Options{Symbols: plans[0].symbols, Entity: plans[0].Site.Entity(), Workers: plans[0].Workers}
	countLacks(&o, plans[0].Site)
	for _, p := range plans {
		o.Groups = o.Groups || len(p.soft) > 0 || p.Site.AsksGroups()
		for _, column := range p.Columns() {
			if !slices.Contains(o.Columns, column) {
				o.Columns = append(o.Columns, column)
			}
		}
	}
	return o
}

// FormulaError is a formula that PBS refuses, or that cannot be evaluated.
type FormulaError struct {
	Source string
	Err    error  // a formula.Problem
	Hint   string // what to do about it, may be empty
}

// NewFormulaError returns the error of formula.Parse about a source, with the
// hint that a syntax error carries.
func NewFormulaError(source string, err error) *FormulaError {
	e := &FormulaError{Source: source, Err: err}
	var syntax *formula.SyntaxError
	if errors.As(err, &syntax) {
		e.Hint = syntax.Hint
	}
	return e
}

func (e *FormulaError) Error() string { return e.Err.Error() }
func (e *FormulaError) Unwrap() error { return e.Err }

// Parse parses a formula as strictly as qmgr would, but for names that only
// jobs can tell. Its errors are *FormulaError.
func Parse(src string, symbols *formula.Symbols) (*formula.Formula, error) {
	f, err := formula.Parse(src)
	if err != nil {
		return nil, NewFormulaError(src, err)
	}
	if v := formula.Check(src, symbols.With(asNumbers(slices.Values(f.Names()), symbols))); v.Code != 0 || v.Err != nil {
		return nil, &FormulaError{src, v.Err, v.Hint}
	}
	return f, nil
}

// checkNames looks for names of the formula that neither PBS nor a job of the
// list knows. qmgr refuses most of them, which is a *FormulaError; those that it
// overlooks are remarks.
func (p *Plan) checkNames(l *joblist.List) ([]diag.Remark, error) {
	if l.Len() == 0 {
		return nil, nil
	}
	return p.CheckNames(l.Requested)
}

// CheckNames looks for names of the formula that neither PBS knows nor a job requests.
// qmgr refuses most of them, which is a *FormulaError; those that it overlooks are
// remarks.
func (p *Plan) CheckNames(requested map[string]bool) ([]diag.Remark, error) {
	if p.Formula == nil {
		return nil, nil
	}
	var unknown []string
	for _, name := range p.Formula.Names() {
		if p.symbols.Resolve(name) == formula.UndefinedName && !requested[name] {
			unknown = append(unknown, name)
		}
	}
	if unknown == nil {
		return nil, nil
	}
	v := formula.Check(p.Formula.Source(), p.symbols.With(asNumbers(maps.Keys(requested), p.symbols)))
	if v.Code != 0 {
		return nil, &FormulaError{p.Formula.Source(), v.Err, v.Hint}
	}
	return []diag.Remark{diag.Warningf("%s is neither a keyword nor a resource that PBS or a job knows", strings.Join(unknown, ", "))}, nil
}

// checkColumns looks for what the formula needs and no job has. In qstat's lists a
// resource that no job requests is 0, while other lists may just not have it.
func (p *Plan) checkColumns(l *joblist.List) []diag.Remark {
	var lacking []string
	for i, name := range l.Columns {
		if p.Formula != nil && slices.Contains(p.Formula.Names(), name) && !l.HasColumn[i] {
			lacking = append(lacking, name)
		}
	}
	if lacking == nil || l.Len() == 0 || l.IsComplete {
		return nil
	}
	return []diag.Remark{diag.Warningf("no job of the list has %s, so that it is 0 for all", strings.Join(lacking, " or "))}
}

// requested returns the resources that jobs of a list request and that are not
// known otherwise.
func requested(l *joblist.List, symbols *formula.Symbols) map[string]formula.Type {
	return asNumbers(maps.Keys(l.Requested), symbols)
}

// asNumbers returns those of some names that PBS does not know, as resources
// that a formula may have.
func asNumbers(names iter.Seq[string], symbols *formula.Symbols) map[string]formula.Type {
	resources := map[string]formula.Type{}
	for name := range names {
		if symbols.Type(name) == "" {
			resources[name] = formula.Long
		}
	}
	return resources
}
