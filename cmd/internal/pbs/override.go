package pbs

import (
	"cmp"
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
	printed    = pattern.Of(`(?m)^(?:# (?:Create \w+ and set their (?:attributes|properties)|Set \w+ attributes)\.\s*$|# Create and define \w+ \S+\s*$|(?:Server|Sched|Queue):? +\S)|\A\s*\{\s*(?:["}]|\z)`)
	creates    = pattern.Of(`(?m)^(?:create queue|Queue:?) +\S`)
	prompts    = pattern.Of(`(?m)^Qmgr: `)
	aboutNodes = pattern.Of(`\bn(?:o(?:d(?:e)?)?)?\s`)
	undoes     = pattern.Of(`(?m)^\s*(?:Qmgr: )?(?:(?:u|unset|d|delete)\s+[a-z]|(?:s|set)\s[^=]*-=)`)
)

// isCommands reports whether a text is commands for qmgr that somebody wrote, and not what qmgr or qstat prints of all.
func isCommands(text string) bool {
	return undoes().MatchString(text) || !printed().MatchString(text) || prompts().MatchString(text)
}

// AreCommands reports whether a text begins as commands for qmgr do that somebody wrote, or is a script of a shell that calls qmgr. It
// is false for what qmgr prints.
func AreCommands(text string) bool {
	if !isCommands(text) {
		return false
	}
	isScript := callsQmgr(text) && scripted().MatchString(text)
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return isScript || isCommand(strings.TrimPrefix(line, prompt)) || qmgrCall().MatchString(line)
		}
	}
	return false
}

// given is what a file that wins over a site's own attributes or queues makes of them.
type given struct {
	objects     []*Object // of the site, with the file
	touched     []*Object // those that the file itself has, or changes
	about       []string  // the kinds of objects that commands of the file change, or would
	done        []passed  // its commands
	isWritten   bool      // whether they are commands for qmgr that somebody wrote
	isCommands  bool      // whether these change what is there
	areCommands bool      // whether they begin as such, as AreCommands says
	isEmpty     bool
	creates     bool  // whether it creates queues, so that it has those that it names, where nothing else tells any
	missed      error // the first line that is not understood of a script that calls qmgr, nil for none
	remarks     []diag.Remark
	guessed     map[string]bool // the resources of which it is said that they may be misspelt

	asked []Asked        // of vnodes, by this file and those before it
	asks  map[doing]bool // what its commands do that asks for it
}

// over reads a file that wins over some objects of a site, and changes what else is there.
func over(own []*Object, and there, from file.Source) (*given, error) {
	text, err := from.Text(maxFile)
	if err != nil {
		return nil, err
	}
	isWritten := isCommands(text)
	g := &given{isWritten: isWritten, isCommands: len(own) > 0 && isWritten, areCommands: AreCommands(text), isEmpty: strings.TrimSpace(text) == "", guessed: map[string]bool{}}
	if !g.isCommands {
		g.creates = !isWritten && creates().MatchString(text)
		g.touched, g.remarks = ParseObjects(from.Name, text)
		for _, o := range own { // each in its place, since the order of queues counts
			g.objects = append(g.objects, cmp.Or(o.in(g.touched), o))
		}
		for _, o := range g.touched {
			if o.in(own) == nil {
				g.objects = append(g.objects, o)
			}
		}
		return g, nil
	}
	p := parseChanges(own, and, text)
	g.objects, g.about, g.done, g.remarks = p.objects, p.about, p.done, sayCutOff(from.Name, text)
	if len(p.problems) > 0 && strings.Contains(text, "qmgr ") {
		g.missed = p.problems[0]
	}
	g.remarks = append(g.remarks, p.remarks(from.Name)...)
	g.touched = fresh(own, g.objects)
	return g, nil
}

// fresh returns the objects that have something which they do not have before, with that alone.
func fresh(before, now []*Object) (changed []*Object) {
	for _, o := range now {
		attributes, was := o.Attributes, o.in(before)
		if was != nil {
			attributes = slices.DeleteFunc(slices.Clone(attributes), func(a Attribute) bool { return slices.Contains(was.Attributes, a) })
		}
		if was == nil || len(attributes) > 0 {
			changed = append(changed, &Object{Kind: o.Kind, Name: o.Name, Attributes: attributes})
		}
	}
	return changed
}

// isSame reports whether two objects are one of a site, which has one server.
func (o *Object) isSame(other *Object) bool {
	isDefault := o.Kind == "sched" && IsDefaultScheduler(o.Name) && IsDefaultScheduler(other.Name)
	return o.Kind == other.Kind && (o.Name == other.Name || o.Kind == "server" || isDefault)
}

// in returns that of some objects which is the same one of a site, nil for none.
func (o *Object) in(objects []*Object) *Object {
	if at := slices.IndexFunc(objects, o.isSame); at >= 0 {
		return objects[at]
	}
	return nil
}

// isAbout reports whether the file has objects of some kinds, or commands that would change some.
func (g *given) isAbout(kinds ...string) bool {
	isOne := func(kind string) bool { return slices.Contains(kinds, kind) }
	return slices.ContainsFunc(g.touched, func(o *Object) bool { return isOne(o.Kind) }) || slices.ContainsFunc(g.about, isOne)
}

