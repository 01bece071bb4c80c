package pbs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

// overrides returns the files that are given over what a site tells, each once.
func (f *Files) overrides() []file.Source {
	all := slices.Clone(f.Override)
	if f.OverrideQueues.IsGiven() && !slices.ContainsFunc(all, func(of file.Source) bool { return of.Name == f.OverrideQueues.Name }) {
		all = append(all, f.OverrideQueues)
	}
	return all
}

func (f *Files) hasOverrides() bool { return len(f.overrides()) > 0 }

// HasQueues reports whether anything is given that may tell the queues.
func (f *Files) HasQueues() bool { return len(f.Queues) > 0 || f.hasOverrides() }

// own returns the server, the schedulers, the queues and the resources of a site, each with all that its sources tell, and whether
// they tell of the server and of a scheduler more than the formula and its threshold. What is to be said of the files of the queues
// is in the remarks: those of the others are read, and told, by themselves.
func (f *Files) own(known *Sched) (own []*Object, isTold func(*Object) bool, remarks []diag.Remark) {
	objectsOf := func(from file.Source) []*Object {
		text, err := from.Text(maxFile)
		if err != nil {
			return nil // which is told when it is read for what it says
		}
		objects, _ := ParseObjects(from.Name, text)
		return objects
	}
	for _, from := range f.Sched {
		for _, o := range objectsOf(from) {
			was := o.in(own)
			switch {
			case o.Kind != "server" && o.Kind != "sched":
			case was == nil:
				own = append(own, o)
			default:
				isOfNew := func(a Attribute) bool {
					return slices.ContainsFunc(o.Attributes, func(b Attribute) bool { return a.Name == b.Name })
				}
				was.Attributes = append(slices.DeleteFunc(was.Attributes, isOfNew), o.Attributes...)
			}
		}
	}
	told := slices.Clone(own)
	queues, remarks, err := firstQueues(f.Queues)
	if err != nil { // what is given over them may have some
		remarks = append(remarks, diag.Damagef("%v", err))
	}
	own, told = append(own, queues...), append(told, queues...)
	set := func(kind, name, value string) {
		isIt := func(o *Object) bool { return o.Kind == kind }
		if !slices.ContainsFunc(own, isIt) {
			own = append(own, &Object{Kind: kind, Name: nameOf(kind, "")})
		}
		own[slices.IndexFunc(own, isIt)].change(name, "=", value, 0)
	}
	if f.Formula.IsGiven() {
		set("server", formulaName, known.Formula)
	}
	if f.Threshold.IsGiven() {
		set("sched", thresholdName, fieldOf(thresholdName).get(known))
	}
	if len(own) > 0 || f.SchedPriv.Name != "" {
		for _, o := range f.assumed(own, told) {
			if told = append(told, o); o.in(own) == nil {
				own = append(own, o)
			}
		}
	}
	return own, func(o *Object) bool { return o.in(told) != nil }, remarks
}

// assumed returns the server and the scheduler that commands change of a site which tells nothing of them: nothing of them is set, but
// for a formula and a threshold that are known by themselves. The formula may be the one that the server has left in sched_priv.
func (f *Files) assumed(own, told []*Object) (assumed []*Object) {
	for _, from := range f.overrides() {
		text, err := from.Text(maxFile)
		if err != nil || !isCommands(text) {
			continue
		}
		p := parseChanges(own, there{}, text)
		about := p.about
		if set := p.find("server", ""); set != nil && set.value(formulaName) != "" && !f.knowsFormula(told) && len(f.Sched) == 0 {
			return nil // the file is what tells the attributes of the site
		}
		for _, kind := range []string{"server", "sched"} {
			isOne := func(o *Object) bool { return o.Kind == kind }
			if !slices.Contains(about, kind) || slices.ContainsFunc(told, isOne) || slices.ContainsFunc(assumed, isOne) {
				continue
			}
			o := cmp.Or((&Object{Kind: kind, Name: nameOf(kind, "")}).in(own), &Object{Kind: kind, Name: nameOf(kind, "")})
			if left, err := leftFormula(f.SchedPriv); kind == "server" && !f.Formula.IsGiven() && err == nil && left != "" {
				o.change(formulaName, "=", left, 0)
			}
			o.IsAssumed = true
			assumed = append(assumed, o)
		}
	}
	return assumed
}

