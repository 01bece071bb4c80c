// Package associations reads the trees of accounts and users that Slurm and
// flux print.
package associations

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"fairshare/fstree"
)

// Format is how a tree is written.
type Format string

const (
	Auto   Format = "auto"
	Sshare Format = "sshare" // sshare -a -l -P
	Flux   Format = "flux"   // the JSON that flux account fairshare-emulate reads
	JSON   Format = "json"   // {"nodes": [{"name", "parent", "kind", "shares", "raw_usage"}]}
)

// Error tells which line of a tree is wrong.
type Error struct {
	Line   int
	Detail string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Detail) }

// Parse reads a tree, and tells how it was written where format is Auto. Its
// errors are *Error.
func Parse(text string, format Format) (*fstree.Associations, Format, error) {
	if format == Auto {
		format = detect(text)
	}
	var list []line
	var err error
	switch format {
	case Sshare:
		list, err = parseSshare(text)
	case Flux:
		list, err = parseFlux(text)
	case JSON:
		list, err = parseNodes(text)
	default:
		if strings.TrimSpace(text) == "" {
			return nil, format, &Error{1, "there is nothing in it"}
		}
		err = &Error{1, "neither a table of sshare -a -l -P nor JSON"}
	}
	if err != nil {
		return nil, format, err
	}
	nodes := make([]fstree.Association, len(list))
	for i, l := range list {
		nodes[i] = l.Association
	}
	if err := distinct(list); err != nil {
		return nil, format, err
	}
	a, err := fstree.NewAssociations(nodes)
	var wrong *fstree.AssociationError
	if errors.As(err, &wrong) {
		return nil, format, &Error{list[wrong.Index].number, wrong.Detail}
	}
	return a, format, err
}

// distinct finds an association that stands twice.
func distinct(list []line) error {
	type name struct {
		parent int32
		name   string
		user   bool
	}
	seen := make(map[name]bool, len(list))
	for _, l := range list {
		n := name{l.Parent, l.Name, l.User}
		if seen[n] {
			return &Error{l.number, fmt.Sprintf("%q stands twice in its account", l.Name)}
		}
		seen[n] = true
	}
	return nil
}

// line is an association and the line it stands in.
type line struct {
	fstree.Association
	number int
}

// fluxKey is a key that only flux's trees have.
var fluxKey = regexp.MustCompile(`[^\\]"(bank|username)"\s*:`)

// detect tells a format by how a text begins.
func detect(text string) Format {
	const most = 1 << 20
	trimmed := strings.TrimLeft(text, " \t\r\n")
	switch {
	case strings.HasPrefix(trimmed, "{") && fluxKey.MatchString(trimmed[:min(len(trimmed), most)]):
		return Flux
	case strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "["):
		return JSON
	}
	if first, _, _ := strings.Cut(trimmed, "\n"); strings.Contains(first, "|") {
		return Sshare
	}
	return ""
}

// reader is JSON by tokens, with line numbers.
type reader struct {
	text string
	dec  *json.Decoder

	counted int64 // bytes whose lines are counted
	lines   int
}

func newReader(text string) *reader {
	r := &reader{text: text, dec: json.NewDecoder(strings.NewReader(text))}
	r.dec.UseNumber()
	return r
}

// line is the line of what was read last.
func (r *reader) line() int {
	at := r.dec.InputOffset()
	r.lines += strings.Count(r.text[r.counted:at], "\n")
	r.counted = at
	return r.lines + 1
}

func (r *reader) fail(format string, args ...any) error {
	return &Error{r.line(), fmt.Sprintf(format, args...)}
}

// token is the next token.
func (r *reader) token() (json.Token, error) {
	token, err := r.dec.Token()
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return token, nil
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, &Error{1 + strings.Count(strings.TrimRight(r.text, "\n"), "\n"), "the JSON ends too early"}
	case errors.As(err, &syntax):
		at := min(max(syntax.Offset, 0), int64(len(r.text)))
		return nil, &Error{1 + strings.Count(r.text[:at], "\n"), "no JSON: " + syntax.Error()}
	}
	return nil, r.fail("no JSON: %v", err)
}

// skip passes over the value that begins with token.
func (r *reader) skip(token json.Token) error {
	depth := 0
	for {
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		var err error
		if token, err = r.token(); err != nil {
			return err
		}
	}
}

// end makes sure that nothing follows.
func (r *reader) end() error {
	token, err := r.dec.Token()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return r.fail("behind the tree stands something else: %v", err)
	}
	return r.fail("behind the tree stands something else: %v", token)
}

// number is a token's number from 0. Strings of digits pass.
func (r *reader) number(token json.Token, what string) (float64, error) {
	text := ""
	switch t := token.(type) {
	case json.Number:
		text = t.String()
	case string:
		text = t
	}
	return amount(text, what, r.fail)
}

// amount reads a number from 0, such as shares.
func amount(text, what string, fail func(string, ...any) error) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0) || x > 1e300 {
		return 0, fail("%s %q is no number from 0", what, text)
	}
	return x, nil
}

// name is a token's text, which may not be empty.
func (r *reader) name(token json.Token, what string) (string, error) {
	if s, ok := token.(string); ok && s != "" {
		return s, nil
	}
	return "", r.fail("the %s is no name", what)
}