// sayUnknown says of attributes that are not known here, and of those that commands set and on which nothing depends. In a print those
// count as misspelt whose names are nearly that of another one; PBS of another version may have the others.
func (g *given) sayUnknown(from file.Source) {
	isMisspelt := func(o *Object, a Attribute) bool { return a.Line > 0 && meantAttribute(o.Kind, a.Name) != "" }
	if !g.isWritten {
		var others []*Object
		for _, o := range g.touched {
			copied := *o
			copied.Attributes = slices.DeleteFunc(slices.Clone(o.Attributes), func(a Attribute) bool { return isMisspelt(o, a) && refusedName(o.Kind, a.Name) != "" })
			others = append(others, &copied)
		}
		g.remarks = append(g.remarks, sayUnknown(from.Name, others, "server", "sched", "queue")...)
	}
	for _, o := range g.touched {
		for _, a := range o.Attributes {
			if !g.isWritten && !isMisspelt(o, a) {
				continue
			}
			if s := SettingOf(OfVnode, a.Name); o.Kind == "node" && s != nil && s.Without == "" {
				continue // which is tried, or of which it is said that it is not
			}
			if why := refusedName(o.Kind, a.Name); why != "" {
				remark := diag.Warningf("%s: line %d: %s of %s does not count: %s", from.Name, a.Line, a.Name, o, why).At(from.Name, a.Line).OfAsked()
				remark.IsWrong = true
				g.remarks = append(g.remarks, remark)
				continue
			}
			if s := SettingOf(ownerOf[o.Kind], a.Name); (s == nil || s.Without != "") && g.isCommands && SettingOf(OfAttributes, a.Name) == s {
				g.remarks = append(g.remarks, diag.Warningf("%s: line %d: %s of %s changes nothing: no answer depends on an attribute of this name", from.Name, a.Line, a.Name, o).At(from.Name, a.Line).OfAsked())
			}
		}
	}
}

// saySettled says of a print what of the site's own no longer counts with it, and what it leaves as it is.
func (g *given) saySettled(own []*Object, from file.Source) {
	const most = 5
	if g.isCommands {
		return
	}
	if lost := g.lost(own); len(lost) > 0 {
		names := strings.Join(lost[:min(most, len(lost))], ", ")
		if len(lost) > most {
			names += ", …"
		}
		g.remarks = append(g.remarks, diag.Warningf("%s is a print, and takes the place of what the site has of the same, of which what it does not set no longer counts: %s (%d); commands for qmgr alone, or --set, change one and leave the others", from.Name, names, len(lost)))
	}
	var left []string
	for _, o := range own {
		if o.Kind == "queue" && g.hasQueue() && o.in(g.touched) == nil {
			left = append(left, o.Name)
		}
	}
	if left != nil {
		g.remarks = append(g.remarks, diag.Notef("%s does not name %s: what it does not name stays as it is, and delete queue NAME takes it away", from.Name, "queue "+report.First(left)))
	}
}

func (g *given) hasQueue() bool {
	return slices.ContainsFunc(g.touched, func(o *Object) bool { return o.Kind == "queue" })
}

// lost returns the names of what a site has and a print that takes its place has not, as far as anything depends on it.
func (g *given) lost(own []*Object) []string {
	var lost, most []string // those that change an order or a cycle come first
	for _, o := range own {
		now := o.in(g.touched)
		if now == nil {
			continue
		}
		for _, a := range o.Attributes {
			isThere := slices.ContainsFunc(now.Attributes, func(b Attribute) bool { return a.Name == b.Name })
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

// parseChanges returns the parser of commands that has the objects of a site, as they make them.
func parseChanges(own []*Object, and there, text string) *objectParser {
	p := newParser(text)
	p.there, p.knows["node"], p.knows["resource"] = and, and.of["node"] != nil, and.of["resource"] != nil
	for _, o := range own {
		copied := *o
		copied.Attributes = slices.Clone(o.Attributes)
		p.objects = append(p.objects, &copied)
		if o.Kind == "queue" || o.Kind == "sched" {
			p.knows[o.Kind] = !o.IsAssumed
		}
		p.byName[o.Kind+" "+o.Name] = &copied
		if o.Kind == "server" {
			p.byName[o.Kind+" "] = &copied // commands need not name it
			p.server = o.Name
		}
	}
	p.all()
	if p.behind > 0 {
		p.problem(p.behind, behindQuit)
	}
	return p
}

// SetsFormula reports whether one of some settings is of the formula.
func SetsFormula(settings []string) bool {
	return slices.ContainsFunc(settings, func(setting string) bool { return (Asked{Setting: setting}).isFormula() })
}

// GivesFormula reports whether one of some settings has a formula, and does not only take one away.
func GivesFormula(settings []string) bool {
	return slices.ContainsFunc(settings, func(setting string) bool {
		_, _, value, _ := cutSetting(setting)
		return (Asked{Setting: setting}).isFormula() && value != ""
	})
}

// setsFormula reports whether the file sets a formula of the server.
func (g *given) setsFormula() bool {
	return slices.ContainsFunc(g.touched, func(o *Object) bool { return o.Kind == "server" && o.value(formulaName) != "" })
}