// knowsFormula reports whether a site tells its formula by itself, or has one left in sched_priv.
func (f *Files) knowsFormula(told []*Object) bool {
	left, err := leftFormula(f.SchedPriv)
	return f.Formula.IsGiven() || err == nil && left != "" || slices.ContainsFunc(told, func(o *Object) bool { return o.Kind == "server" })
}

// sayAssumed says of what commands change and nothing tells what it is taken to be.
func (f *Files) sayAssumed(own []*Object) (remarks []diag.Remark) {
	for _, o := range own {
		if !o.IsAssumed {
			continue
		}
		whose, but := map[string]string{"server": "the server", "sched": "the scheduler"}[o.Kind], ""
		switch formula := o.value(formulaName); {
		case f.Formula.IsGiven() && o.Kind == "server":
			but = fmt.Sprintf(" but the formula of %s: %s", f.Formula.Name, cmp.Or(formula, "none"))
		case formula != "":
			but = fmt.Sprintf(" but the formula of %s: %s", f.SchedPriv.Join(FormulaFile), formula)
		case o.value(thresholdName) != "":
			but = " but the threshold of the formula"
		}
		remarks = append(remarks, diag.Notef("the site tells no attributes of %s: what commands for qmgr set is a change of one that sets nothing%s", whose, but))
	}
	return remarks
}

// overridden is what files that are given over what a site tells make of it.
type overridden struct {
	objects []*Object // as the site is read
	asked   []Asked   // what is tried besides
	sources []string  // the files that tell of a server or a scheduler of which the site tells nothing
	remarks []diag.Remark
}

