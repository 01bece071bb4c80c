package file

import (
	"iter"
	"strings"

	"fairshare/cmd/internal/diag"
)

// Likeness is how a text is to another one that is of the same command and is read in its place.
type Likeness int

const (
	Copy      Likeness = iota // the other has all that it has
	Different                 // it says something else, as of another time
	OtherForm                 // it is in another form, so that nothing tells whether it says the same
)

// LikenessOf returns how a text is to another one of the same form: a copy, where their words are the same.
func LikenessOf(text, other string) Likeness {
	next, stop := iter.Pull(strings.FieldsSeq(other))
	defer stop()
	for word := range strings.FieldsSeq(text) {
		if same, ok := next(); !ok || same != word {
			return Different
		}
	}
	if _, more := next(); more {
		return Different
	}
	return Copy
}

// NotRead says that files are not read, since another one is that has what they are as well: with a warning, but of copies.
func NotRead(names []string, read, is string, how Likeness) diag.Remark {
	switch how {
	case Copy:
		return diag.Generalf("%s not read: %s has the same", Are(names), read)
	case OtherForm:
		return diag.Warningf("%s not read: %s is %s as well, in another form, and perhaps of another time", Are(names), read, is)
	}
	return diag.Warningf("%s not read: %s is %s as well, and they differ", Are(names), read, is)
}
