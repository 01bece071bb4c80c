package accounts

import (
	"fairshare/fstree"
)

// parseFlux reads the JSON that flux account fairshare-emulate reads: banks
// within banks, users in them. Keys may stand in any order, so that a bank is
// known only at its end; depth costs no stack.
func parseFlux(text string) ([]line, error) {
	r := newReader(text)
	var list []line
	var open []fluxNode
	for {
		token, err := r.token()
		if err != nil {
			return nil, err
		}
		if len(open) == 0 {
			if token == delim('{') {
				open = append(open, fluxNode{at: -1})
				continue
			}
			return nil, r.fail("the tree is a JSON object with a root")
		}
		n := &open[len(open)-1]
		switch token {
		case delim('}'), delim(']'):
			if token == delim(']') {
				n.children = false
				continue
			}
			if err := n.end(r, list); err != nil {
				return nil, err
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				if len(list) == 0 {
					return nil, r.fail(`there is no "root"`)
				}
				return list, r.end()
			}
			continue
		case delim('{'):
			open = append(open, fluxNode{at: len(list)})
			list = append(list, line{Association: fstree.Association{Parent: int32(n.at)}, note: note{number: int32(r.line())}})
			continue
		}
		if n.children {
			return nil, r.fail("children may only be banks and users")
		}
		key, _ := token.(string)
		if token, err = r.token(); err != nil {
			return nil, err
		}
		if n.at < 0 {
			err = outer(r, &open, &list, key, token)
		} else {
			err = n.field(r, &list[n.at], key, token)
		}
		if err != nil {
			return nil, err
		}
	}
}

// fluxNode is an object that has begun.
type fluxNode struct {
	at       int  // its place in the list, -1 for the object around the root
	children bool // its list of children has begun

	named, hasShares, hasUsage, hasChildren bool
}

// outer reads a field of the object around the root.
func outer(r *reader, open *[]fluxNode, list *[]line, key string, token any) error {
	switch {
	case (key == "root" || key == "tree") && len(*list) > 0:
		return r.fail("a second tree")
	case key == "root" && token == delim('{'):
		*open = append(*open, fluxNode{at: 0})
		*list = append(*list, line{Association: fstree.Association{Parent: -1}, note: note{number: int32(r.line())}})
		return nil
	case key == "tree" && token == delim('{'):
		*open = append(*open, fluxNode{at: -1})
		return nil
	}
	return r.skip(token)
}

// field reads a field of a bank or user.
func (n *fluxNode) field(r *reader, l *line, key string, token any) error {
	var err error
	switch key {
	case "bank", "username":
		if n.named {
			return r.fail("%q has a second name", l.Name)
		}
		n.named = true
		l.User = key == "username"
		l.Name, err = r.name(token, key)
	case "shares":
		n.hasShares = true
		l.Shares, err = r.number(token, key)
	case "usage":
		n.hasUsage = true
		l.Usage, err = r.number(token, key)
	case "children":
		if token != delim('[') {
			return r.fail("the children of %q are no list", l.Name)
		}
		n.children, n.hasChildren = true, true
	default:
		err = r.skip(token)
	}
	return err
}

// end checks an object that ends.
func (n *fluxNode) end(r *reader, list []line) error {
	switch {
	case n.at < 0:
		return nil
	case !n.named:
		return r.fail(`an object here has neither "bank" nor "username"`)
	}
	l := &list[n.at]
	switch {
	case !n.hasShares && l.Parent >= 0:
		return r.fail("%q has no shares", l.Name)
	case !n.hasUsage:
		return r.fail("%q has no usage", l.Name)
	case l.User && n.hasChildren:
		return r.fail("user %q has children", l.Name)
	case l.User && l.Parent < 0:
		return r.fail("the root is a bank, %q is a user", l.Name)
	}
	return nil
}