// overriding reads the files that are given over what a site tells. Of what it tells nothing of they tell what it has, and so they do
// of attributes that are read as they are; all else is tried. Of a site as it is nothing else counts than what it tells nothing of.
func (f *Files) overriding(known *Sched, scheduler string, resources map[string]formula.Type) (*overridden, error) {
	own, isTold, said := f.own(known)
	now, where := own, map[string]Place{}
	counts := func(o *Object) bool { return o.Kind != "sched" || o.isSame(&Object{Kind: "sched", Name: scheduler}) } // of schedulers, only one does
	key := func(o *Object, attribute string) string {
		if o.Kind == "queue" {
			return o.Kind + " " + o.Name + " " + attribute
		}
		return o.Kind + "  " + attribute
	}
	all := &overridden{remarks: append(said, f.sayAssumed(own)...)}
	and, nodes := f.there(resources), nodesOf{}
	for _, from := range f.overrides() {
		if text, err := from.Text(maxFile); err == nil && isConfig(text) {
			continue // which askConfig takes, once the site's own is known
		}
		g, err := over(now, and, from)
		if err != nil {
			return all, err
		}
		all.remarks = append(all.remarks, g.remarks...)
		g.asked = g.askNodes(from, and, &nodes, all.asked)
		if err := f.checkAbout(g, from); err != nil {
			return all, err
		}
		g.remarks = nil
		g.refuse(now, from, resources, isTold)
		g.checkResources(from)
		g.sayUnknown(from)
		g.sayUnmodelled(from)
		g.saySettled(now, from)
		g.sayClosed(now, from)
		g.sayRead(now, from)
		g.saySame(now, from)
		g.keepUnset(now)
		for _, o := range slices.Concat(now, g.objects) { // which may set or unset it
			for _, a := range o.Attributes {
				if counts(o) {
					where[key(o, a.Name)] = g.whereOf(from, o, a.Name, where[key(o, a.Name)], now)
				}
			}
		}
		isOf := func(o *Object) bool { return (o.Kind == "server" || o.Kind == "sched") && !isTold(o) }
		if slices.ContainsFunc(g.touched, isOf) {
			all.sources = append(all.sources, from.Name)
			if f.SchedPriv.Name != "" && !f.knowsFormula(nil) && len(f.Sched) == 0 && g.setsFormula() {
				g.remarks = append(g.remarks, diag.Notef("%s: its formula, and what else it sets of the server and of schedulers, is taken as the site's own, as the site tells none", from.Name))
			}
		}
		var read Sched // what is tried is checked where it is
		_, wrong := read.take(asRead(g.touched, isTold), from.Name, scheduler)
		g.remarks = append(g.remarks, wrong...)
		all.remarks = append(all.remarks, g.remarks...)
		all.asked = g.asked
		now = g.objects
	}
	if f.IsOwn {
		return &overridden{objects: f.untouched(own, now, isTold), sources: all.sources}, nil
	}
	whereOf := func(o *Object, attribute string) Place { return where[key(o, attribute)] }
	for _, was := range own {
		o := was.in(now)
		if o == nil { // which no scheduler forgets while it has jobs
			left := *was
			left.Attributes = slices.Clone(was.Attributes)
			if was.Kind == "queue" {
				left.change("enabled", "=", "False", 0)
				left.IsDeleted = true
			}
			all.objects = append(all.objects, &left)
			all.remarks = append(all.remarks, diag.Notef("%s is deleted: PBS does that once no job is in it, so that those which are there count as they are, and no others come in", was))
			continue
		}
		if !isTold(was) {
			all.objects = append(all.objects, o)
			continue
		}
		read := asRead([]*Object{o}, isTold)[0]
		for _, a := range was.Attributes {
			if isTried(o.Kind, a.Name) {
				read.Attributes = append(read.Attributes, a)
			}
		}
		all.objects = append(all.objects, read)
		if counts(o) {
			all.asked = append(all.asked, askedOf(was, o, whereOf)...)
		}
	}
	for _, o := range now {
		if o.in(own) == nil {
			all.objects = append(all.objects, o)
		}
	}
	return all, nil
}

// untouched returns the objects of a site as it is, before files have made of them what they are now: those of which it tells, and
// of those of whose kind it tells nothing what the files tell.
func (f *Files) untouched(own, now []*Object, isTold func(*Object) bool) (objects []*Object) {
	tells := map[string]bool{"resource": f.Resources.IsGiven()}
	for _, was := range own {
		o := was
		if !isTold(was) {
			o = cmp.Or(was.in(now), was)
		}
		objects, tells[was.Kind] = append(objects, o), true
	}
	return append(objects, slices.DeleteFunc(slices.Clone(now), func(o *Object) bool { return tells[o.Kind] })...)
}

