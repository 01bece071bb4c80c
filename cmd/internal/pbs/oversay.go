package pbs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
)

// sayUnmodelled says which commands of a file are of objects that are read elsewhere, or nowhere.
func (g *given) sayUnmodelled(from file.Source) {
	instead := map[string]string{
		"node": "vnodes are those that pbsnodes tells; --set node.NAME.queue=, node.NAME.resources_available.ncpus=, node.NAME.offline=always, never or FROM/TO, nodes.removed=NAME and nodes.added=4x64 try others",
		"hook": "hooks are not modelled",
	}
	for _, kind := range kinds {
		var lines, texts []string
		for _, c := range g.done {
			if c.kind != kind || instead[kind] == "" || c.isVain {
				continue
			}
			if untried := g.untried(c); untried != "" {
				lines, texts = append(lines, fmt.Sprint(c.line)), append(texts, untried)
			}
		}
		if lines != nil {
			g.remarks = append(g.remarks, diag.Warningf("%s: line %s: not tried: %s: %s", from.Name, report.First(lines), report.First(texts), instead[kind]).At(from.Name, 0))
		}
	}
}

// untried returns what of a command is not tried, "" for nothing: the command where none of it is.
func (g *given) untried(c passed) string {
	var left []string
	for _, d := range c.done {
		if !g.asks[d] {
			left = append(left, d.what+" of "+d.object)
		}
	}
	switch {
	case len(left) == len(c.done):
		return strings.TrimSpace(c.text)
	case left == nil:
		return ""
	}
	return strings.Join(left, " and ")
}

// sayRead says of commands on attributes that are not tried what comes of them.
func (g *given) sayRead(own []*Object, from file.Source) {
	for _, o := range g.touched {
		if o.Kind == "resource" || o.Kind == "node" || o.in(own) == nil { // what is new has no jobs yet
			continue
		}
		for _, a := range o.Attributes {
			s := SettingOf(ownerOf[o.Kind], a.Name)
			if _, isLimit := ParseLimits(a.Value); s != nil && slices.Contains(QueuedSettings, s.Name) && a.Value != "" && !isLimit {
				g.remarks = append(g.remarks, diag.Damagef("%s: line %d: %s of %s does not count: %q is not a limit, such as [u:PBS_GENERIC=3]", from.Name, a.Line, a.Name, o, a.Value).At(from.Name, a.Line))
			} else if g.isCommands && a.Line > 0 {
				g.sayUntried(o, a.Name, a.Line, from)
			}
		}
	}
	for _, c := range g.done {
		for _, o := range c.unset {
			was := o.in(own)
			for _, a := range o.Attributes {
				isIt := func(b Attribute) bool { return b.Name == a.Name || strings.HasPrefix(b.Name, a.Name+".") }
				if was != nil && o.Kind != "resource" && o.Kind != "node" && slices.ContainsFunc(was.Attributes, isIt) {
					g.sayUntried(o, a.Name, c.line, from)
				}
			}
		}
	}
}

// sayUntried says of a command on an attribute that is not tried what comes of it.
func (g *given) sayUntried(o *Object, name string, line int, from file.Source) {
	s := SettingOf(ownerOf[o.Kind], name)
	switch {
	case s == nil || s.Without != "" || isTried(o.Kind, name) || s.Acts != 0 && s.PerResource:
	case s.Secret == ofAccess || slices.ContainsFunc(ofSubmissions, func(prefix string) bool { return strings.HasPrefix(name, prefix) }):
		g.remarks = append(g.remarks, diag.Notef("%s: line %d: %s of %s counts for jobs that are yet to be submitted, and changes nothing for those that are there", from.Name, line, name, o))
	default:
		g.remarks = append(g.remarks, diag.Notef("%s: line %d: %s of %s is not tried: the site is read with it; when alone compares with the site without", from.Name, line, name, o))
	}
}

// ofSubmissions begin the names of attributes that count when a job is submitted.
var ofSubmissions = []string{"enabled", "from_route_only", "resources_", "max_queued", queuableName, "queued_jobs", "default_queue", "default_qsub_arguments"}

// sayClosed says of queues that a file creates what PBS makes of one that nobody opens.
func (g *given) sayClosed(own []*Object, from file.Source) {
	for _, o := range g.objects {
		if o.Kind != "queue" || len(own) == 0 || o.in(own) != nil {
			continue
		}
		is := func(name string) bool { return strings.EqualFold(o.value(name), "false") }
		switch {
		case is("enabled") && is("started"):
			g.remarks = append(g.remarks, diag.Warningf("%s: %s is new, neither enabled nor started: it takes no jobs and starts none, as PBS makes it", from.Name, o).At(from.Name, 0))
		case is("enabled"):
			g.remarks = append(g.remarks, diag.Warningf("%s: %s is new and not enabled: it takes no jobs, as PBS makes it", from.Name, o).At(from.Name, 0))
		case is("started"):
			g.remarks = append(g.remarks, diag.Warningf("%s: %s is new and not started: it starts no jobs, as PBS makes it", from.Name, o).At(from.Name, 0))
		default:
			g.remarks = append(g.remarks, diag.Notef("%s: %s is new: no job is in it yet", from.Name, o))
		}
	}
}

// saySame says of commands that set what is so without them.
func (g *given) saySame(own []*Object, from file.Source) {
	for _, o := range g.touched {
		before := o.in(own)
		for i, a := range o.Attributes {
			isFirst := !slices.ContainsFunc(o.Attributes[:i], func(b Attribute) bool { return b.Name == a.Name })
			if before == nil || !g.isCommands || !isFirst || !isTried(o.Kind, a.Name) {
				continue
			}
			now := o.in(g.objects).value(a.Name)
			if was := before.value(a.Name); isSameValue(o.Kind, a.Name, was, now) {
				g.remarks = append(g.remarks, diag.Warningf("%s: line %d: %s of %s changes nothing: it is %s without it", from.Name, a.Line, a.Name, o, cmp.Or(was, "not set")).At(from.Name, a.Line).OfAsked())
			}
		}
	}
}
