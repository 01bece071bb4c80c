package pbs

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// Change is something of a site that is other than the site says: what if?
type Change struct {
	Name  string // as in With
	Value string
	Was   string // "" where it was not set, or had no single value
	IsNew bool   // whether it is of an entity that the tree does not have

	Entity string // whose shares or usage it is, "" for any other change
	Where  string // the file that asks for it, "" for a setting
}

func (c Change) String() string {
	switch {
	case c.Value == "":
		return fmt.Sprintf("%s is not set (was %s)", c.Name, cmp.Or(c.Was, "not set"))
	case c.IsNew:
		return fmt.Sprintf("%s=%s (new, under unknown)", c.Name, c.Value)
	case c.Was == "":
		return c.Name + "=" + c.Value
	}
	return fmt.Sprintf("%s=%s (was %s)", c.Name, c.Value, c.Was)
}

// Number returns the value as a number, where it is one.
func (c Change) Number() (x float64, ok bool) {
	x, err := strconv.ParseFloat(c.Value, 64)
	return x, err == nil
}

// With returns a copy of a site in which some things are other than they are:
//
//	ENTITY.shares=60  ENTITY.usage=0           in the fairshare tree
//	new.ENTITY.usage=0                         likewise, of one that it does not have
//	queue.NAME.priority=200  queue.NAME.started=false
//	sched.NAME=VALUE                           a setting of sched_config or an attribute
//	server.NAME=VALUE                          an attribute of the server
//	server.max_run_soft=[u:bob=3]              its soft limits, or queue.NAME.max_run_soft
//	server.max_run_soft+=[u:ann=2]  server.max_run_soft-=[u:bob=3]   as += and -= of qmgr
//	server.max_run_soft=                       as its unset
//
// A new entity joins "unknown", as in PBS. The changes are
// in the copy's Changes as well, and so are those which are Asked of the site. Its errors are *diag.SettingError.
func (s *Site) With(settings []string) (*Site, error) { return s.with(settings, OnOrder) }

// WithReplayed returns what With does, and knows settings that a replay depends on
// and the order of jobs does not:
//
//	sched.strict_ordering=true  sched.preempt_order=SCR
//	server.backfill_depth=3  server.max_run=[u:PBS_GENERIC=4]  queue.NAME.max_run=VALUE
//	nodes.added=4x64:mem=256gb                 vnodes besides those that there are
//	nodes.removed=n01,g0*                      without some of them
//	node.n03.queue=highq  node.g0*.resources_available.ngpus=8   what they have, or without a value have not
//	node.n03.down=FROM/TO  node.g0*.offline=FROM/TO   without some of them for a while, or with always in its place for good, with never they are put back
//	server_dyn_res.matlab=20                   how much there is of what a script tells
//	walltime=1.2*used                          jobs ask for this, of what they used and asked
//	reservation.maint=FROM/TO on n01,g0*       a reservation that is not on record
//	reservation.R12=FROM/TO  reservation.R12=none     one that is, at another time or never
func (s *Site) WithReplayed(settings []string) (*Site, error) {
	return s.with(settings, onReplays)
}

// WithSubmitted returns what WithReplayed does, and knows settings on which jobs alone depend that are yet to be submitted:
//
//	queue.NAME.enabled=false  queue.NAME.resources_max.walltime=24:00:00  server.default_queue=NAME
func (s *Site) WithSubmitted(settings []string) (*Site, error) {
	return s.with(settings, onReplays|onSubmissions)
}

// WithOther returns what With does of one thing, which may be other already.
func (s *Site) WithOther(name, value string) (*Site, error) {
	site := *s
	site.Changes = slices.DeleteFunc(slices.Clone(s.Changes), func(c Change) bool { return c.Name == name })
	return site.With([]string{name + "=" + value})
}

