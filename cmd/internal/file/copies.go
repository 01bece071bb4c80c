package file

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"path"
	"strings"

	"fairshare/cmd/internal/diag"
)

// Likeness is how a text is to another one that is of the same command and is read in its place.
type Likeness int

const (
	Copy       Likeness = iota // the other has all that it has
	Different                  // it says something else, as of another time
	OtherForm                  // it is in another form, so that nothing tells whether it says the same
	Uncompared                 // one of them cannot be read to its end
)

// LikenessOf returns how a text is to another one of the same form: a copy, where their words are the same.
func LikenessOf(text, other string) Likeness {
	return likeness(bufio.NewReader(strings.NewReader(text)), bufio.NewReader(strings.NewReader(other)))
}

// LikenessTo returns how the text of a source is to another one, both of which are read up to where they differ.
func (s Source) LikenessTo(other Source) (how Likeness) {
	err := s.Read(func(text *bufio.Reader) error {
		return other.Read(func(other *bufio.Reader) error {
			begin, _ := text.Peek(MostTelling)
			theirs, _ := other.Peek(MostTelling)
			if how = OtherForm; KindOf(begin) == KindOf(theirs) {
				how = likeness(text, other)
			}
			return nil
		})
	})
	if err != nil {
		return Uncompared
	}
	return how
}

// likeness returns how two texts of the same form are to each other: as bytes up to where these differ, and by words from there.
func likeness(text, other *bufio.Reader) Likeness {
	before := words{}
	for {
		_, _ = text.Peek(1) // so that something is buffered, but at the end
		_, _ = other.Peek(1)
		n := min(text.Buffered(), other.Buffered())
		same, _ := text.Peek(n)
		if theirs, _ := other.Peek(n); n == 0 || !bytes.Equal(same, theirs) {
			break
		}
		before.hasBegun = before.hasBegun || len(bytes.TrimSpace(same)) > 0
		before.isApart = isSpace(same[n-1])
		_, _ = text.Discard(n)
		_, _ = other.Discard(n)
	}
	a, b := before, before
	a.text, b.text = text, other
	for {
		c, err := a.next()
		d, failed := b.next()
		switch isOver, otherIs := errors.Is(err, io.EOF), errors.Is(failed, io.EOF); {
		case err != nil && !isOver || failed != nil && !otherIs:
			return Uncompared
		case isOver && otherIs:
			return Copy
		case isOver != otherIs || c != d:
			return Different
		}
	}
}

// words are those of a text, byte by byte, with a space between two of them.
type words struct {
	text     *bufio.Reader
	hasBegun bool // whether there was one
	isApart  bool // whether space follows what was read last
}

// next returns the next byte of a word, or the space before one.
func (w *words) next() (byte, error) {
	for {
		c, err := w.text.ReadByte()
		switch {
		case err != nil:
			return 0, err
		case isSpace(c):
			w.isApart = true
		case w.isApart && w.hasBegun:
			w.isApart = false
			return ' ', w.text.UnreadByte()
		default:
			w.hasBegun, w.isApart = true, false
			return c, nil
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// NotRead says that files are not read, since another one is that has what they are as well: with a warning, but of copies. fact is one in
// which they differ, "" where none is known.
func NotRead(names []string, read, is string, how Likeness, fact string) diag.Remark {
	switch how {
	case Copy:
		return diag.Generalf("%s not read: %s has the same", Are(names), read)
	case OtherForm:
		return diag.Warningf("%s not read: %s is %s as well, in another form, and perhaps of another time", Are(names), read, is)
	case Uncompared:
		return diag.Warningf("%s not read: %s is %s as well, and they cannot be compared, since not all of them can be read", Are(names), read, is)
	}
	var short []string
	for _, name := range names {
		short = append(short, path.Base(name))
	}
	text, which := "", strings.Join(short, ", ")
	if fact != "" {
		text, which = ": "+fact, which+" ("+fact+")"
	}
	return diag.Warningf("%s not read: %s is %s as well, and they differ%s", Are(names), read, is, text).
		Joined("not read, since another print of the same is read and differs", "%s", which)
}
