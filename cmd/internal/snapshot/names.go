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

// Names that say nothing of anybody, and those that PBS gives a meaning.
var plainNames = []string{"", "root", "TREEROOT", "unknown", "default", "_pbs_project_default", "pbs-default", "PBS_GENERIC", "PBS_ALL", "*"}

func newNames(keep ...string) *names {
	n := &names{by: map[string]string{}, counts: map[string]int{}}
	for _, name := range append(keep, plainNames...) {
		n.by[name] = name
	}
	return n
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
// a user's.
func (n *names) entity(name string) string {
	group, user, isPair := strings.Cut(name, ":")
	if isPair {
		return n.name("group", group) + ":" + n.name("user", user)
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

var (
	pathIn  = regexp.MustCompile(`(^|[\s:=,"'!(])(/[^\s,"':;)]+)`)
	limitIn = regexp.MustCompile(`\b([ugp]):("?)([^=\]"]+)`)
	hostIn  = regexp.MustCompile(`\b(host|vnode)=([^:+)\[]+)`)
	wordIn  = regexp.MustCompile(`[A-Za-z0-9_][A-Za-z0-9_.\-]*`)
)

// value returns a text in which paths, the names of limits and hosts, and all names
// that are known are replaced.
func (n *names) value(text string) string {
	text = pathIn.ReplaceAllStringFunc(text, func(match string) string {
		at := strings.IndexByte(match, '/')
		return match[:at] + n.name("/path", match[at:])
	})
	kinds := map[string]string{"u": "user", "g": "group", "p": "project"}
	text = limitIn.ReplaceAllStringFunc(text, func(match string) string {
		m := limitIn.FindStringSubmatch(match)
		return m[1] + ":" + m[2] + n.name(kinds[m[1]], m[3])
	})
	text = hostIn.ReplaceAllStringFunc(text, func(match string) string {
		m := hostIn.FindStringSubmatch(match)
		return m[1] + "=" + n.name("host", m[2])
	})
	return wordIn.ReplaceAllStringFunc(text, func(word string) string {
		if other, ok := n.by[word]; ok {
			return other
		}
		if number, server, ok := strings.Cut(word, "."); ok && n.by[server] != "" {
			return number + "." + n.by[server]
		}
		return word
	})
}