func (s *Site) with(settings []string, on Effect) (*Site, error) {
	if len(settings) == 0 && len(s.Asked) == 0 {
		return s, nil
	}
	site := *s
	site.Queues, site.Changes, site.Asked = slices.Clone(s.Queues), slices.Clone(s.Changes), nil
	site.OtherVnodes, site.AwayNodes, site.ReservationChanges = slices.Clip(s.OtherVnodes), slices.Clip(s.AwayNodes), slices.Clip(s.ReservationChanges)
	site.Replaced, site.Untried = slices.Clip(s.Replaced), slices.Clip(s.Untried)
	if s.SchedPriv != nil {
		priv := *s.SchedPriv
		priv.Tree = priv.Tree.Clone()
		site.SchedPriv = &priv
	}
	e := editor{site: &site, on: on, replays: on&OnStarts != 0, knowsQueues: s.Queues != nil, usage: map[string]float64{}}
	for _, c := range s.Changes { // which the usage file does not know
		if usage, isNumber := c.Number(); isNumber && c.Entity != "" && strings.HasSuffix(c.Name, ".usage") {
			e.usage[c.Entity] = usage
		}
	}
	forAll, err := e.ask(s.Asked, settings)
	if err != nil {
		return nil, err
	}
	for _, setting := range settings {
		if err := e.apply(setting); err != nil {
			return nil, &diag.SettingError{Setting: setting, Err: err}
		}
	}
	if err := e.finish(); err != nil {
		return nil, &diag.SettingError{Setting: strings.Join(settings, " "), Err: err}
	}
	return &site, site.setOthers(forAll, settings, on)
}

// addedNodes is the setting of vnodes that a site does not have.
const addedNodes = "nodes.added"

// removedNodes is the setting of vnodes that a site has and would not.
const removedNodes = "nodes.removed"

// walltimeSetting is the setting of the walltimes that jobs would ask for.
const walltimeSetting = "walltime"

// formulaName is the attribute that -f gives as well.
const formulaName = "job_sort_formula"

// thresholdName is the attribute that --threshold gives as well.
const thresholdName = "job_sort_formula_threshold"

// ErrNoOrder is for settings that change which jobs start alone.
var ErrNoOrder = errors.New("the order of jobs does not depend on it")

// editor changes a site.
type editor struct {
	site        *Site
	on          Effect             // on which a setting has to act that counts
	replays     bool               // whether settings that only a replay depends on count
	knowsQueues bool               // whether the site's queues are known
	usage       map[string]float64 // of entities, instead of what the usage file has
	entity      string             // of the last setting, "" for none
	isNew       bool               // whether it is new
	where       string             // the file that asks for it, which may ask for a formula; "" for a setting
}

// acts reports whether a setting of a name counts.
func (e *editor) acts(s *Setting, name string) bool {
	return s.Acts&e.on != 0 || e.on&onSubmissions != 0 && s.isOfSubmissions(name)
}

// set sets one thing and returns what it was.
func (e *editor) set(name, value string) (was string, err error) {
	at := strings.LastIndexByte(name, '.')
	if mayBeEntity := name[at+1:] == "shares" || name[at+1:] == "usage"; e.replays || !mayBeEntity {
		isCourse, err := e.course(name, value)
		switch {
		case isCourse && !e.replays:
			return "", ErrNoOrder
		case isCourse:
			return "", err
		}
	}
	if at < 1 {
		return "", e.noSetting(name)
	}
	of, what := name[:at], name[at+1:]
	for _, object := range []string{"server", "sched"} { // whose attributes may be of resources
		if rest, ok := strings.CutPrefix(name, object+"."); ok {
			of, what = object, rest
		}
	}
	if job, isOfJob := strings.CutPrefix(of, "job."); isOfJob && !e.isEntity(of) {
		if what == "eligible_time" {
			return "", fmt.Errorf("how long a job has been eligible is no setting of the site, and --try asks for nothing of it: a copy of the list of jobs in which it is other tells (--jobs FILE)")
		}
		return "", fmt.Errorf("what a job asks for is no setting of the site: formula when SITE %s --try %s=%s tries it", job, what, value)
	}
	queue, isQueue := strings.CutPrefix(of, "queue.")
	if before, resource, ok := strings.Cut(queue, "."); isQueue && ok {
		queue, what = before, resource+"."+what
	}
	switch {
	case of == "sched" || of == "server":
		return e.attribute(of, what, value)
	case isQueue:
		return e.queue(queue, what, value)
	case what != "shares" && what != "usage" && e.meant(name) != nil:
		return "", e.noSetting(name)
	case !e.site.HasTree():
		return "", errNoTree
	case what != "shares" && what != "usage":
		return "", errors.New(report.NoSuch("setting", name, []string{of + ".shares", of + ".usage"}))
	}
	e.entity = of
	if rest, isNew := strings.CutPrefix(of, "new."); isNew {
		if _, isThere := e.site.SchedPriv.Tree.Lookup(of); !isThere {
			e.entity, e.isNew = rest, true
		}
	}
	if what == "shares" {
		return e.shares(e.entity, value)
	}
	return e.setUsage(e.entity, value)
}

