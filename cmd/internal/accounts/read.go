// Package accounts reads the trees of accounts and users that Slurm and flux
// print, and computes their fairshare under several algorithms.
package accounts

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
	"fairshare/fstree"
)

// Format is how a tree is written.
type Format string

const (
	Auto   Format = "auto"
	Sshare Format = "sshare" // sshare -a -l, with -P or --json or without
	Flux   Format = "flux"   // the JSON that flux account fairshare-emulate reads
	JSON   Format = "json"   // {"nodes": [{"name", "parent", "kind", "shares", "raw_usage"}]}
)

// ReadTree returns the tree of a file, and the format that it has where format is Auto.
func ReadTree(from file.Source, format Format) (*fstree.Associations, Format, error) {
	const most = 1 << 30 // more than a tree of ten million users needs
	text, err := from.Text(most)
	if err != nil {
		return nil, format, err
	}
	tree, format, err := Parse(text, format)
	if err != nil {
		return nil, format, fmt.Errorf("%s: %w", from.Name, err)
	}
	return tree, format, nil
}

// Parse returns a tree, and the format that it has where format is Auto. Its
// errors are *file.Problem, in a *CutError where rows of the tree lack.
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
			return nil, format, &file.Problem{Line: 1, Message: "there is nothing in it"}
		}
		err = &file.Problem{Line: 1, Message: "neither a table of sshare -a -l -P nor JSON"}
	}
	if err != nil {
		return nil, format, err
	}
	if format == Sshare {
		if err := findCut(list); err != nil {
			return nil, format, err
		}
	}
	a, err := treeOf(list, format)
	return a, format, err
}

// treeOf returns the tree of the associations that stand in a text of a format.
func treeOf(list []line, format Format) (*fstree.Associations, error) {
	nodes := make([]fstree.Association, len(list))
	names := 0
	for i, l := range list {
		nodes[i] = l.Association
		names += len(l.Name) + len(l.Partition)
	}
	var own strings.Builder // the names, so that who keeps the tree keeps nothing else of the text
	own.Grow(names)
	for i := range nodes {
		for _, name := range []*string{&nodes[i].Name, &nodes[i].Partition} {
			begin := own.Len()
			own.WriteString(*name)
			*name = own.String()[begin:]
		}
	}
	if err := distinct(list); err != nil {
		if format == Sshare {
			err.Message += ": where one of them is of a partition, sshare -a -l -P -m says so"
		}
		return nil, err
	}
	a, err := fstree.NewAssociations(nodes)
	var wrong *fstree.AssociationError
	if errors.As(err, &wrong) {
		return nil, &file.Problem{Line: list[wrong.Index].number, Message: wrong.Message}
	}
	return a, err
}

// distinct returns a *file.Problem if an association occurs twice, else nil.
func distinct(list []line) *file.Problem {
	type name struct {
		parent int32
		name   string
		part   string
		user   bool
	}
	of := func(l *line) name { return name{l.Parent, l.Name, l.Partition, l.User} }
	if ascends(list) {
		return nil
	}
	// A table of places takes a tenth of the memory of names, of which a large tree has many. Where a name belongs in it says its
	// hash; one whose place is taken moves on to the next.
	seed := maphash.MakeSeed()
	seen := make([]int32, 2<<bits.Len(uint(len(list)))) // each the number of an association from 1 on, 0 for none
	for i := range list {
		l := &list[i]
		place := maphash.Comparable(seed, of(l)) % uint64(len(seen))
		for ; seen[place] != 0; place = (place + 1) % uint64(len(seen)) {
			if of(&list[seen[place]-1]) == of(l) {
				return &file.Problem{Line: l.number, Message: fmt.Sprintf("%q occurs twice in its account", l.Name)}
			}
		}
		seen[place] = int32(i + 1)
	}
	return nil
}

// ascends reports whether the names of each account's users, and of its accounts, stand in ascending order, as sshare prints them,
// so that none occurs twice.
func ascends(list []line) bool {
	last := make([][2]int32, len(list)) // by account, the last one of its accounts and of its users; 0 for none
	for i := 1; i < len(list); i++ {
		l := &list[i]
		if l.Parent < 0 {
			return false
		}
		kind := 0
		if l.User {
			kind = 1
		}
		at := &last[l.Parent][kind]
		if before := &list[*at]; *at > 0 && (before.Name > l.Name || before.Name == l.Name && before.Partition >= l.Partition) {
			return false
		}
		*at = int32(i)
	}
	return true
}

