package sacct

import (
	"bytes"
	"io"
	"slices"
	"strings"
)

// People part the columns of sacct -P by other signs than pipes, as --delimiter says. Such a table is read as one with pipes, and a pipe in it
// as the sign.

// delimiters are the signs by which people part columns that stand in no name of one.
const delimiters = "\t;,^~"

// withCommas are parts of the names of columns whose values have commas in them, so that commas do not tell them apart.
var withCommas = []string{"tres", "nodelist", "flags", "licenses", "constraints", "reservation", "submitline", "comment"}

// delimiterOf returns the sign by which a table is parted that a text begins with, below a few lines in words perhaps; a pipe where its header
// tells none.
func delimiterOf(text []byte) byte {
	const most, fewest = 5, 2 // lines with text, the header among them; and signs in it
	for range most {
		line, below, _ := bytes.Cut(bytes.TrimLeft(text, " \t\r\n\xef\xbb\xbf"), []byte("\n"))
		text = below
		if !bytes.Contains(line, []byte("JobID")) || bytes.IndexByte(line, '|') >= 0 {
			continue
		}
		for _, by := range []byte(delimiters) {
			if bytes.Count(line, []byte{by}) < fewest {
				continue
			}
			piped := swapped(line, by)
			isDoubtful := by == ',' && slices.ContainsFunc(withCommas, func(part string) bool { return strings.Contains(strings.ToLower(string(line)), part) })
			if slices.Contains(Columns(string(piped)), "JobID") && namesColumns(piped) && !isDoubtful {
				return by
			}
		}
	}
	return '|'
}

// swapped returns a text with pipes in place of a sign, and the sign in place of pipes.
func swapped(text []byte, by byte) []byte {
	text = bytes.Clone(text)
	swap(text, by)
	return text
}

func swap(text []byte, by byte) {
	for i, c := range text {
		switch c {
		case by:
			text[i] = '|'
		case '|':
			text[i] = by
		}
	}
}

// piped reads a text as swapped returns it.
type piped struct {
	io.Reader
	by byte
}

// Read implements io.Reader.
func (p piped) Read(b []byte) (n int, err error) {
	n, err = p.Reader.Read(b)
	swap(b[:n], p.by)
	return n, err
}