// course sets what happens in the course of a replay: vnodes and reservations that there are, and what jobs
// ask for. isCourse is false for a setting of anything else.
func (e *editor) course(name, value string) (isCourse bool, err error) {
	object, rest, hasDot := strings.Cut(name, ".")
	at := strings.LastIndexByte(rest, '.')
	switch {
	case name == walltimeSetting:
		return true, e.walltime(value)
	case object == dynamicResources && hasDot:
		return true, e.setDynamic(rest, value)
	case name == addedNodes:
		return true, e.addNodes(value)
	case name == removedNodes:
		e.site.RemovedNodes = value
		return true, nil
	case object == "reservation" && hasDot && rest != "shares" && rest != "usage":
		return true, e.reserve(rest, value)
	case object == "node":
		if names, attribute, is := vnodeAttribute(rest); is {
			return true, e.setVnodes(names, attribute, value)
		}
		if at >= 0 {
			return true, e.awayNodes(rest[:at], rest[at+1:], value)
		}
	}
	return false, nil
}

// setDynamic says how much there is of a resource that a script of server_dyn_res tells.
func (e *editor) setDynamic(resource, value string) error {
	if err := e.site.CheckResource(resource); err != nil {
		return err
	}
	if _, ok := limitAmount(value); !ok {
		return fmt.Errorf("%q is not an amount", value)
	}
	amounts := maps.Clone(e.site.DynamicAmounts)
	if amounts == nil {
		amounts = map[string]string{}
	}
	amounts[resource] = value
	e.site.DynamicAmounts = amounts
	return nil
}

// addNodes adds vnodes, whose resources the site knows.
func (e *editor) addNodes(value string) error {
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ':' || r == '+' }) {
		if resource, _, ok := strings.Cut(part, "="); ok {
			if err := e.site.CheckResource(resource); err != nil {
				return err
			}
		}
	}
	e.site.AddedNodes = value
	return nil
}

// always is the time of vnodes that are away from now on, or in a replay all the time, and never that of those which are away and would
// not be.
const always, never = "always", "never"

// awayNodes takes vnodes away for a while, or for good, or puts them back.
func (e *editor) awayNodes(names, what, value string) error {
	from, to, isSpan := strings.Cut(value, "/")
	switch {
	case what != "down" && what != "offline":
		return errors.New(report.NoSuch("setting", "node."+names+"."+what, []string{"node." + names + ".down", "node." + names + ".offline", "node." + names + ".queue", "node." + names + ".resources_available.ncpus"}))
	case value == always || value == never:
		from, to = "", ""
	case !isSpan || strings.TrimSpace(from) == "" || strings.TrimSpace(to) == "":
		return fmt.Errorf("%q is none of always, never and FROM/TO, such as 2026-03-02 08:10/2026-03-02 10:00", value)
	}
	e.site.AwayNodes = append(e.site.AwayNodes, AwayVnodes{names, what == "down", strings.TrimSpace(from), strings.TrimSpace(to), value == never})
	return nil
}

