package accounts

import "unicode/utf8"

// Widest finds the rows of a table of several algorithms that decide how wide its columns are, without making what they show. The zero
// Widest has seen none.
type Widest struct {
	account, user int     // characters
	shares, usage float64 // the largest ones, from 1 on
	change        int     // the largest, from 1 on
	seen          uint8   // what is no number

	verdicts []verdict // by algorithm, the largest
	kinds    []uint8   // of the marks that are no number
}

// Grows reports whether a user of the tree may have a cell that is wider than those of all others that were asked for before.
func (w *Widest) Grows(t *Table, at int) bool {
	const most = 1e15 // from which on usage is not as wide as it is large
	if w.verdicts == nil {
		w.verdicts, w.kinds = make([]verdict, len(t.Algorithms)), make([]uint8, len(t.Algorithms))
	}
	x := t.Tree.At(at)
	account, user := t.Names(at)
	usage := t.Tree.Counted(at)
	grows := x.Shares != float64(int64(x.Shares)) || usage >= most
	grows = larger(&w.account, utf8.RuneCountInString(account)) || grows
	grows = larger(&w.user, utf8.RuneCountInString(user)) || grows
	if x.FromParent {
		grows = isNew(&w.seen, 1) || grows
	} else {
		grows = larger(&w.shares, x.Shares+1) || grows
	}
	grows = larger(&w.usage, usage+1) || grows
	grows = larger(&w.change, t.Change(at)+1) || grows
	for k := range t.Algorithms {
		v, of := t.verdict(k, at), &w.verdicts[k]
		grows = larger(&of.rank, v.rank) || grows
		if kind := markNone - v.mark; kind <= markNone-markFarOver {
			if x.FromParent {
				kind += 4 // it has another mark where there is no target
			}
			grows = isNew(&w.kinds[k], 1<<kind) || grows
		} else {
			grows = larger(&of.mark, v.mark+1) || grows
		}
	}
	return grows
}

// larger makes most a number that is larger, and reports whether it is.
func larger[N int | int32 | float64 | mark](most *N, x N) bool {
	if x <= *most {
		return false
	}
	*most = x
	return true
}

// isNew adds a bit to some, and reports whether they had it not.
func isNew(bits *uint8, bit uint8) bool {
	is := *bits&bit == 0
	*bits |= bit
	return is
}
