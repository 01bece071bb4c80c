package pbs

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
)

// What a person gives in the place of a site's own attributes or queues is of two kinds. A print or a list says all of what it
// is about, and replaces it: what it does not set is not set. Commands for qmgr are changes on top of what is there:
//
//	# Set server attributes.                  set server backfill_depth = 5
//	set server scheduling = True              unset server max_run
//	...                                       set queue workq max_run -= "[u:bob=3]"

var (
	printed = pattern.Of(`(?m)^(?:#\s*(?:Create \w+ and (?:set|define)|Create and define|Set \w+ attributes)\b|(?:Server|Sched|Queue):? +\S|\s*\{)`)
	creates = pattern.Of(`(?m)(?:^|;)\s*(?:Qmgr: )?c(?:reate)?\s+([a-z]+)\s+([^\s,;]+)`)
	undoes  = pattern.Of(`(?m)^\s*(?:Qmgr: )?(?:(?:u|unset|d|delete)\s+[a-z]|(?:s|set)\s[^=]*-=)`)
)

// isCommands reports whether a text is commands for qmgr that somebody wrote, and not what qmgr or qstat prints of all. Commands
// create queues that the site does not have, as qmgr refuses others; a print of which somebody has taken the comments creates those too.
func isCommands(own []*Object, text string) bool {
	switch {
	case undoes().MatchString(text):
		return true
	case printed().MatchString(text):
		return false
	}
	for _, created := range creates().FindAllStringSubmatch(text, -1) {
		isIt := func(o *Object) bool { return o.Kind == "queue" && o.Name == created[2] }
		if begun(kinds, created[1]) != "queue" || slices.ContainsFunc(own, isIt) || len(own) == 0 || own[0].Kind != "queue" {
			return false
		}
	}
	return true
}

// given is what a file that wins over a site's own attributes or queues makes of them.
type given struct {
	objects    []*Object // of the site, with the file
	touched    []*Object // those that the file itself has, or changes
	stated     []*Object // those that the file itself has
	about      []string  // the kinds of objects that commands of the file change, or would
	isCommands bool
	remarks    []diag.Remark
}

// over reads a file that wins over some objects of a site.
func over(own []*Object, from file.Source) (*given, error) {
	text, err := from.Text(maxFile)
	if err != nil {
		return nil, err
	}
	g := &given{isCommands: len(own) > 0 && isCommands(own, text)}
	if !g.isCommands {
		g.touched, g.remarks = ParseObjects(from.Name, text)
		g.stated = g.touched
		for _, o := range g.touched {
			own = slices.DeleteFunc(slices.Clone(own), o.isSame)
		}
		g.objects = append(own, g.touched...)
		return g, nil
	}
	p := parseChanges(own, text)
	g.objects, g.stated, g.about, g.remarks = p.objects, parseText(text).objects, p.about, sayCutOff(from.Name, text)
	g.touched = slices.Clone(g.stated)
	for _, problem := range p.problems {
		g.remarks = append(g.remarks, diag.Damagef("%s: %v", from.Name, problem))
	}
	for _, o := range own { // also those of which it only takes away
		isIt := func(other *Object) bool { return other.isSame(o) }
		at := slices.IndexFunc(g.objects, isIt)
		if !slices.ContainsFunc(g.touched, isIt) && (at < 0 || !slices.Equal(g.objects[at].Attributes, o.Attributes)) {
			g.touched = append(g.touched, o)
		}
	}
	return g, nil
}

// isSame reports whether two objects are one of a site, which has one server.
func (o *Object) isSame(other *Object) bool {
	return o.Kind == other.Kind && (o.Name == other.Name || o.Kind == "server")
}

// without takes away what a file has of the kinds given, which is not read here, and says what would read it.
func (g *given) without(from file.Source, reader string, kinds ...string) {
	isOther := func(o *Object) bool { return slices.Contains(kinds, o.Kind) }
	if at := slices.IndexFunc(g.touched, isOther); at >= 0 {
		line := ""
		if o := g.touched[at]; len(o.Attributes) > 0 {
			line = fmt.Sprintf("line %d: ", o.Attributes[0].Line)
		}
		g.remarks = append(g.remarks, diag.Notef("%s: %swhat it says of %s is not read here, and counts with %s %s", from.Name, line, g.touched[at], reader, report.Quote(from.Name)))
	}
	g.touched, g.objects = slices.DeleteFunc(slices.Clone(g.touched), isOther), slices.DeleteFunc(slices.Clone(g.objects), isOther)
}

// ofFile returns the objects that the file itself has, without those that are not read of it.
func (g *given) ofFile() []*Object {
	return slices.DeleteFunc(slices.Clone(g.touched), func(o *Object) bool { return !slices.Contains(g.stated, o) })
}

// isAbout reports whether the file has objects of some kinds, or commands that would change some.
func (g *given) isAbout(kinds ...string) bool {
	isOne := func(kind string) bool { return slices.Contains(kinds, kind) }
	return slices.ContainsFunc(g.touched, func(o *Object) bool { return isOne(o.Kind) }) || slices.ContainsFunc(g.about, isOne)
}