// line is an association and the line it stands in.
type line struct {
	fstree.Association
	number int     // 0 for an account that stands in none
	norm   float64 // its part of all usage at the last sweep, as sshare prints it; NaN for unknown

	due, used float32 // its NormShares and EffectvUsage, as sshare prints them; NaN for unknown
}

// unknown is a part that sshare does not print.
var unknown = float32(math.NaN())

// fluxKey is a key that only flux's trees have.
var fluxKey = pattern.Of(`[^\\]"(bank|username)"\s*:`)

// isShares matches the header of a table of sshare in columns of a width.
var isShares = pattern.Of(`^Account +User +(Partition +)?RawShares `)

// sharesKey is how the JSON of sshare begins.
var sharesKey = pattern.Of(`^\{\s*"shares"\s*:\s*\{`)

// detect returns the format that a text has by how it begins.
func detect(text string) Format {
	const most = 64 << 10
	trimmed := strings.TrimLeft(text, " \t\r\n")
	switch {
	case strings.HasPrefix(trimmed, "{") && fluxKey().MatchString(trimmed[:min(len(trimmed), most)]):
		return Flux
	case sharesKey().MatchString(trimmed):
		return Sshare
	case strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "["):
		return JSON
	}
	if first, _, _ := strings.Cut(trimmed, "\n"); strings.Contains(first, "|") || isShares().MatchString(first) {
		return Sshare
	}
	return ""
}

// reader is JSON by tokens, with line numbers. Nesting is bounded by jsontext,
// to 10,000 levels; a name that an object has twice is an error.
type reader struct {
	text string
	dec  *jsontext.Decoder

	counted int64 // bytes whose lines are counted
	lines   int
}

func newReader(text string) *reader {
	return &reader{text: text, dec: jsontext.NewDecoder(strings.NewReader(text))}
}

// line returns the number of the line that was read last.
func (r *reader) line() int { return r.lineAt(r.dec.InputOffset()) }

func (r *reader) lineAt(at int64) int {
	at = min(max(at, r.counted), int64(len(r.text)))
	r.lines += strings.Count(r.text[r.counted:at], "\n")
	r.counted = at
	return r.lines + 1
}

func (r *reader) fail(format string, args ...any) error {
	return &file.Problem{Line: r.line(), Message: fmt.Sprintf(format, args...)}
}

// token returns the next token: a delim, a string, a number as it is written, a
// bool, or nil.
func (r *reader) token() (any, error) {
	t, err := r.dec.ReadToken()
	if err != nil {
		return nil, r.syntax(err)
	}
	switch kind := t.Kind(); kind {
	case '"':
		return t.String(), nil
	case '0':
		return numeral(t.String()), nil
	case 't', 'f':
		return t.Bool(), nil
	case 'n':
		return nil, nil
	default:
		return delim(kind), nil
	}
}

// delim is one of { } [ ].
type delim byte

// numeral is a number as it is written.
type numeral string

// syntax returns where and why a text is no JSON.
func (r *reader) syntax(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &file.Problem{Line: 1 + strings.Count(strings.TrimRight(r.text, "\n"), "\n"), Message: "the JSON ends too early"}
	}
	at, reason := r.dec.InputOffset(), err
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		at, reason = syntactic.ByteOffset, syntactic.Err
		if errors.Is(err, jsontext.ErrDuplicateName) {
			reason = fmt.Errorf("%q occurs twice in an object", syntactic.JSONPointer.LastToken())
		}
	}
	return &file.Problem{Line: r.lineAt(at), Message: fmt.Sprintf("no JSON: %v", reason)}
}

// skip passes over the value that begins with token.
func (r *reader) skip(token any) error {
	depth := 0
	for {
		switch token {
		case delim('{'), delim('['):
			depth++
		case delim('}'), delim(']'):
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
	if _, err := r.dec.ReadToken(); errors.Is(err, io.EOF) {
		return nil
	}
	return r.fail("something else follows the tree")
}

// number returns a token as a number from 0. A string of digits counts, too.
func (r *reader) number(token any, what string) (float64, error) {
	text := ""
	switch t := token.(type) {
	case numeral:
		text = string(t)
	case string:
		text = t
	}
	return amount(text, what, r.fail)
}

// amount reads a number from 0, such as shares.
func amount(text, what string, fail func(string, ...any) error) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0) || x > 1e300 {
		return 0, fail("%s %q is not a number from 0 to 1e300", what, text)
	}
	return x, nil
}

// name returns a token's text; an empty one is an error.
func (r *reader) name(token any, what string) (string, error) {
	if s, ok := token.(string); ok && s != "" {
		return s, nil
	}
	return "", r.fail("the %s is not a name", what)
}
