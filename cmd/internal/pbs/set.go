package pbs

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
}

func (c Change) String() string {
	switch {
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

// SettingError is a setting that cannot be made.
type SettingError struct{ Setting, Detail string }

func (e *SettingError) Error() string { return e.Setting + ": " + e.Detail }

// With returns a copy of a site in which some things are other than they are:
//
//	ENTITY.shares=60  ENTITY.usage=0           in the fairshare tree
//	new.ENTITY.usage=0                         likewise, of one that it does not have
//	queue.NAME.priority=200  queue.NAME.started=false
//	sched.NAME=VALUE                           a setting of sched_config or an attribute
//	server.NAME=VALUE                          an attribute of the server
//	server.max_run_soft=[u:bob=3]              its soft limits, or queue.NAME.max_run_soft
//
// A new entity joins "unknown", as in PBS. The changes are
// in the copy's Changes as well. Its errors are *SettingError.
func (s *Site) With(settings []string) (*Site, error) { return s.with(settings, false) }

// WithReplayed returns what With does, and knows settings that a replay depends on
// and the order of jobs does not:
//
//	sched.strict_ordering=true  sched.preempt_order=SCR
//	server.backfill_depth=3  server.max_run=[u:PBS_GENERIC=4]  queue.NAME.max_run=VALUE
//	nodes.added=4x64:mem=256gb                 vnodes besides those that there are
//	nodes.removed=n01,g0*                      without some of them
//	node.n03.down=FROM/TO  node.g0*.offline=FROM/TO   without some of them for a while
//	walltime=1.2*used                          jobs ask for this, of what they used and asked
//	reservation.maint=FROM/TO on n01,g0*       a reservation that is not on record
//	reservation.R12=FROM/TO  reservation.R12=none     one that is, at another time or never
func (s *Site) WithReplayed(settings []string) (*Site, error) { return s.with(settings, true) }

func (s *Site) with(settings []string, replays bool) (*Site, error) {
	if len(settings) == 0 {
		return s, nil
	}
	site := *s
	site.Queues, site.Changes = slices.Clone(s.Queues), slices.Clone(s.Changes)
	if s.SchedPriv != nil {
		priv := *s.SchedPriv
		priv.Tree = priv.Tree.Clone()
		site.SchedPriv = &priv
	}
	e := editor{site: &site, replays: replays, knowsQueues: s.Queues != nil, usage: map[string]float64{}}
	for _, setting := range settings {
		name, value, ok := strings.Cut(setting, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		err := errors.New("expected NAME=VALUE")
		var was string
		e.entity, e.isNew = "", false
		switch {
		case slices.ContainsFunc(site.Changes, func(c Change) bool { return c.Name == name }):
			err = errors.New("it is set twice")
		case ok && value != "":
			was, err = e.set(name, value)
		}
		if err != nil {
			return nil, &SettingError{setting, err.Error()}
		}
		site.Changes = append(site.Changes, Change{name, value, was, e.isNew, e.entity})
	}
	if err := e.finish(); err != nil {
		return nil, &SettingError{strings.Join(settings, " "), err.Error()}
	}
	return &site, nil
}

// addedNodes is the setting of vnodes that a site does not have.
const addedNodes = "nodes.added"

// removedNodes is the setting of vnodes that a site has and would not.
const removedNodes = "nodes.removed"

// walltimeSetting is the setting of the walltimes that jobs would ask for.
const walltimeSetting = "walltime"

// editor changes a site.
type editor struct {
	site        *Site
	replays     bool               // whether settings that only a replay depends on count
	knowsQueues bool               // whether the site's queues are known
	usage       map[string]float64 // of entities, instead of what the usage file has
	entity      string             // of the last setting, "" for none
	isNew       bool               // whether it is new
}

// set sets one thing and returns what it was.
func (e *editor) set(name, value string) (was string, err error) {
	if name == walltimeSetting && e.replays {
		return "", e.walltime(value)
	}
	at := strings.LastIndexByte(name, '.')
	if at < 1 {
		return "", errors.New("expected ENTITY.shares, ENTITY.usage, queue.NAME.priority, sched.NAME or server.NAME")
	}
	of, what := name[:at], name[at+1:]
	if reservation, ok := strings.CutPrefix(name, "reservation."); ok && e.replays && reservation != "shares" && reservation != "usage" {
		return "", e.reserve(reservation, value)
	}
	if name == addedNodes && e.replays {
		for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ':' || r == '+' }) {
			if resource, _, ok := strings.Cut(part, "="); ok {
				if err := e.site.CheckResource(resource); err != nil {
					return "", err
				}
			}
		}
		e.site.AddedNodes = value
		return "", nil
	}
	if name == removedNodes && e.replays {
		e.site.RemovedNodes = value
		return "", nil
	}
	if names, isOfVnode := strings.CutPrefix(of, "node."); isOfVnode && e.replays {
		return "", e.awayNodes(names, what, value)
	}
	for _, object := range []string{"server", "sched"} { // whose attributes may be of resources
		if rest, ok := strings.CutPrefix(name, object+"."); ok {
			of, what = object, rest
		}
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

// awayNodes takes vnodes away for a while.
func (e *editor) awayNodes(names, what, value string) error {
	from, to, isSpan := strings.Cut(value, "/")
	switch {
	case what != "down" && what != "offline":
		return errors.New(report.NoSuch("setting", "node."+names+"."+what, []string{"node." + names + ".down", "node." + names + ".offline"}))
	case !isSpan || strings.TrimSpace(from) == "" || strings.TrimSpace(to) == "":
		return fmt.Errorf("%q is not FROM/TO, such as 2026-03-02 08:10/2026-03-02 10:00", value)
	}
	e.site.AwayNodes = append(slices.Clone(e.site.AwayNodes), AwayVnodes{names, what == "down", strings.TrimSpace(from), strings.TrimSpace(to)})
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
	e.site.ReservationChanges = append(slices.Clone(e.site.ReservationChanges), c)
	return nil
}

// ReplaySettings returns the names of the settings that WithReplayed knows of the scheduler, the
// server and a queue, those of resources without the resource.
func ReplaySettings(queue string) []string {
	e := editor{replays: true}
	return append(e.settings(), e.queueSettings(queue)...)
}

// settings returns the names of what can be set of the scheduler and the server.
func (e *editor) settings() []string {
	var names []string
	for name := range attributes {
		if name != "job_sort_formula" {
			names = append(names, "sched."+name)
		}
	}
	for _, name := range fstree.Settings() {
		if e.replays || !fstree.IsPlacement(name) {
			names = append(names, "sched."+name)
		}
	}
	for _, name := range replayed {
		switch {
		case !e.replays && !slices.Contains(softLimits, name):
		case isOfScheduler(name):
			names = append(names, "sched."+name)
		default:
			names = append(names, "server."+name)
		}
	}
	return names
}

// queueSettings returns the names of what can be set of a queue.
func (e *editor) queueSettings(queue string) []string {
	names := []string{"queue." + queue + ".priority", "queue." + queue + ".started"}
	for _, name := range replayed {
		if (e.replays || slices.Contains(softLimits, name)) && isQueueReplayed(name) {
			names = append(names, "queue."+queue+"."+name)
		}
	}
	return names
}

// attribute sets an attribute of the server or its scheduler, or a setting of
// sched_config.
func (e *editor) attribute(of, name, value string) (was string, err error) {
	attribute, isAttribute := attributes[name]
	switch {
	case name == "job_sort_formula":
		return "", errors.New("a formula is given by itself, not as a setting")
	case isAttribute:
		return attribute.get(&e.site.Sched), attribute.set(&e.site.Sched, value)
	case IsReplayed(name) && (e.replays || IsSoft(name)):
		if err := e.check(name, value); err != nil {
			return "", err
		}
		of := &e.site.Sched.Server
		if isOfScheduler(name) {
			of = &e.site.Sched.Scheduler
		}
		was = (*of)[name]
		*of = of.set(name, value)
		return was, nil
	case !fstree.IsSetting(name) && !fstree.IsPlacement(name) && !IsReplayed(name) && !fstree.IsKnown(name):
		isOther := func(setting string) bool { return !strings.HasPrefix(setting, of+".") }
		return "", errors.New(report.NoSuch("setting", of+"."+name, slices.DeleteFunc(e.settings(), isOther)))
	case e.replays && !fstree.IsSetting(name) && !fstree.IsPlacement(name):
		return "", errors.New("no replay depends on it")
	case !fstree.IsSetting(name) && !e.replays:
		return "", errors.New("the order of jobs does not depend on it")
	case of == "server":
		return "", fmt.Errorf("it is the scheduler's: sched.%s", name)
	case name == "fair_share" && !e.site.HasTree():
		return "", errNoTree
	}
	if n := len(value); n > 1 && strings.IndexByte(`"'`, value[0]) >= 0 && value[n-1] == value[0] {
		value = value[1 : n-1] // as in the file
	}
	config, problems := fstree.ParseConfig(fstree.SetInConfig("", name, value))
	if len(problems) > 0 {
		return "", errors.New(problems[0].Message)
	}
	if err := e.checkConfig(name, &config); err != nil {
		return "", err
	}
	if e.site.SchedPriv == nil {
		e.site.SchedPriv = &SchedPriv{Tree: fstree.New(0, 0), NoTree: errors.New("there is no sched_priv")}
	}
	priv := e.site.SchedPriv
	was = priv.Config.Setting(name)
	priv.configText = fstree.SetInConfig(priv.configText, name, value)
	priv.Config, _ = fstree.ParseConfig(priv.configText)
	if name == "unknown_shares" {
		priv.Tree.SetShares(fstree.Unknown, priv.Config.UnknownShares)
	}
	return was, nil
}

func (e *editor) queue(name, what, value string) (was string, err error) {
	if what == "priority" {
		what = "Priority"
	}
	at := slices.IndexFunc(e.site.Queues, func(q Queue) bool { return q.Name == name })
	switch {
	case !slices.Contains(queueAttributes, what) && !(isQueueReplayed(what) && (e.replays || IsSoft(what))):
		return "", errors.New(report.NoSuch("setting", "queue."+name+"."+what, e.queueSettings(name)))
	case at < 0 && e.knowsQueues:
		var names []string
		for _, q := range e.site.Queues {
			names = append(names, q.Name)
		}
		return "", errors.New(report.NoSuch("queue", name, names))
	case at < 0:
		at = len(e.site.Queues)
		e.site.Queues = append(e.site.Queues, Queue{Name: name})
	}
	q := &e.site.Queues[at]
	if isQueueReplayed(what) {
		if err := e.check(what, value); err != nil {
			return "", err
		}
		was = q.Attributes[what]
		q.Attributes = q.Attributes.set(what, value)
		return was, nil
	}
	if what == "Priority" {
		was = strconv.Itoa(q.Priority)
	} else {
		if !strings.EqualFold(value, "true") && !strings.EqualFold(value, "false") {
			return "", errors.New("started is true or false")
		}
		was = strconv.FormatBool(!q.Stopped)
	}
	if priority, err := strconv.Atoi(value); what == "Priority" && (err != nil || priority < -1024 || priority > 1023) {
		return "", fmt.Errorf("%q is not a priority, from -1024 to 1023", value)
	}
	return was, q.set(what, value)
}