// sayUnknown says of attributes that are not known here, and of those that commands set and on which nothing depends.
func (g *given) sayUnknown(from file.Source) {
	if !g.isCommands {
		g.remarks = append(g.remarks, sayUnknown(from.Name, g.ofFile(), "server", "sched", "queue")...)
		return
	}
	for _, o := range g.ofFile() {
		for _, a := range o.Attributes {
			if s := SettingOf(ownerOf[o.Kind], a.Name); (s == nil || s.Without != "") && SettingOf(OfAttributes, a.Name) == s {
				g.remarks = append(g.remarks, diag.Warningf("%s: line %d: %s of %s changes nothing: no answer depends on an attribute of this name%s", from.Name, a.Line, a.Name, o, meantAttribute(o.Kind, a.Name)))
			}
		}
	}
}

// saySettled says whether a file was applied on top of what the site has or took its place, and what of that no longer counts.
func (g *given) saySettled(own []*Object, from file.Source, what, try string) {
	if g.isCommands {
		g.remarks = append(g.remarks, diag.Notef("%s has commands for qmgr: they change what the site's own %s are, which else stay", from.Name, what))
		return
	}
	const most = 5
	if lost := g.lost(own); len(lost) > 0 {
		names := strings.Join(lost[:min(most, len(lost))], ", ")
		if len(lost) > most {
			names += ", …"
		}
		g.remarks = append(g.remarks, diag.Warningf("%s takes the place of the site's own %s: %s, which it does not set, no longer count (%d); %s", from.Name, what, names, len(lost), try))
	}
}

// lost returns the names of what a site has and a print that takes its place has not, as far as anything depends on it.
func (g *given) lost(own []*Object) []string {
	var lost, most []string // those that change an order or a cycle come first
	for _, o := range own {
		at := slices.IndexFunc(g.touched, func(other *Object) bool { return other.isSame(o) })
		if at < 0 && o.Kind == "queue" {
			lost = append(lost, o.String())
		}
		if at < 0 {
			continue
		}
		for _, a := range o.Attributes {
			isThere := slices.ContainsFunc(g.touched[at].Attributes, func(b Attribute) bool { return a.Name == b.Name })
			name := a.Name
			if o.Kind == "queue" {
				name += " of " + o.String()
			}
			switch {
			case isThere || !a.counts(o.Kind) || slices.Contains(most, name) || slices.Contains(lost, name):
			case SettingOf(ownerOf[o.Kind], a.Name).Acts != 0:
				most = append(most, name)
			default:
				lost = append(lost, name)
			}
		}
	}
	return append(most, lost...)
}

// counts reports whether anything depends on an attribute being set as it is.
func (a *Attribute) counts(kind string) bool {
	s := SettingOf(ownerOf[kind], a.Name)
	if s == nil || s.Acts == 0 && !s.isText {
		return false
	}
	bare := defaultSched()
	switch {
	case kind == "sched" && s.isSwitch, kind == "queue" && s.Name == "started":
		return !strings.EqualFold(a.Value, "false") // as it is where it is not set
	case s.Name == "preempt_order":
		return a.Value != "SCR"
	case s.field != nil:
		return s.field.get(&bare) != a.Value
	}
	return true
}

// ownAttributes returns the site's own server and schedulers, each with all that its sources tell.
func (f *Files) ownAttributes(known *Sched) []*Object {
	var own []*Object
	for _, from := range f.Sched {
		text, err := from.Text(maxFile)
		if err != nil {
			continue // which is told when it is read for what it says
		}
		objects, _ := ParseObjects(from.Name, text)
		for _, o := range objects {
			at := slices.IndexFunc(own, o.isSame)
			switch {
			case o.Kind != "server" && o.Kind != "sched":
			case at < 0:
				own = append(own, o)
			default:
				isOfNew := func(a Attribute) bool {
					return slices.ContainsFunc(o.Attributes, func(b Attribute) bool { return a.Name == b.Name })
				}
				own[at].Attributes = append(slices.DeleteFunc(own[at].Attributes, isOfNew), o.Attributes...)
			}
		}
	}
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
		set("sched", "job_sort_formula_threshold", fieldOf("job_sort_formula_threshold").get(known))
	}
	return own
}

