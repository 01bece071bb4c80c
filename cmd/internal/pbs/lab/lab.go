// Package lab answers what the local page of lab asks about a PBS site: what a formula, shares and
// settings would do to the order of a list of jobs. It computes what the commands do, and hands out the
// same JSON. It reads nothing that a request names and writes nothing at all.
package lab

import (
	"slices"
	"sync"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/formula"
)

// Lab is a PBS site and its jobs, to try changes on. It may be used by several goroutines.
type Lab struct {
	lab.Common
	Site  *pbs.Site // with the formula in force
	List  *joblist.List
	From  string // where the jobs come from, and of when they are
	Names []Name // that a formula can use

	// ResourceGroup is the text of the site's resource_group, "" where there is none.
	ResourceGroup string

	// Judge says what stops each job now; nil where the vnodes are not known.
	Judge Judge

	unseen  []diag.Remark
	options order.Options
	inForce *order.Order
	symbols *formula.Symbols
	around  formula.Surroundings
	recent  lab.Recent[*evaluation]
}

// Name is a name that a formula can use.
type Name struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Unit    string `json:"unit,omitempty"`
	Meaning string `json:"meaning,omitempty"`
}

// Options are what a lab is made of.
type Options struct {
	order.Options
	From          string
	Names         []Name
	ResourceGroup string
	Replay        lab.Replayer
	Judge         Judge
	Unseen        []diag.Remark // what is to be said of a list that lacks the jobs of others
}

// New returns a lab for a site and its jobs, which have been read with Columns.
func New(site *pbs.Site, list *joblist.List, o Options) (*Lab, error) {
	l := &Lab{Site: site, List: list, From: o.From, Names: o.Names, ResourceGroup: o.ResourceGroup, Judge: o.Judge, unseen: o.Unseen, options: o.Options, symbols: order.Symbols(site.Resources)}
	l.Replay, l.CanReplay = o.Replay, func(s lab.State) error {
		_, _, err := policyOf(s, site)
		return err
	}
	l.around = order.Surroundings(site)
	l.around.Requested = list.Requested
	plan, _, err := order.NewPlan(site, o.Options)
	if err != nil {
		return nil, err
	}
	l.inForce, _, err = plan.Order(list)
	return l, err
}

// NotModelled says what of the site is not modelled, as an order does.
func (l *Lab) NotModelled() []diag.Remark {
	return order.NotModelled(l.inForce.Plan.Site, l.inForce.List, l.inForce.Plan.Beside...)
}

// Columns returns the amounts that a list has to be read with, so that any formula can be
// tried: all that a formula can name and all that jobs request.
func Columns(site *pbs.Site, requested map[string]bool) []string {
	var columns []string
	add := func(name string) {
		if !slices.Contains(columns, name) {
			columns = append(columns, name)
		}
	}
	for _, list := range [][]formula.Variable{formula.Keywords, formula.Resources} {
		for _, v := range list {
			if v.Type.Numeric() && (v.Origin == formula.FromJob) {
				add(v.Name)
			}
		}
	}
	for name, t := range site.Resources {
		if t.Numeric() {
			add(name)
		}
	}
	for name := range requested {
		add(name)
	}
	for _, key := range site.Policy().SortKeys {
		add(order.KeyName(key.Resource))
	}
	slices.Sort(columns)
	return columns
}

// evaluation is what a state has come to.
type evaluation struct {
	site  *pbs.Site
	mutex sync.Mutex // of the order, which tries changes on its tree while it explains
	order *order.Order

	judged   sync.Once
	standing map[string]forecast.CycleResult // once it is judged
	wrong    error
}

// order returns the site and the order of a state.
func (l *Lab) order(s lab.State) (*evaluation, error) {
	return l.recent.Of(s, func() (*evaluation, error) { return l.make(s) })
}

// make makes the order of a state.
func (l *Lab) make(s lab.State) (*evaluation, error) {
	site, err := l.Site.With(s.Settings)
	if err != nil {
		return nil, err
	}
	changed := site.WithFormula(s.Formula)
	if a, b := l.Site.Entity(), changed.Entity(); a != b {
		return nil, diag.Requestf("fairshare_entity cannot be tried here: the jobs' entities were read as %s (formula compare SITE --set sched.fairshare_entity=%s tries it)", a, b)
	}
	plan, _, err := order.NewPlan(changed, l.options)
	if err != nil {
		return &evaluation{site: changed}, err
	}
	o, _, err := plan.Order(l.List)
	return &evaluation{site: changed, order: o}, err
}
