// Package lab answers what a local page asks: what a formula, shares and settings would do
// to the order of a list of jobs. It computes what the commands do, and hands out the same
// JSON. It reads nothing that a request names and writes nothing at all.
package lab

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/joblist"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/pbs"
	"fairshare/formula"
)

// Lab is a site and its jobs, to try changes on. It may be used by several goroutines.
type Lab struct {
	Site  *pbs.Site // with the formula in force
	List  *joblist.List
	From  string // where the jobs come from, and of when they are
	Names []Name // that a formula can use

	// ResourceGroup is the text of the site's resource_group, "" where there is none.
	ResourceGroup string

	// Replay replays recorded work; nil where there are no logs.
	Replay Replayer

	// Judge says what stops each job now; nil where the vnodes are not known.
	Judge Judge

	// Fault is told what has panicked, and where; nil for nobody.
	Fault func(what any, stack []byte)

	options order.Options
	inForce *order.Order
	symbols *formula.Symbols
	around  formula.Surroundings
	work    works

	mutex  sync.Mutex
	recent []*tried // the last one first
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
	Replay        Replayer
	Judge         Judge
}

// New returns a lab for a site and its jobs, which have been read with Columns.
func New(site *pbs.Site, list *joblist.List, o Options) (*Lab, error) {
	l := &Lab{Site: site, List: list, From: o.From, Names: o.Names, ResourceGroup: o.ResourceGroup, Replay: o.Replay, Judge: o.Judge, options: o.Options, symbols: order.Symbols(site.Resources)}
	l.around = order.Surroundings(site)
	l.around.Requested = list.Requested
	plan, _, err := order.NewPlan(site, o.Options)
	if err != nil {
		return nil, err
	}
	l.inForce, _, err = plan.Order(list)
	return l, err
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

// State is what is tried.
type State struct {
	Formula  string   `json:"formula"`
	Settings []string `json:"settings"` // as pbs.Site.With takes them
}

// check returns a *RequestError for what cannot be tried.
func (s State) check() error {
	isControl := func(setting string) bool { return strings.ContainsFunc(setting, unicode.IsControl) }
	switch {
	case len(s.Formula) > maxFormula:
		return &RequestError{"the formula is too long"}
	case len(s.Settings) > maxSettings:
		return &RequestError{"there are too many settings"}
	case slices.ContainsFunc(s.Settings, isControl):
		return &RequestError{"a setting has control characters"}
	}
	return nil
}

// Bounds of what is tried.
const (
	maxFormula  = 8 << 10 // bytes
	maxSettings = 500
	maxRecent   = 6
)

// tried is a state with the order that it makes.
type tried struct {
	key   string
	once  sync.Once
	site  *pbs.Site
	err   error
	mutex sync.Mutex // of the order, which tries changes on its tree while it explains
	order *order.Order

	judged   sync.Once
	standing map[string]forecast.Standing // once it is judged
	wrong    error
}

// order returns the site and the order of a state.
func (l *Lab) order(s State) (*tried, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	t := l.recall(s)
	t.once.Do(func() {
		t.err = errFault // if it panics
		t.site, t.order, t.err = l.make(s)
	})
	return t, t.err
}

// recall returns what a state has come to, or a place for that.
func (l *Lab) recall(s State) *tried {
	text, _ := json.Marshal(append([]string{s.Formula}, s.Settings...)) // texts can be marshalled
	key := string(text)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	at := slices.IndexFunc(l.recent, func(t *tried) bool { return t.key == key })
	t := &tried{key: key}
	if at >= 0 {
		t = l.recent[at]
		l.recent = slices.Delete(l.recent, at, at+1)
	}
	l.recent = slices.Insert(l.recent, 0, t)
	l.recent = l.recent[:min(len(l.recent), maxRecent)]
	return t
}

// make makes the order of a state.
func (l *Lab) make(s State) (*pbs.Site, *order.Order, error) {
	site, err := l.Site.With(s.Settings)
	if err != nil {
		return nil, nil, err
	}
	changed := *site
	changed.Sched.Formula = s.Formula
	if a, b := l.Site.Entity(), changed.Entity(); a != b {
		return nil, nil, &RequestError{"fairshare_entity cannot be tried: the jobs' entities were read as " + a}
	}
	plan, _, err := order.NewPlan(&changed, l.options)
	if err != nil {
		return &changed, nil, err
	}
	o, _, err := plan.Order(l.List)
	return &changed, o, err
}

// fault tells of a panic.
func (l *Lab) fault(what any, stack []byte) {
	if l.Fault != nil {
		l.Fault(what, stack)
	}
}

// errFault stands for a panic.
var errFault = errors.New("this could not be computed: it is a fault of the program")

// RequestError is a request that cannot be answered as it is.
type RequestError struct{ Detail string }

func (e *RequestError) Error() string { return e.Detail }
