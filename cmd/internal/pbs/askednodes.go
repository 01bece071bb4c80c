package pbs

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
)

// Commands on vnodes are tried as far as --set can, from now on or, in a replay, all the time:
//
//	set node n01,n02 state = offline                            node.n01.offline=always  node.n02.offline=always
//	set node n01 queue = highq                                  node.n01.queue=highq
//	set node n01 resources_available.ncpus = 64                 node.n01.resources_available.ncpus=64
//	set node n03 state -= offline                               node.n03.offline=never, where pbsnodes tells that it is offline
//	unset node n01 queue                                        node.n01.queue=
//	set node n01 resources_available.ncpus += 4                 node.n01.resources_available.ncpus=20, where pbsnodes tells 16
//	delete node n03                                             nodes.removed=n03
//	create node n09 resources_available.ncpus = 16              nodes.added=1x16

// nodesOf is which vnodes the files that are given create and take away, one after another.
type nodesOf struct{ created, removed []string }

// askNodes asks for what commands of a file do with vnodes, besides what those of the files before it ask, and notes what of them that
// is, where a site has something. What it asks for takes the place of what a file before it asks of the same.
func (g *given) askNodes(from file.Source, and there, of *nodesOf, before []Asked) []Asked {
	asked := slices.Clone(before)
	drop := func(setting string) (isThere bool) {
		n := len(asked)
		asked = slices.DeleteFunc(asked, func(a Asked) bool { return strings.HasPrefix(a.Setting, setting) })
		return len(asked) < n
	}
	ask := func(name, value, what string, at int) {
		drop(name + "=")
		asked = append(asked, Asked{name + "=" + value, Place{from.Name, at}, what, true})
	}
	lines := map[string]int{} // of what is asked of each vnode, or of all that are removed
	hasCreated := false
	for _, c := range g.done {
		words := strings.Fields(c.text)
		if c.kind != "node" || len(words) < 3 {
			continue
		}
		rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(c.text), words[0])), words[1]))
		names, _ := cutNames(rest)
		switch begun(verbs, words[0]) {
		case "create":
			of.created = append(of.created, split(names)...)
			for _, name := range split(names) {
				lines[name] = c.line
			}
		case "delete":
			for _, d := range c.done { // those that are there
				name := strings.TrimPrefix(d.object, "node ")
				drop("node." + name + ".")
				if at := slices.Index(of.created, name); at >= 0 {
					of.created, hasCreated = slices.Delete(of.created, at, at+1), true
					continue
				}
				of.removed, lines[removedNodes] = append(of.removed, name), c.line
			}
			g.noteAsks(c.done...)
		case "unset":
			for _, o := range c.unset {
				for _, a := range o.Attributes {
					_, _, is := vnodeAttribute(o.Name + "." + a.Name)
					if d := (doing{o.String(), a.Name}); is && slices.Contains(c.done, d) && !slices.Contains(of.created, o.Name) {
						ask("node."+o.Name+"."+a.Name, "", a.Name+" of "+o.String(), c.line)
						g.noteAsks(d)
					}
				}
			}
		}
	}
	if at := lines[removedNodes]; at > 0 {
		ask(removedNodes, strings.Join(of.removed, ","), "delete node", at)
	}
	for _, o := range g.touched {
		if o.Kind != "node" {
			continue
		}
		if slices.Contains(of.created, o.Name) {
			hasCreated = true
			for _, a := range o.Attributes {
				lines[o.Name] = max(lines[o.Name], a.Line)
			}
			continue
		}
		for _, a := range o.Attributes {
			if _, _, is := vnodeAttribute(o.Name + "." + a.Name); is {
				ask("node."+o.Name+"."+a.Name, o.in(g.objects).value(a.Name), a.Name+" of "+o.String(), a.Line)
				g.noteAsks(doing{o.String(), a.Name})
			}
			if a.Name == "state" && strings.Contains(a.Value, "offline") {
				ask("node."+o.Name+".offline", always, "state of "+o.String(), a.Line)
				g.noteAsks(doing{o.String(), a.Name})
			} else if a.Name == "state" {
				isTried := drop("node." + o.Name + ".offline=")
				if strings.Contains(and.attributes[o.Name]["state"], "offline") {
					ask("node."+o.Name+".offline", never, "state of "+o.String(), a.Line)
					isTried = true
				}
				if isTried {
					g.noteAsks(doing{o.String(), a.Name})
				}
			}
		}
	}
	if hasCreated {
		g.askCreated(of, lines, drop, ask)
	}
	return asked
}

// askCreated asks for the vnodes that the files have created so far.
func (g *given) askCreated(of *nodesOf, lines map[string]int, drop func(string) bool, ask func(name, value, what string, at int)) {
	drop(addedNodes + "=")
	var added []string
	at := 0
	for _, o := range g.objects {
		if o.Kind != "node" || !slices.Contains(of.created, o.Name) {
			continue
		}
		if spec, ok := specOf(o); ok {
			added, at = append(added, spec), max(at, lines[o.Name])
			g.noteAsks(doing{o.String(), "create"})
			for _, a := range o.Attributes {
				g.noteAsks(doing{o.String(), a.Name})
			}
		}
	}
	if added != nil {
		ask(addedNodes, strings.Join(added, "+"), "create node", at)
	}
}

// specOf returns a vnode that is created as nodes.added has it; false where its attributes say more or less than that can say.
func specOf(o *Object) (spec string, ok bool) {
	cpus, others := "", ""
	for _, a := range o.Attributes {
		resource, isOne := strings.CutPrefix(a.Name, "resources_available.")
		switch {
		case a.Name == "comment" || a.Name == "Mom" || resource == "host" || resource == "vnode" || resource == "arch":
		case !isOne:
			return "", false
		case resource == "ncpus":
			cpus = a.Value
		default:
			others += ":" + resource + "=" + a.Value
		}
	}
	return "1x" + cpus + others, cpus != ""
}

// doing is what a command does with one object: what it does with one of its attributes, or its verb, such as delete, with all of it.
type doing struct{ object, what string }

// noteAsks notes what commands do that is tried.
func (g *given) noteAsks(all ...doing) {
	if g.asks == nil {
		g.asks = map[doing]bool{}
	}
	for _, d := range all {
		g.asks[d] = true
	}
}
