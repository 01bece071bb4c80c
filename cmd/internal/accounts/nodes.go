package accounts

import (
	"maps"
	"slices"

	"fairshare/cmd/internal/file"
	"fairshare/fstree"
)

// node is an object of the list "nodes".
type node struct {
	line
	parent   string
	kind     string
	hasUsage bool
}

// parseNodes reads {"nodes": [{"name", "parent", "kind", "shares",
// "raw_usage"}]}, or the list alone. kind is "account" or "user", shares may be
// "parent". The root need not be in it: its name is "root", its usage that of
// its members. Accounts need not stand before their members.
func parseNodes(text string) ([]line, error) {
	r := newReader(text)
	nodes, err := r.nodes()
	if err != nil {
		return nil, err
	}
	return arrange(nodes)
}

func (r *reader) nodes() ([]node, error) {
	token, err := r.token()
	if err != nil {
		return nil, err
	}
	around := token == delim('{')
	if around {
		if err := r.seek("nodes"); err != nil {
			return nil, err
		}
		if token, err = r.token(); err != nil {
			return nil, err
		}
	}
	if token != delim('[') {
		return nil, r.fail("the nodes are no list")
	}
	nodes, err := r.list()
	if err != nil {
		return nil, err
	}
	if around {
		if err := r.seek(""); err != nil {
			return nil, err
		}
	}
	return nodes, r.end()
}

// list reads nodes up to the end of their list.
func (r *reader) list() ([]node, error) {
	var nodes []node
	for {
		switch token, err := r.token(); {
		case err != nil:
			return nil, err
		case token == delim(']'):
			return nodes, nil
		case token != delim('{'):
			return nil, r.fail("a node is an object with name, parent, kind, shares and raw_usage")
		}
		n, err := r.node()
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
}

// seek reads an object up to a key, or to its end for "".
func (r *reader) seek(key string) error {
	for {
		token, err := r.token()
		if err != nil {
			return err
		}
		switch {
		case token == delim('}') && key == "":
			return nil
		case token == delim('}'):
			return r.fail("there is no list of %q", key)
		case token == key && key != "":
			return nil
		}
		if token, err = r.token(); err == nil {
			err = r.skip(token)
		}
		if err != nil {
			return err
		}
	}
}

// node reads the rest of an object.
func (r *reader) node() (node, error) {
	n := node{line: line{note: note{number: int32(r.line())}}}
	hasShares := false
	for {
		key, err := r.token()
		if err != nil {
			return n, err
		}
		if key == delim('}') {
			break
		}
		value, err := r.token()
		if err != nil {
			return n, err
		}
		switch key {
		case "name":
			n.Name, err = r.name(value, "name")
		case "parent":
			if value == nil { // the root's
				continue
			}
			n.parent, err = r.name(value, "parent")
		case "kind":
			n.kind, err = r.name(value, "kind")
			n.User = n.kind == "user"
		case "shares":
			hasShares = true
			if n.FromParent = value == "parent"; !n.FromParent {
				n.Shares, err = r.number(value, "shares")
			}
		case "raw_usage":
			n.hasUsage = true
			n.Usage, err = r.number(value, "raw_usage")
		default:
			err = r.skip(value)
		}
		if err != nil {
			return n, err
		}
	}
	switch {
	case n.Name == "":
		return n, r.fail("a node has no name")
	case n.kind != "user" && n.kind != "account":
		return n, r.fail(`the kind of %q is %q, neither "account" nor "user"`, n.Name, n.kind)
	case n.isRoot():
	case n.parent == "":
		return n, r.fail("%q has no parent", n.Name)
	case !hasShares:
		return n, r.fail("%q has no shares", n.Name)
	case !n.hasUsage:
		return n, r.fail("%q has no raw_usage", n.Name)
	}
	return n, nil
}

const rootName = "root"

func (n *node) isRoot() bool { return n.Name == rootName && !n.User }

// arrange puts accounts before their members.
func arrange(nodes []node) ([]line, error) {
	root := node{line: line{Association: fstree.Association{Name: rootName}, note: note{number: 1}}}
	accounts := map[string]int{rootName: -1} // by name, the place in nodes
	seenRoot := false
	for i, n := range nodes {
		if n.isRoot() {
			if seenRoot {
				return nil, &file.Problem{Line: int(n.number), Message: "a second account root"}
			}
			root, seenRoot = n, true
			continue
		}
		if n.User {
			continue
		}
		if _, twice := accounts[n.Name]; twice {
			return nil, &file.Problem{Line: int(n.number), Message: "a second account " + n.Name}
		}
		accounts[n.Name] = i
	}
	members := map[int][]int{}
	for i, n := range nodes {
		if n.isRoot() {
			continue
		}
		parent, ok := accounts[n.parent]
		if !ok {
			return nil, &file.Problem{Line: int(n.number), Message: "there is no account " + n.parent}
		}
		members[parent] = append(members[parent], i)
		if parent < 0 && !root.hasUsage {
			root.Usage += n.Usage
		}
	}
	root.Parent = -1
	list := []line{root.line}
	from := []int{-1} // by place in list, the place in nodes
	for at := 0; at < len(list); at++ {
		for _, i := range members[from[at]] {
			nodes[i].Parent = int32(at)
			list = append(list, nodes[i].line)
			from = append(from, i)
		}
		delete(members, from[at])
	}
	if len(members) > 0 {
		lost := slices.MinFunc(slices.Collect(maps.Values(members)), func(a, b []int) int { return a[0] - b[0] })
		return nil, &file.Problem{Line: int(nodes[lost[0]].number), Message: nodes[lost[0]].Name + " is in an account that is not below root"}
	}
	return list, nil
}