// overrideAttributes reads the files that win over a site's own attributes.
func (f *Files) overrideAttributes(site *Site) ([]diag.Remark, error) {
	var remarks []diag.Remark
	own, sources := f.ownAttributes(&site.Sched), site.Sched.Sources
	for _, from := range f.Override {
		g, err := over(own, from)
		if err != nil {
			return remarks, err
		}
		if !f.areQueuesOf(from) {
			g.without(from, "--queues", "queue")
		} else {
			g.objects = slices.DeleteFunc(g.objects, func(o *Object) bool { return o.Kind == "queue" })
		}
		isOfServer := slices.ContainsFunc(g.touched, func(o *Object) bool { return o.Kind == "server" })
		switch {
		case g.isAbout("server", "sched"):
		case g.isAbout("queue"):
			return append(remarks, g.remarks...), fmt.Errorf("%s has commands for qmgr on queues, which count with --queues %s, and none on the server or its schedulers", from.Name, report.Quote(from.Name))
		default:
			return append(remarks, g.remarks...), errNoAttributes(from)
		}
		g.sayUnknown(from)
		g.saySettled(own, from, "attributes of the server and its schedulers", "--set tries a change of one, such as --set server.backfill_depth=5")
		var alone Sched
		_, wrong := alone.take(g.ofFile(), from.Name+": ", site.Scheduler.Name)
		g.remarks = append(g.remarks, wrong...)
		g.keepUnset(own)
		hadFormula := hasFormula(own)
		own = g.objects
		switch {
		case isOfServer && !g.isCommands:
			sources = []string{from.Name}
		case hadFormula && !hasFormula(own): // which sets none
			sources = append([]string{from.Name}, sources...)
		default:
			sources = append(slices.Clone(sources), from.Name)
		}
		remarks = append(remarks, g.remarks...)
	}
	before := site.Sched
	site.Sched = defaultSched()
	site.Sched.take(own, "", site.Scheduler.Name)
	site.Sched.Sources = sources
	if !site.Sched.OfServer {
		site.Sched.OfServer = before.OfServer
	}
	return remarks, nil
}

// hasFormula reports whether the server or a scheduler has a formula.
func hasFormula(objects []*Object) bool {
	return slices.ContainsFunc(objects, func(o *Object) bool {
		return slices.ContainsFunc(o.Attributes, func(a Attribute) bool { return a.Name == formulaName && a.Value != "" })
	})
}

// areQueuesOf reports whether a file is also read for the queues.
func (f *Files) areQueuesOf(from file.Source) bool {
	return f.OverrideQueues.IsGiven() && f.OverrideQueues.Name == from.Name
}

// keepUnset keeps what qmgr does not set, and its print does not tell, such as whether there are hooks, in objects of a print.
func (g *given) keepUnset(own []*Object) {
	if g.isCommands {
		return
	}
	for _, o := range own {
		at := slices.IndexFunc(g.objects, o.isSame)
		if at < 0 {
			continue
		}
		kept := *g.objects[at]
		for _, a := range o.Attributes {
			s := SettingOf(ownerOf[o.Kind], a.Name)
			isThere := slices.ContainsFunc(kept.Attributes, func(b Attribute) bool { return a.Name == b.Name })
			if s != nil && s.Lacks != "" && s.Acts == 0 && !isThere {
				kept.Attributes = append(slices.Clone(kept.Attributes), a)
			}
		}
		g.objects[at] = &kept
	}
}

// HasQueues reports whether anything is given that tells the queues.
func (f *Files) HasQueues() bool { return f.BestQueues().IsGiven() }

// BestQueues returns the source that tells the queues, before others.
func (f *Files) BestQueues() file.Source {
	if f.OverrideQueues.IsGiven() || len(f.Queues) == 0 {
		return f.OverrideQueues
	}
	return f.Queues[0]
}

// readQueues reads the queues of a site, and of what a person gives for them.
func (f *Files) readQueues(site *Site) ([]diag.Remark, error) {
	if !f.OverrideQueues.IsGiven() {
		return site.readQueues(f.Queues)
	}
	var own []*Object
	for _, from := range f.Queues {
		if text, err := from.Text(maxFile); err == nil && own == nil {
			own, _ = ParseObjects(from.Name, text)
			own = slices.DeleteFunc(own, func(o *Object) bool { return o.Kind != "queue" })
		}
	}
	from := f.OverrideQueues
	g, err := over(own, from)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(f.Override, func(of file.Source) bool { return of.Name == from.Name }) {
		g.without(from, "--sched", "server", "sched")
	}
	switch {
	case g.isAbout("queue"):
	case g.isCommands && g.isAbout("server", "sched"):
		return g.remarks, fmt.Errorf("%s has commands for qmgr on the server or its schedulers, which count with --sched %s, and none on queues", from.Name, report.Quote(from.Name))
	default:
		return g.remarks, errNoQueue(from)
	}
	if g.sayUnknown(from); !g.isCommands { // queues that it does not name are not there
		g.objects = g.touched
	}
	g.saySettled(own, from, "queues", "--set tries a change of one, such as --set queue.NAME.priority=5")
	var more []diag.Remark
	site.Queues, more, err = queuesOf(from.Name, g.objects)
	return append(g.remarks, more...), err
}

// parseChanges returns the parser of commands that has the objects of a site, as they make them.
func parseChanges(own []*Object, text string) *objectParser {
	p := &objectParser{byName: map[string]*Object{}, lines: strings.SplitAfter(text, "\n")}
	for _, o := range own {
		copied := *o
		copied.Attributes = slices.Clone(o.Attributes)
		p.objects, p.isOfQueues = append(p.objects, &copied), o.Kind == "queue"
		p.byName[o.Kind+" "+o.Name] = &copied
		if o.Kind == "server" {
			p.byName[o.Kind+" "] = &copied // commands do not name it
		}
	}
	p.all()
	if p.behind > 0 {
		p.problem(p.behind, behindQuit)
	}
	return p
}
