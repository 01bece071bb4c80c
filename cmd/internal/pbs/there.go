package pbs

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/formula"
)

// there is what a site has of which commands for qmgr need the names alone, or what vnodes have to which they add.
type there struct {
	of       map[string]map[string]bool // the names of nodes, resources and hooks, by their kind; nil for one of which they are not known
	hasParts bool                       // whether vnodes are parts of hosts, such as n06[0]

	attributes map[string]map[string]string // of vnodes, as pbsnodes tells them
}

// there returns what a site has of which names alone are known, with the resources that it has, nil where they are not known.
func (f *Files) there(resources map[string]formula.Type) (t there) {
	t.of = map[string]map[string]bool{}
	if resources != nil {
		t.of["resource"] = map[string]bool{}
		for name := range resources {
			t.of["resource"][name] = true
		}
	}
	if len(f.overrides()) == 0 {
		return t // which nobody asks
	}
	t.of["hook"] = map[string]bool{}
	for _, from := range f.Sched {
		text, err := from.Text(maxFile)
		if err != nil || !strings.Contains(text, "hook") {
			continue // which is told when it is read for what it says
		}
		objects, _ := ParseObjects(from.Name, text)
		for _, o := range objects {
			if o.Kind == "hook" {
				t.of["hook"][o.Name] = true
			}
		}
	}
	if f.Vnodes == nil || !slices.ContainsFunc(f.overrides(), isAboutNodes) {
		return t
	}
	for attributes := range f.Vnodes() {
		if t.attributes == nil {
			t.of["node"], t.attributes = map[string]bool{}, map[string]map[string]string{}
		}
		name := attributes[""]
		t.of["node"][name], t.attributes[name], t.hasParts = true, attributes, t.hasParts || strings.Contains(name, "[")
	}
	return t
}

// isAboutNodes reports whether a file may have commands on vnodes.
func isAboutNodes(from file.Source) bool {
	text, err := from.Text(maxFile)
	return err == nil && isCommands(text) && aboutNodes().MatchString(text)
}

// isThere reports whether there is an object, as far as anything tells.
func (p *objectParser) isThere(kind, name string) bool {
	return p.find(kind, name) != nil || p.there.of[kind][name] || isPermanent(kind, name) || kind == "node" && p.isPartOfHost(name)
}

// isPermanent reports whether an object is a resource that each PBS has defined by itself.
func isPermanent(kind, name string) bool {
	return kind == "resource" && slices.Contains(permanentResources, name)
}

// isPartOfHost reports whether a vnode, such as n06[0], is of a host of a list of vnodes that has hosts alone.
func (p *objectParser) isPartOfHost(name string) bool {
	host, _, isPart := strings.Cut(name, "[")
	return isPart && p.there.of["node"][host] && !p.there.hasParts
}

// changeVnode does what a command says with an attribute of a vnode, and says what is wrong with it, "" for nothing. To what it adds,
// and from what it takes away, tells pbsnodes where no command does.
func (p *objectParser) changeVnode(o *Object, name, operator, value string, line int) (wrong string) {
	isSetBefore := slices.ContainsFunc(o.Attributes, func(a Attribute) bool { return a.Name == name })
	if told := p.there.attributes[o.Name][name]; name == "state" && operator == "-=" && !isSetBefore && told != "" {
		left, had := WithoutState(told, strings.TrimSpace(value))
		if !had {
			return fmt.Sprintf("%s is %s, and not %s, so that -= takes nothing away", o, told, value)
		}
		o.Attributes = append(o.Attributes, Attribute{name, left, line})
		return ""
	}
	isNew := p.there.of["node"] != nil && !p.there.of["node"][o.Name] && !p.isPartOfHost(o.Name) // which has nothing but what commands set
	if operator == "=" || isNew || name == "state" || isSetBefore {
		return o.change(name, operator, value, line)
	}
	if p.there.attributes[o.Name] == nil && !isNew {
		return fmt.Sprintf("%s of %s is not known before it, so that %s does not count: = sets it", name, o, operator)
	}
	isSet := false
	if before := p.there.attributes[o.Name][name]; before != "" {
		o.Attributes, isSet = append(o.Attributes, Attribute{name, before, line}), true
	}
	if wrong = o.change(name, operator, value, line); wrong != "" && isSet {
		o.Attributes = slices.DeleteFunc(o.Attributes, func(a Attribute) bool { return a.Name == name })
	}
	return wrong
}

// forget takes an object away of which nothing but its name is known.
func (p *objectParser) forget(kind, name string) {
	delete(p.there.of[kind], name)
}
