package slurm

import (
	"slices"
	"strings"
)

// Constraint is what a job asks of the features of each of its nodes: that it has all of one of these lists.
// One without lists asks for nothing.
type Constraint [][]string

// Together is what a constraint asks of the nodes of a job together, beside what it asks of each.
type Together byte

// What a constraint may ask of all nodes together.
const (
	OfEach    Together = iota // nothing
	SameOnAll                 // that they have the same of its lists: [a|b]
	InPart                    // something that is not kept: a*2, [a&b]
	Counts                    // that some have one feature and others another: [a*2&b*1]
)

// ParseConstraint reads a constraint of sbatch (-C), such as "intel&gpu" or "(rome|milan)&ib", from left to right
// as Slurm does. Numbers of nodes are not kept: a*2 is read as a, and [a*2&b*1], of which each node has one feature, as
// a|b. ok is false for what is no constraint, or one with very many choices.
func ParseConstraint(text string) (c Constraint, of Together, ok bool) {
	p := constraintParser{left: text}
	if c, ok = p.expression(0, false); !ok || p.left != "" {
		return nil, OfEach, false
	}
	switch {
	case p.counts > 1:
		of = Counts
	case p.isSame && p.counts == 0 && len(c) > 1:
		of = SameOnAll
	case p.isSame || p.counts == 1:
		of = InPart
	}
	return c, of, true
}

// MetBy reports whether a node with some features is one that the job asks for.
func (c Constraint) MetBy(features []string) bool {
	has := func(feature string) bool { return slices.Contains(features, feature) }
	return len(c) == 0 || slices.ContainsFunc(c, func(all []string) bool {
		return !slices.ContainsFunc(all, func(feature string) bool { return !has(feature) })
	})
}

// Names returns each feature that a constraint names, once.
func (c Constraint) Names() []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(c...))))
}

// String returns a constraint as ParseConstraint reads it.
func (c Constraint) String() string {
	var choices []string
	for _, all := range c {
		text := strings.Join(all, "&")
		if len(c) > 1 && len(all) > 1 {
			text = "(" + text + ")"
		}
		choices = append(choices, text)
	}
	return strings.Join(choices, "|")
}

// constraintParser reads a constraint from what is left of it.
type constraintParser struct {
	left   string
	isSame bool // whether something stands in square brackets
	counts int  // of features, such as *2
}

const (
	deepestConstraint = 8
	mostChoices       = 256
)

// expression reads terms with & and | between them, up to the end or a bracket.
func (p *constraintParser) expression(depth int, isSquare bool) (Constraint, bool) {
	c, ok := p.term(depth)
	for ok && p.left != "" && (p.left[0] == '&' || p.left[0] == '|') {
		isAnd := p.left[0] == '&'
		p.left = p.left[1:]
		var next Constraint
		if next, ok = p.term(depth); isAnd && (!isSquare || p.counts == 0) {
			var both Constraint
			for _, a := range c {
				for _, b := range next {
					both = append(both, slices.Concat(a, b))
				}
			}
			c = both
		} else {
			c = append(c, next...)
		}
		ok = ok && len(c) <= mostChoices
	}
	return c, ok
}

// term reads a feature, or an expression in brackets.
func (p *constraintParser) term(depth int) (Constraint, bool) {
	if p.left == "" || depth > deepestConstraint {
		return nil, false
	}
	var c Constraint
	if open := p.left[0]; open == '(' || open == '[' {
		shut := byte(')')
		if open == '[' {
			shut, p.isSame = ']', true
		}
		p.left = p.left[1:]
		var ok bool
		if c, ok = p.expression(depth+1, shut == ']'); !ok || p.left == "" || p.left[0] != shut {
			return nil, false
		}
		p.left = p.left[1:]
	} else {
		end := strings.IndexAny(p.left, "&|()[]*")
		if end < 0 {
			end = len(p.left)
		}
		if end == 0 {
			return nil, false
		}
		c = Constraint{{strings.Clone(p.left[:end])}}
		p.left = p.left[end:]
	}
	if count, ok := strings.CutPrefix(p.left, "*"); ok {
		p.left = strings.TrimLeft(count, "0123456789")
		p.counts++
		if len(p.left) == len(count) {
			return nil, false
		}
	}
	return c, true
}
