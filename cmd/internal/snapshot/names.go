package snapshot

import (
	"regexp"
	"strconv"
	"strings"
)

// names replaces names by others: each always by the same one, whatever it is the
// name of, since a tree's entity may be a user, a group or a project.
type names struct {
	by     map[string]string
	counts map[string]int // of the names made of a kind
}

// plainNames say nothing of anybody, or PBS gives them a meaning.
var plainNames = []string{"", "root", "TREEROOT", "unknown", "default", "_pbs_project_default", "pbs-default", "PBS_GENERIC", "PBS_ALL", "*"}

func newNames() *names {
	n := &names{by: map[string]string{}, counts: map[string]int{}}
	n.keep(plainNames...)
	return n
}

// keep leaves names as they are.
func (n *names) keep(names ...string) {
	for _, name := range names {
		n.by[name] = name
	}
}

// name returns what a name is replaced by. kind is what a new one is called.
func (n *names) name(kind, name string) string {
	if other, ok := n.by[name]; ok {
		return other
	}
	n.counts[kind]++
	n.by[name] = kind + "-" + strconv.Itoa(n.counts[kind])
	return n.by[name]
}

// entity returns what an entity's name is replaced by, which may be a group's and
// a user's that are known.
func (n *names) entity(name string) string {
	group, user, isPair := strings.Cut(name, ":")
	_, isWhole := n.by[name]
	if isPair && !isWhole && n.by[group] != "" && n.by[user] != "" {
		return n.by[group] + ":" + n.by[user]
	}
	return n.name("entity", name)
}

// id returns a job's ID with another server.
func (n *names) id(id string) string {
	number, server, ok := strings.Cut(id, ".")
	if !ok {
		return id
	}
	return number + "." + n.name("host", server)
}

// address returns what USER@HOST is replaced by.
func (n *names) address(text string) string {
	user, host, ok := strings.Cut(text, "@")
	user = n.name("user", user)
	if !ok {
		return user
	}
	return user + "@" + n.name("host", host)
}

// path returns what a path is replaced by, which may have a host before it.
func (n *names) path(text string) string {
	host, path, ok := strings.Cut(text, ":")
	if !ok {
		return n.name("/path", text)
	}
	return n.name("host", host) + ":" + n.name("/path", path)
}

// replaceGroup replaces the last group of each match of a pattern.
func replaceGroup(pattern *regexp.Regexp, text string, replace func(match []string) string) string {
	return pattern.ReplaceAllStringFunc(text, func(whole string) string {
		match := pattern.FindStringSubmatch(whole)
		return strings.TrimSuffix(whole, match[len(match)-1]) + replace(match)
	})
}

var (
	placeIn    = regexp.MustCompile(`(^|[(+])([^:()+/\[\]*]+)`)                     // exec_host, exec_vnode
	dependOn   = regexp.MustCompile(`([0-9]+(?:\[[0-9]*\])?\.|@)([A-Za-z0-9_.-]+)`) // depend
	limitIn    = regexp.MustCompile(`\b([ugpo]):"?([^=\]"]+)`)                      // [u:bob=3]
	requestIn  = regexp.MustCompile(`(?:^|[:+ ])([A-Za-z_][A-Za-z0-9_]*)=([^:+]+)`) // 1:ncpus=2:host=n01
	pathIn     = regexp.MustCompile(`(?:^|[\s:=,"'!(])(/[^\s,"':;)]+)`)
	isAmount   = regexp.MustCompile(`^[-+]?[0-9.:]+([eE][-+]?[0-9]+)?[a-zA-Z]{0,2}$`)
	plainValue = regexp.MustCompile(`(?i)^([-+]?(nan|inf|infinity)|true|false|free|pack|scatter|vscatter|excl|shared|exclhost)$`)
)

// places returns exec_host or exec_vnode on other hosts.
func (n *names) places(text string) string {
	return replaceGroup(placeIn, text, func(match []string) string { return n.name("host", match[2]) })
}

// depend returns a dependency on jobs of other servers.
func (n *names) depend(text string) string {
	return replaceGroup(dependOn, text, func(match []string) string { return n.name("host", match[2]) })
}

// limits returns limits with other users, groups and projects.
func (n *names) limits(text string) string {
	kinds := map[string]string{"u": "user", "g": "group", "p": "project", "o": "name"}
	return replaceGroup(limitIn, text, func(match []string) string { return n.name(kinds[match[1]], match[2]) })
}

// paths returns a text with other paths.
func (n *names) paths(text string) string {
	return replaceGroup(pathIn, text, func(match []string) string { return n.name("/path", match[1]) })
}

// resource returns the value of a resource, of which amounts, and what PBS gives a
// meaning, stay.
func (n *names) resource(name, value string) string {
	switch {
	case name == "host" || name == "vnode":
		host, index, _ := strings.Cut(value, "[")
		if index != "" {
			return n.name("host", host) + "[" + index
		}
		return n.name("host", host)
	case isAmount.MatchString(value), plainValue.MatchString(value):
		return value
	case name == "select" || name == "schedselect" || name == "place" || name == "nodes":
		return replaceGroup(requestIn, value, func(match []string) string { return n.resource(match[1], match[2]) })
	}
	return n.name("value", value)
}
