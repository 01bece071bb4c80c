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
	"slices"
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
	var list *listed
	var lines []line
	var err error
	switch format {
	case Sshare:
		list, err = parseSshare(text)
	case Flux:
		lines, err = parseFlux(text)
		list = listOf(lines)
	case JSON:
		lines, err = parseNodes(text)
		list = listOf(lines)
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
func treeOf(list *listed, format Format) (*fstree.Associations, error) {
	nodes, names := list.nodes, 0
	for i := range nodes {
		names += len(nodes[i].Name) + len(nodes[i].Partition)
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
		return nil, &file.Problem{Line: int(list.notes[wrong.Index].number), Message: wrong.Message}
	}
	return a, err
}

// distinct returns a *file.Problem if an association occurs twice, else nil.
func distinct(list *listed) *file.Problem {
	type name struct {
		parent int32
		name   string
		part   string
		user   bool
	}
	of := func(x *fstree.Association) name { return name{x.Parent, x.Name, x.Partition, x.User} }
	if ascends(list.nodes) {
		return nil
	}
	// A table of places takes a tenth of the memory of names, of which a large tree has many. Where a name belongs in it says its
	// hash; one whose place is taken moves on to the next.
	seed := maphash.MakeSeed()
	seen := make([]int32, 2<<bits.Len(uint(len(list.nodes)))) // each the number of an association from 1 on, 0 for none
	for i := range list.nodes {
		x := &list.nodes[i]
		place := maphash.Comparable(seed, of(x)) % uint64(len(seen))
		for ; seen[place] != 0; place = (place + 1) % uint64(len(seen)) {
			if of(&list.nodes[seen[place]-1]) == of(x) {
				return &file.Problem{Line: int(list.notes[i].number), Message: fmt.Sprintf("%q occurs twice in its account", x.Name)}
			}
		}
		seen[place] = int32(i + 1)
	}
	return nil
}

// ascends reports whether the names of each account's users, and of its accounts, stand in ascending order, as sshare prints them,
// so that none occurs twice.
func ascends(list []fstree.Association) bool {
	for i := 1; i < len(list); i++ {
		if list[i].Parent < 0 {
			return false
		}
	}
	above := numberParents(list)
	last := make([][2]int32, len(above.places)) // the last one of its accounts and of its users; 0 for none
	for i := 1; i < len(list); i++ {
		l := &list[i]
		kind := 0
		if l.User {
			kind = 1
		}
		at := &last[above.of(l.Parent)][kind]
		if before := &list[*at]; *at > 0 && (before.Name > l.Name || before.Name == l.Name && before.Partition >= l.Partition) {
			return false
		}
		*at = int32(i)
	}
	return true
}

// parents are the associations that have members, numbered. They are far fewer than all, so that what is summed up of each takes little memory.
type parents struct {
	places []int32 // of each, in ascending order
	last   int     // the number that was asked for last
}

// numberParents returns those of a list.
func numberParents(list []fstree.Association) *parents {
	isParent := make([]bool, len(list))
	n := 0
	for i := range list {
		if at := list[i].Parent; at >= 0 && !isParent[at] {
			isParent[at] = true
			n++
		}
	}
	p := &parents{places: make([]int32, 0, n)}
	for i, is := range isParent {
		if is {
			p.places = append(p.places, int32(i))
		}
	}
	return p
}

// of returns the number of one, which is nearly always that of the association before.
func (p *parents) of(place int32) int {
	if p.places[p.last] != place {
		p.last, _ = slices.BinarySearch(p.places, place)
	}
	return p.last
}

// line is an association and what its line says besides.
type line struct {
	fstree.Association
	note
}

// note is what the line of an association says besides: where it stands and, as sshare prints them, parts that are NaN for unknown.
type note struct {
	number int32   // 0 for an account that stands in none
	due    float32 // its NormShares
	used   float64 // its EffectvUsage
	norm   float64 // its part of all usage at the last sweep
	factor float64 // its FairShare
}

// unknown is what is known of an account that stands in no line.
var unknown = note{due: float32(math.NaN()), used: math.NaN(), norm: math.NaN(), factor: math.NaN()}

// listed is associations as they stand in a text, and apart from them, since they alone become a tree, what their lines say besides.
type listed struct {
	nodes []fstree.Association
	notes []note

	factors int  // of how many users FairShare is printed
	isOdd   bool // whether some row is not as sshare prints it, so that who takes numbers from rows alone must look at each
}

// listOf returns lines as they are listed.
func listOf(lines []line) *listed {
	list := &listed{nodes: make([]fstree.Association, len(lines)), notes: make([]note, len(lines)), isOdd: true}
	for i, l := range lines {
		list.nodes[i], list.notes[i] = l.Association, l.note
	}
	return list
}

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
	x, err := number(text)
	if err != nil || !(x >= 0) || x > 1e300 {
		return 0, fail("%s %q is not a number from 0 to 1e300", what, text)
	}
	return x, nil
}

// number returns what strconv.ParseFloat does, in a third of the time for a few digits without a sign or an exponent: those are
// a quotient of whole numbers, which float64 has exactly.
func number(text string) (float64, error) {
	const most = 15
	if len(text) > most {
		return strconv.ParseFloat(text, 64)
	}
	digits, decimals, isBehind := uint64(0), 0, false
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9':
			digits = 10*digits + uint64(c-'0')
			if isBehind {
				decimals++
			}
		case c == '.' && !isBehind && len(text) > 1:
			isBehind = true
		default:
			return strconv.ParseFloat(text, 64)
		}
	}
	if text == "" {
		return strconv.ParseFloat(text, 64)
	}
	return float64(digits) / powers[decimals], nil
}

// powers are those of 10 by their exponents.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14}

// name returns a token's text; an empty one is an error.
func (r *reader) name(token any, what string) (string, error) {
	if s, ok := token.(string); ok && s != "" {
		return s, nil
	}
	return "", r.fail("the %s is not a name", what)
}