// joined returns the entries of two maps, of which the second one wins.
func joined[V any](a, b map[string]V) map[string]V {
	all := map[string]V{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

// asRead returns objects with the attributes that are not tried: all of those of which a site tells nothing.
func asRead(objects []*Object, isTold func(*Object) bool) (read []*Object) {
	for _, o := range objects {
		isOne := func(a Attribute) bool { return isTold(o) && isTried(o.Kind, a.Name) }
		copied := *o
		copied.Attributes = slices.DeleteFunc(slices.Clone(o.Attributes), isOne)
		read = append(read, &copied)
	}
	return read
}

// checkAbout returns what is wrong with a file of which nothing is read.
func (f *Files) checkAbout(g *given, from file.Source) error {
	isOfQueues := f.OverrideQueues.IsGiven() && f.OverrideQueues.Name == from.Name
	isOfSched := slices.ContainsFunc(f.Override, func(of file.Source) bool { return of.Name == from.Name })
	switch {
	case g.isEmpty:
		return fmt.Errorf("%s is empty", from.Name)
	case f.IsChecked && g.isWritten && len(g.touched) == 0 && g.areCommands: // as one that only deletes or unsets, of a site that nothing tells
	case g.isCommands && (len(g.asks) > 0 || g.isAbout("server", "sched", "queue")):
	case f.IsChecked && g.isAbout("resource", "node", "hook"): // whose lines are looked at, whatever comes of them
	case g.isCommands && len(g.about) > 0:
		return fmt.Errorf("%s has commands for qmgr, and none on the server, its schedulers or queues: %s cannot be tried with them%s", from.Name, report.First(slices.Compact(slices.Sorted(slices.Values(g.about)))), g.firstMissed())
	case g.isCommands && g.missed != nil:
		return fmt.Errorf("%s calls qmgr, and none of its commands can be read: %v", from.Name, g.missed)
	case g.isAbout("server", "sched") || isOfQueues && g.isAbout("queue"):
	case isOfQueues && !isOfSched:
		return errNoQueue(from)
	case !g.isAbout("queue"):
		return fmt.Errorf("%s is none of these: commands for qmgr, lines of a sched_config, qmgr's print or list of server, sched or queue, qstat -Bf%s", from.Name, g.firstMissed())
	}
	return nil
}

// firstMissed says which line of a file is the first that is not understood, "" where none is.
func (g *given) firstMissed() string {
	at := slices.IndexFunc(g.remarks, func(r diag.Remark) bool { return r.IsWrong && r.Line > 0 })
	if at < 0 {
		return ""
	}
	return fmt.Sprintf(" (line %d: %s)", g.remarks[at].Line, g.remarks[at].Bare())
}

// whereOf returns where a file says something of an attribute, what it was before where it does not.
func (g *given) whereOf(from file.Source, o *Object, attribute string, before Place, own []*Object) Place {
	now, was := o.in(g.objects), o.in(own)
	if now == nil || was != nil && now.value(attribute) == was.value(attribute) {
		return before
	}
	line := 0
	for _, a := range now.Attributes {
		if a.Name == attribute {
			line = a.Line
		}
	}
	for _, c := range g.done {
		isIt := func(a Attribute) bool { return a.Name == attribute || strings.HasPrefix(attribute, a.Name+".") }
		if line == 0 && slices.ContainsFunc(c.unset, func(u *Object) bool { return u.isSame(o) && slices.ContainsFunc(u.Attributes, isIt) }) {
			line = c.line
		}
	}
	return Place{from.Name, line}
}

// override reads what is given over what a site tells.
func (f *Files) override(site *Site) ([]diag.Remark, error) {
	all, err := f.overriding(&site.Sched, site.Scheduler.Name, site.Resources)
	if err != nil {
		return all.remarks, err
	}
	before := site.Sched
	site.Sched, site.Asked = defaultSched(), all.asked
	site.Sched.take(all.objects, "", site.Scheduler.Name)
	site.Sched.Sources = append(slices.Clone(before.Sources), all.sources...)
	site.Sched.OfServer = site.Sched.OfServer || before.OfServer
	site.Sched.Hooks = before.Hooks
	site.Sched.takeHooks(all.objects)
	site.takeQueues(all)
	if site.Resources != nil {
		added, _ := resourcesOf(all.objects)
		site.Resources, site.Flags = joined(site.Resources, added), joined(site.Flags, flagsOf(all.objects))
	}
	return all.remarks, nil
}

// takeQueues takes the queues among objects, of whose values the remarks say which do not count.
func (s *Site) takeQueues(all *overridden) {
	if queues, _ := queuesOf("", all.objects); len(queues) > 0 {
		s.Queues = queues
	}
}

// readQueues reads the queues of a site, and of what a person gives for them.
func (f *Files) readQueues(site *Site) ([]diag.Remark, error) {
	if !f.hasOverrides() {
		return site.readQueues(f.Queues)
	}
	all, err := f.overriding(&site.Sched, site.Scheduler.Name, site.Resources)
	if err != nil {
		return all.remarks, err
	}
	site.takeQueues(all)
	return all.remarks, nil
}
