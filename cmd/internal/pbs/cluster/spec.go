package cluster

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/formula"
)

// SpecError is a text that does not describe a cluster.
type SpecError struct {
	Of     string // before the text: what was given, such as "--cluster "
	Spec   string
	Detail string
}

func (e *SpecError) Error() string {
	return fmt.Sprintf("%s%s: %s; expected NODESxCPUS[:mem=SIZE][:RESOURCE=AMOUNT], several of them with +, or CPUS for one large node", e.Of, e.Spec, e.Detail)
}

// ParseSpec returns the cluster that a text describes: 10x64:mem=256gb is ten nodes
// of 64 cpus, 640 is a single one. Resources that the text does not name are not
// checked. Its errors are *SpecError.
func ParseSpec(spec string, checks Checks) (*Cluster, error) {
	made, err := parseSpec(spec, checks, func(string) bool { return false })
	return made, ofGiven("--cluster ", err)
}

// ofGiven returns an error that says what was given.
func ofGiven(what string, err error) error {
	if spec, is := err.(*SpecError); is {
		spec.Of = what
	}
	return err
}

// parseSpec is ParseSpec where some resources have values that are no amounts, such as a rack.
func parseSpec(spec string, checks Checks, isText func(name string) bool) (*Cluster, error) {
	var vnodes []Vnode
	for part := range strings.SplitSeq(spec, "+") {
		size, rest, _ := strings.Cut(part, ":")
		count, cpus, isGrid := strings.Cut(size, "x")
		if !isGrid {
			count, cpus = "1", size
		}
		const most = 1 << 20 // nodes
		n, err := strconv.ParseUint(strings.TrimSpace(count), 10, 32)
		if err != nil || n < 1 || n > most-uint64(len(vnodes)) {
			return nil, &SpecError{Spec: spec, Detail: fmt.Sprintf("%q is not a number of nodes, from 1 to %d in all", count, most)}
		}
		if n, err := strconv.ParseUint(strings.TrimSpace(cpus), 10, 31); err != nil || n < 1 {
			return nil, &SpecError{Spec: spec, Detail: fmt.Sprintf("%q is not a number of cpus, from 1 to %d", cpus, math.MaxInt32)}
		}
		words := map[string]string{"ncpus": strings.TrimSpace(cpus)}
		if err := addWords(words, spec, rest, isText); err != nil {
			return nil, err
		}
		for range n {
			name := "n" + strconv.Itoa(len(vnodes)+1)
			vnodes = append(vnodes, Vnode{Name: name, Host: name, Words: words})
		}
	}
	checks.Resources = []string{"ncpus"}
	checks.Types, checks.Flags = map[string]formula.Type{}, map[string]string{}
	for i := range vnodes {
		for name := range vnodes[i].Words {
			if checks.Types[name] == "" {
				checks.Resources = append(checks.Resources, name)
				checks.Types[name], checks.Flags[name] = formula.Float64, "n"
			}
		}
	}
	return newCluster(vnodes, checks), nil
}

// addWords adds what a description of nodes says of their resources behind its cpus.
func addWords(words map[string]string, spec, rest string, isText func(name string) bool) error {
	for _, setting := range strings.FieldsFunc(rest, func(r rune) bool { return r == ':' }) {
		name, value, ok := strings.Cut(setting, "=")
		if !ok || !isAmount(value) && (value == "" || !isText(name)) {
			return &SpecError{Spec: spec, Detail: fmt.Sprintf("%q is not RESOURCE=AMOUNT", setting)}
		}
		words[name] = value
	}
	return nil
}

// With returns a cluster with more vnodes, which a text describes as for ParseSpec; 2xn01 is two
// like the vnode n01, and 2xn01:rack=r02 two that have another rack. They come after those that there are. Its errors are *SpecError.
func (c *Cluster) With(spec string) (*Cluster, error) {
	var more []Vnode
	for part := range strings.SplitSeq(spec, "+") {
		like, err := c.like(part)
		if err != nil {
			return nil, ofGiven("--set nodes.added=", err)
		}
		if like == nil {
			made, err := parseSpec(part, c.checks, c.hasText)
			if err != nil {
				return nil, ofGiven("--set nodes.added=", err)
			}
			like = made.Vnodes
		}
		more = append(more, like...)
	}
	vnodes := slices.Clone(c.Vnodes)
	for i := range vnodes {
		vnodes[i].Amounts = nil
	}
	for i, v := range more {
		v.Name = addedName + strconv.Itoa(i+1)
		v.Host, v.Amounts = v.Name, nil
		vnodes = append(vnodes, v)
	}
	all := newCluster(vnodes, c.checks)
	all.LeftOut = c.LeftOut
	return all, nil
}

// hasText reports whether a vnode has a value of a resource that is no amount, such as a rack.
func (c *Cluster) hasText(resource string) bool {
	return slices.ContainsFunc(c.Vnodes, func(v Vnode) bool { return v.Words[resource] != "" && !isAmount(v.Words[resource]) })
}

// addedName begins the names of vnodes that With adds.
const addedName = "added-n"

// Added returns the vnodes that With has added.
func (c *Cluster) Added() []Vnode {
	var added []Vnode
	for _, v := range c.Vnodes {
		if strings.HasPrefix(v.Name, addedName) {
			added = append(added, v)
		}
	}
	return added
}

// AddedLack returns the consumables of the cluster that the vnodes which With has added do not have, so
// that jobs which ask for them do not run there.
func (c *Cluster) AddedLack() []string {
	var lacks []string
	added := c.Added()
	for i, name := range c.Consumables {
		if len(added) > 0 && !slices.ContainsFunc(added, func(v Vnode) bool { return v.Amounts[i] > 0 }) {
			lacks = append(lacks, name)
		}
	}
	return lacks
}

// like returns as many vnodes like one of the cluster as a text such as 2xn01 says, nil if it
// names none. They have what the text says besides of their resources.
func (c *Cluster) like(text string) ([]Vnode, error) {
	size, rest, _ := strings.Cut(text, ":")
	count, name, _ := strings.Cut(size, "x")
	at := slices.IndexFunc(c.Vnodes, func(v Vnode) bool { return v.Name == strings.TrimSpace(name) })
	if at < 0 {
		return nil, nil
	}
	const most = 1 << 16
	n, err := strconv.ParseUint(strings.TrimSpace(count), 10, 32)
	if err != nil || n < 1 || n > most {
		return nil, &SpecError{Spec: text, Detail: fmt.Sprintf("%q is not a number of nodes, from 1 to %d", count, most)}
	}
	like := c.Vnodes[at]
	if rest != "" {
		like.Words = maps.Clone(like.Words)
		if err := addWords(like.Words, text, rest, c.hasText); err != nil {
			return nil, err
		}
	}
	return slices.Repeat([]Vnode{like}, int(n)), nil
}
