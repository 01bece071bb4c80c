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
//	delete node n03                                             nodes.removed=n03
//	create node n09 resources_available.ncpus = 16              nodes.added=1x16

// askNodes asks for what commands of a file do with vnodes, and notes what of them that is.
func (g *given) askNodes(from file.Source) {
	var created, removed []string
	lines := map[string]int{} // of what is asked of each vnode, or of all that are removed
	for _, c := range g.done {
		words := strings.Fields(c.text)
		if c.kind != "node" || len(words) < 3 {
			continue
		}
		rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(c.text), words[0])), words[1]))
		names, _ := cutNames(rest)
		switch begun(verbs, words[0]) {
		case "create":
			created = append(created, split(names)...)
			for _, name := range split(names) {
				lines[name] = c.line
			}
		case "delete":
			for _, d := range c.done { // those that are there
				name := strings.TrimPrefix(d.object, "node ")
				if at := slices.Index(created, name); at >= 0 {
					created = slices.Delete(created, at, at+1)
					continue
				}
				removed, lines[removedNodes] = append(removed, name), c.line
			}
			g.noteAsks(c.done...)
		}
	}
	ask := func(setting, what string, at int) {
		g.asked = append(g.asked, Asked{setting, Place{from.Name, at}, what, true})
	}
	if removed != nil {
		ask(removedNodes+"="+strings.Join(removed, ","), "delete node", lines[removedNodes])
	}
	var added []string
	first := 0
	for _, o := range g.touched {
		if o.Kind != "node" {
			continue
		}
		if slices.Contains(created, o.Name) {
			if spec, ok := specOf(o); ok {
				added, first = append(added, spec), max(first, lines[o.Name])
				g.noteAsks(doing{o.String(), "create"})
				for _, a := range o.Attributes {
					g.noteAsks(doing{o.String(), a.Name})
				}
			}
			continue
		}
		for _, a := range o.Attributes {
			if _, _, is := vnodeAttribute(o.Name + "." + a.Name); is {
				ask("node."+o.Name+"."+a.Name+"="+a.Value, a.Name+" of "+o.String(), a.Line)
				g.noteAsks(doing{o.String(), a.Name})
			}
			if a.Name == "state" && strings.Contains(a.Value, "offline") {
				ask("node."+o.Name+".offline="+always, "state of "+o.String(), a.Line)
				g.noteAsks(doing{o.String(), a.Name})
			}
		}
	}
	if added != nil {
		ask(addedNodes+"="+strings.Join(added, "+"), "create node", first)
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
