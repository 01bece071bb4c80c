// Package obfuscate gives the names of a site other names, so that it can be shown to others and
// still be answered as it is.
package obfuscate

import "strconv"

// Names replaces names by others: each always by the same one, whatever it is the name of, since a
// tree's entity may be a user, a group or a project; and no two by one.
type Names struct {
	By    map[string]string
	Taken map[string]bool // names that others have become, or that have been kept

	counts map[string]int // of the names made of a kind
}

// NewNames returns what has replaced nothing yet. Names that say nothing of anybody, such as root, stay, and
// so do more, to which a scheduler gives a meaning.
func NewNames(more ...string) *Names {
	n := &Names{By: map[string]string{}, Taken: map[string]bool{}, counts: map[string]int{}}
	for _, name := range append([]string{"", "root", "unknown", "default", "*"}, more...) {
		n.By[name], n.Taken[name] = name, true
	}
	return n
}

// Name returns what a name is replaced by. kind is what a new one is called.
func (n *Names) Name(kind, name string) string {
	if other, ok := n.By[name]; ok {
		return other
	}
	n.By[name] = n.Make(kind + "-")
	return n.By[name]
}

// Make returns a new name.
func (n *Names) Make(prefix string) string {
	for {
		n.counts[prefix]++
		name := prefix + strconv.Itoa(n.counts[prefix])
		if !n.Taken[name] {
			n.Taken[name] = true
			return name
		}
	}
}
