package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrNoNodes says that a text has no vnode.
var ErrNoNodes = errors.New("this names no vnode: it is not what pbsnodes -av prints, as text, JSON or DSV")

// ErrAllAway says that no vnode takes jobs.
var ErrAllAway = errors.New("all vnodes are down or offline")

// Parse returns the cluster that pbsnodes -av describes, in any of its forms. Vnodes
// that are down or offline do not count, unless all is set.
func Parse(text string, checks Checks, all bool) (*Cluster, error) {
	found, err := parseAny(text)
	if err != nil {
		return nil, err
	}
	const nameAlone = 1
	if !slices.ContainsFunc(found, func(a attributes) bool { return len(a) > nameAlone }) {
		return nil, ErrNoNodes
	}
	var vnodes []Vnode
	var leftOut []string
	for _, a := range found {
		v := a.vnode()
		if !all && a.isAway() {
			leftOut = append(leftOut, v.Name)
			continue
		}
		vnodes = append(vnodes, v)
	}
	if len(vnodes) == 0 {
		return nil, ErrAllAway
	}
	c := newCluster(vnodes, checks)
	c.LeftOut = leftOut
	return c, nil
}

// Describe returns the attributes of each vnode that pbsnodes -av describes, in any of
// its forms; a vnode's name is the one of "".
func Describe(text string) ([]map[string]string, error) {
	found, err := parseAny(text)
	if err == nil && len(found) == 0 {
		err = ErrNoNodes
	}
	list := make([]map[string]string, len(found))
	for i, a := range found {
		list[i] = a
	}
	return list, err
}

// parseAny reads any of the forms.
func parseAny(text string) ([]attributes, error) {
	trimmed := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(trimmed, "{"):
		return parseJSON(trimmed)
	case strings.HasPrefix(trimmed, "Name="):
		return parseDSV(trimmed), nil
	}
	return parseText(text), nil
}

// attributes are those of a vnode; its name is the one of "".
type attributes map[string]string

// prefix begins the names of what a vnode has.
const prefix = "resources_available."

func (a attributes) vnode() Vnode {
	v := Vnode{Name: a[""], Queue: a["queue"], Sharing: a["sharing"], Priority: amount(a["Priority"]), Words: map[string]string{}}
	for name, value := range a {
		if resource, ok := strings.CutPrefix(name, prefix); ok {
			v.Words[resource] = value
		}
	}
	if v.Words["vnode"] == "" {
		v.Words["vnode"] = v.Name
	}
	if v.Words["host"] == "" {
		v.Words["host"] = v.Name
	}
	v.Host = v.Words["host"]
	return v
}

// awayStates are the states in which a vnode takes no job.
var awayStates = []string{"down", "offline", "unknown", "state-unknown", "Stale", "stale", "provisioning", "wait-provisioning", "initializing", "unresolvable", "maintenance"}

func (a attributes) isAway() bool {
	for state := range strings.SplitSeq(a["state"], ",") {
		if slices.Contains(awayStates, strings.TrimSpace(state)) {
			return true
		}
	}
	return false
}

func parseText(text string) []attributes {
	var found []attributes
	newest := "" // attribute, which a line that begins with a tab continues
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		name, value, isAttribute := strings.Cut(line, " = ")
		switch {
		case line == "" || line[0] == '#':
			newest = ""
		case line[0] == '\t' && newest != "":
			found[len(found)-1][newest] += strings.TrimSpace(line)
		case line[0] != ' ' && line[0] != '\t':
			if strings.ContainsAny(line, " =;") {
				return nil // something else
			}
			found, newest = append(found, attributes{"": line}), ""
		case isAttribute && len(found) > 0:
			newest = strings.TrimSpace(name)
			found[len(found)-1][newest] = strings.TrimSpace(value)
		}
	}
	return found
}

func parseDSV(text string) []attributes {
	var found []attributes
	for line := range strings.Lines(text) {
		a := attributes{}
		for _, field := range splitDSV(strings.TrimSpace(line)) {
			name, value, _ := strings.Cut(field, "=")
			a[name] = value
		}
		if a[""] = a["Name"]; a[""] != "" {
			found = append(found, a)
		}
	}
	return found
}

// splitDSV splits a line at its bars; a backslash before one, or before a backslash,
// makes it part of the value.
func splitDSV(line string) []string {
	var fields []string
	var field strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line) && (line[i+1] == '|' || line[i+1] == '\\'):
			i++
			field.WriteByte(line[i])
		case line[i] == '|':
			fields = append(fields, field.String())
			field.Reset()
		default:
			field.WriteByte(line[i])
		}
	}
	return append(fields, field.String())
}

// parseJSON keeps the order of the vnodes, which is that in which they are tried.
func parseJSON(text string) ([]attributes, error) {
	dec := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true))
	var found []attributes
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return nil, fmt.Errorf("the JSON of vnodes is cut off or damaged: %w", err)
		}
		depth := dec.StackDepth()
		// A name of the outermost object other than "nodes" is passed over.
		if depth == 1 && token.Kind() == '"' {
			if token.String() != "nodes" {
				if err := dec.SkipValue(); err != nil {
					return nil, err
				}
				continue
			}
			return parseVnodes(dec)
		}
		if depth == 0 {
			return found, nil
		}
	}
}

func parseVnodes(dec *jsontext.Decoder) ([]attributes, error) {
	var found []attributes
	var path []string
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return nil, fmt.Errorf("the JSON of vnodes is cut off or damaged: %w", err)
		}
		switch token.Kind() {
		case '{', '[':
			continue
		case '}', ']':
			if dec.StackDepth() <= 1 {
				return found, nil
			}
			continue
		}
		depth := dec.StackDepth() - 1 // 1 for the names of vnodes
		kind, length := dec.StackIndex(dec.StackDepth())
		isName := kind == '{' && length%2 == 1
		switch {
		case depth == 1 && isName:
			found = append(found, attributes{"": token.String()})
		case isName:
			path = append(path[:min(len(path), depth-2)], token.String())
		case len(found) > 0 && kind == '{':
			found[len(found)-1][strings.Join(path, ".")] = token.String()
		}
	}
}
