package witness

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Feature is something that starts may have in common.
type Feature struct {
	Kind Kind
	Name string
}

// Kind is of what kind a feature is.
type Kind uint8

// The kinds of features. Of two that describe the same starts the one of the kind that stands first here is
// taken.
const (
	OfQueue Kind = iota
	OfQOS
	OfAccount
	OfProject
	OfGroup
	OfUser
	OfAsked     // a resource that jobs ask for
	OfCPUs      // how many cpus they ask for: at least a power of two
	OfNodes     // how many vnodes they have, likewise
	OnCommon    // what vnodes have in common on which they ran
	OnNode      // a vnode on which they ran
	RatherThere // what vnodes have in common that the rules would have taken
	RatherNode  // a vnode that the rules would have taken
)

// fewNodes bounds of how many vnodes of a start each is a feature. Of larger ones what they have in common is.
const fewNodes = 32

// numberer numbers features and other values as they come.
type numberer[K comparable] struct {
	numbers map[K]int32
	list    []K
}

// of returns the number of a value; own makes it one to keep, where it is new.
func (n *numberer[K]) of(value K, own func(K) K) int32 {
	number, isKnown := n.numbers[value]
	if !isKnown {
		if n.numbers == nil {
			n.numbers = map[K]int32{}
		}
		number = int32(len(n.list))
		value = own(value)
		n.numbers[value] = number
		n.list = append(n.list, value)
	}
	return number
}

// describer finds the features of starts.
type describer struct {
	features numberer[Feature]
	common   func(vnode string) []string
	known    map[string][]string // by vnode, what it has in common
	found    []int32             // of one start
}

// of returns the numbers of a start's features on a side, which hold until the next call.
func (d *describer) of(s *Start, side Side) []int32 {
	d.found = d.found[:0]
	for _, f := range []Feature{{OfQueue, s.Queue}, {OfQOS, s.QOS}, {OfAccount, s.Account}, {OfProject, s.Project}, {OfGroup, s.Group}, {OfUser, s.User}} {
		if f.Name != "" {
			d.add(f)
		}
	}
	for _, name := range s.Asks {
		d.add(Feature{OfAsked, name})
	}
	d.addSizes(OfCPUs, s.CPUs)
	d.addSizes(OfNodes, s.Nodes)
	switch side {
	case Where:
		if s.Where.Rule != "" { // they would have taken these
			d.addNodes(OnNode, s.Recorded, nil)
			break
		}
		if s.Where.Finding == Agrees {
			d.addNodes(OnNode, s.Recorded, nil)
			d.addNodes(RatherNode, s.Recorded, nil)
			break
		}
		d.addNodes(OnNode, s.Recorded, s.Chosen)
		d.addNodes(RatherNode, s.Chosen, s.Recorded)
	case May:
		d.addNodes(OnNode, s.Recorded, nil)
	case Wait:
		if rather := s.Beside; s.Waited > 0 {
			d.addNodes(RatherNode, rather, nil)
		} else {
			d.addNodes(RatherNode, s.Recorded, nil)
		}
	}
	return d.found
}

func (d *describer) add(f Feature) {
	number := d.features.of(f, func(f Feature) Feature { return Feature{f.Kind, strings.Clone(f.Name)} })
	if !slices.Contains(d.found, number) {
		d.found = append(d.found, number)
	}
}

// addSizes adds each power of two that a number reaches, so that a description can be of all that are as large.
func (d *describer) addSizes(kind Kind, n int64) {
	for size := int64(2); size <= n; size *= 2 {
		d.add(Feature{kind, strconv.FormatInt(size, 10)})
	}
}

// addNodes adds vnodes but those among others, and what they have in common and those others have not. kind is that of
// single vnodes.
func (d *describer) addNodes(kind Kind, nodes, others []string) {
	var theirs []string
	for _, node := range others {
		if !slices.Contains(nodes, node) {
			theirs = append(theirs, d.commonOf(node)...)
		}
	}
	for _, node := range nodes {
		if slices.Contains(others, node) {
			continue
		}
		if len(nodes) <= fewNodes {
			d.add(Feature{kind, node})
		}
		for _, name := range d.commonOf(node) {
			if !slices.Contains(theirs, name) {
				d.add(Feature{kind - 1, name})
			}
		}
	}
}

func (d *describer) commonOf(node string) []string {
	if d.common == nil {
		return nil
	}
	names, isKnown := d.known[node]
	if !isKnown {
		if d.known == nil {
			d.known = map[string][]string{}
		}
		names = d.common(node)
		d.known[strings.Clone(node)] = names
	}
	return names
}

// Description is what the starts of a group have in common: all of its features, and a span of time where it
// has one.
type Description struct {
	Features []Feature
	From, To int64  // seconds since 1970; both 0 for at all times
	Hours    [2]int // of the day, from the first to before the second; both 0 for all
}

// hasTime reports whether a description is of some time alone.
func (d Description) hasTime() bool { return d.To != 0 || d.Hours != [2]int{} }

// compareFeatures is the order in which features of a description are named.
func compareFeatures(a, b Feature) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
}

// hasAll reports whether a mask has all bits of another one.
func hasAll(mask, of uint64) bool { return mask&of == of }

// firstBit returns the number of the lowest bit of a mask.
func firstBit(mask uint64) int { return bits.TrailingZeros64(mask) }
