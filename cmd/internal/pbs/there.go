package pbs

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/formula"
)

// there is what a site has of which commands for qmgr need the names alone.
type there struct {
	vnodes, resources map[string]bool // nil where they are not known
	hasParts          bool            // whether vnodes are parts of hosts, such as n06[0]
}

// of returns those of a kind.
func (t there) of(kind string) map[string]bool {
	switch kind {
	case "node":
		return t.vnodes
	case "resource":
		return t.resources
	}
	return nil
}

// there returns what a site has of which names alone are known, with the resources that it has, nil where they are not known.
func (f *Files) there(resources map[string]formula.Type) (t there) {
	if resources != nil {
		t.resources = map[string]bool{}
		for name := range resources {
			t.resources[name] = true
		}
	}
	if f.Vnodes == nil || !slices.ContainsFunc(f.overrides(), isAboutNodes) {
		return t
	}
	for _, name := range f.Vnodes() {
		if t.vnodes == nil {
			t.vnodes = map[string]bool{}
		}
		t.vnodes[name], t.hasParts = true, t.hasParts || strings.Contains(name, "[")
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
	if p.find(kind, name) != nil || p.there.of(kind)[name] {
		return true
	}
	host, _, isPart := strings.Cut(name, "[") // of a list of vnodes that has hosts alone
	return kind == "node" && isPart && p.there.of(kind)[host] && !p.there.hasParts
}

// forget takes an object away of which nothing but its name is known.
func (p *objectParser) forget(kind, name string) {
	if of := p.there.of(kind); of[name] {
		delete(of, name)
	}
}
