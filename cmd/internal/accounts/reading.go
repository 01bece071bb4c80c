package accounts

import (
	"math"
	"slices"

	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// Reading says in words what an association's numbers mean.
func (t *Table) Reading(k, at int) string { return string(t.AppendReading(nil, k, at)) }

// AppendReading adds what Reading returns to a text.
func (t *Table) AppendReading(text []byte, k, at int) []byte {
	x, s := t.Tree.At(at), t.Of(k)
	used := t.OfTarget(k, at)
	switch {
	case at == 0:
		return text
	case math.IsNaN(used) && x.FromParent:
		if !x.User {
			return append(text, "its members compete above"...)
		}
		return append(text, "at the top of its level"...)
	case math.IsNaN(used):
		return append(text, "has no shares"...)
	case s.EffectiveUsage[at] == 0:
		return append(text, "under target, nothing used"...)
	case isOnTarget(used):
		return append(text, "on target"...)
	case used < 1:
		text = append(text, "under target, "...)
	default:
		text = append(text, "over target, "...)
	}
	text = append(markOf(used).append(text), " of it used"...)
	if x.User && x.Usage == 0 {
		text = append(text, " by its group, nothing by itself"...)
	}
	return text
}

// AppendMark adds to a text what Reading says, in a few letters.
func (t *Table) AppendMark(text []byte, k, at int) []byte {
	switch m := t.verdict(k, at).mark; {
	case m == markNone && t.Tree.At(at).FromParent:
		return append(text, "top"...)
	case m == markNone:
		return append(text, '-')
	case m == markOnTarget:
		return append(text, '=')
	default:
		return m.append(text)
	}
}

// HasWalkOfParents reports whether the algorithm of flux is among those of a table whose tree has Fairshare=parent, which flux does not know.
func (t *Table) HasWalkOfParents() bool {
	for at := range t.Tree.Len() {
		if t.Tree.At(at).FromParent {
			return slices.ContainsFunc(t.Algorithms, func(a fstree.Algorithm) bool { return a.Name == "weighted-walk" })
		}
	}
	return false
}

// isOnTarget reports whether use is so near to what is due that two decimals
// show no difference.
func isOnTarget(used float64) bool { return math.Abs(used-1) < 0.005 }

// mark is a ratio of use to what is due as tables show it: in hundredths, as far as those say something, or one of those below.
type mark uint32

const (
	markNone     mark = math.MaxUint32 - iota // there is no target
	markOnTarget                              // it is on target
	markFarOver                               // it is more than 9999
)

// markOf returns the mark of a ratio, NaN for none.
func markOf(used float64) mark {
	switch {
	case math.IsNaN(used):
		return markNone
	case isOnTarget(used):
		return markOnTarget
	case used > 9999:
		return markFarOver
	}
	return mark(report.Units(used, 2))
}

// append adds a ratio to a text that is none of those that have a mark of their own.
func (m mark) append(text []byte) []byte {
	if m == markFarOver {
		return append(text, ">9999x"...)
	}
	return append(report.AppendUnits(text, uint64(m), 2), 'x')
}