// reserve adds, moves or drops a reservation.
func (e *editor) reserve(name, value string) error {
	c := ReservationChange{Name: name, IsDropped: value == "none"}
	if !c.IsDropped {
		span, vnodes, hasVnodes := strings.Cut(value, " on ")
		from, to, isSpan := strings.Cut(span, "/")
		c.From, c.To, c.Vnodes = strings.TrimSpace(from), strings.TrimSpace(to), strings.TrimSpace(vnodes)
		if !isSpan || c.From == "" || c.To == "" || hasVnodes && c.Vnodes == "" {
			return fmt.Errorf("%q is neither none nor FROM/TO on VNODES, such as 2026-03-02 22:00/2026-03-03 04:00 on n01,g0*", value)
		}
	}
	e.site.ReservationChanges = append(e.site.ReservationChanges, c)
	return nil
}

// attribute sets an attribute of the server or its scheduler, or a setting of
// sched_config.
func (e *editor) attribute(of, name, value string) (was string, err error) {
	text, config := textSetting(name), SettingOf(OfConfig, name)
	if config != nil && config.Name != name {
		config = nil // none of them is of a resource
	}
	switch field := fieldOf(name); {
	case name == formulaName:
		was, plain := e.site.Sched.Formula, unquoted(value)
		if of == "sched" && was != "" && was != plain && e.where == "" {
			return "", fmt.Errorf("the site has another job_sort_formula, %s, and PBS refuses two that differ: server.job_sort_formula=FORMULA tries one in its place", was)
		}
		return was, field.set(&e.site.Sched, plain)
	case field != nil:
		return field.get(&e.site.Sched), field.set(&e.site.Sched, value)
	case text != nil && e.acts(text, name):
		if err := e.checkSet(text, name, value); err != nil {
			return "", err
		}
		of := e.site.Sched.attributesOf(text)
		was = (*of)[name]
		*of = of.set(name, value)
		return was, nil
	case config == nil && (text == nil || text.Acts == 0):
		if s := SettingOf(OfServer|OfScheduler, name); s.isReadAlone() {
			return "", readAlone(of, name, value)
		}
		return "", e.noSettingOf("", of+"."+name)
	case config == nil || config.Acts&e.on == 0:
		if config != nil { // what is wrong with the value comes first
			if _, problems := fstree.DefaultConfig().With(config.Name, value); len(problems) > 0 {
				return "", errors.New(problems[0].Message)
			}
		}
		return "", map[bool]error{true: errors.New("neither the order of jobs nor their starts depend on it"), false: ErrNoOrder}[e.replays]
	case of == "server":
		return "", fmt.Errorf("it is the scheduler's: sched.%s", name)
	case name == "fair_share" && !e.site.HasTree():
		return "", errNoTree
	}
	return e.config(config, value)
}

// queue sets an attribute of a queue.
func (e *editor) queue(name, what, value string) (was string, err error) {
	if what == "priority" {
		what = "Priority"
	}
	s := SettingOf(OfQueue, what)
	at := slices.IndexFunc(e.site.Queues, func(q Queue) bool { return q.Name == name })
	switch {
	case s != nil && s.Acts != 0 && s.Acts&e.on == 0 && (at >= 0 || !e.knowsQueues):
		return "", ErrNoOrder
	case s.isReadAlone() && !e.acts(s, what) && at >= 0:
		return "", readAlone("queue "+name, what, value)
	case s == nil || !e.acts(s, what) || s.queue != nil && s.Name != what:
		return "", errors.New(report.NoSuch("setting", "queue."+name+"."+what, settable(name, e.replays)))
	case at < 0 && e.knowsQueues:
		return "", e.noQueue(name)
	case at < 0:
		at = len(e.site.Queues)
		e.site.Queues = append(e.site.Queues, Queue{Name: name})
	}
	q := &e.site.Queues[at]
	if s.queue == nil {
		if err := e.checkSet(s, what, value); err != nil {
			return "", err
		}
		was = q.Attributes[what]
		q.Attributes = q.Attributes.set(what, value)
		return was, nil
	}
	if err := s.checkText(what, value); err != nil {
		return "", err
	}
	return s.queue.get(q), s.queue.set(q, "", value)
}
