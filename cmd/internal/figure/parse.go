package figure

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// ParseError is why a text is no figure, goal, condition or formula, and where it is wrong.
type ParseError struct {
	Text       string
	Start, End int // of what is wrong, in bytes
	Detail     string
}

func (e *ParseError) Error() string { return e.Detail }

// words splits figures and conditions into their words. A number may have a unit behind it, and further ones with theirs; a time may be
// that of a clock.
var words = sync.OnceValue(func() *lexer.StatefulDefinition {
	return lexer.MustSimple([]lexer.SimpleRule{
		{Name: "Name", Pattern: `[A-Za-z_][A-Za-z0-9_]*(?:\.[0-9]+)?`},
		{Name: "Number", Pattern: `[0-9]+(?::[0-9]+)+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?:%|[A-Za-z]+(?:[0-9]+[A-Za-z]+)*)?`},
		{Name: "Text", Pattern: `"(?:[^"\\]|\\.)*"`},
		{Name: "Sign", Pattern: `[<>]=?|[-+*/(),=.@]`},
		{Name: "space", Pattern: `\s+`},
	})
})

// figureNode is a figure as it is written.
type figureNode struct {
	Pos     lexer.Position
	Name    string        `parser:"@Name"`
	Of      string        `parser:"('(' @Name"`
	Filters []*filterNode `parser:"(',' @@)* ')')?"`
	EndPos  lexer.Position
}

type filterNode struct {
	Pos  lexer.Position
	Kind string `parser:"@Name '='"`
	Name string `parser:"(@Text | @(Name | Number) @(('-' | '.' | '@') | Name | Number)*)"`

	EndPos lexer.Position
}

// maxText is the longest text that is parsed, in bytes, which also bounds how deeply it is
// nested.
const maxText = 1000

// build gives a parser of one of the grammars, which is made with the first text.
func build[T any]() func() *participle.Parser[T] {
	return sync.OnceValue(func() *participle.Parser[T] {
		return participle.MustBuild[T](participle.Lexer(words()), participle.Elide("space"))
	})
}

var figureParser = build[figureNode]()

// parse returns the root of what a grammar makes of a text. Its errors are *ParseError.
func parse[T any](p *participle.Parser[T], text string) (*T, error) {
	if len(text) > maxText {
		return nil, &ParseError{Text: text[:40], Detail: fmt.Sprintf("longer than %d characters", maxText)}
	}
	node, err := p.ParseString("", text)
	if err == nil {
		return node, nil
	}
	e := &ParseError{Text: text, Start: len(text), End: len(text), Detail: "this ends too early"}
	var unexpected *participle.UnexpectedTokenError
	var other participle.Error
	switch {
	case errors.As(err, &unexpected) && !unexpected.Unexpected.EOF():
		at := unexpected.Unexpected
		e.Start, e.End, e.Detail = at.Pos.Offset, at.Pos.Offset+len(at.Value), fmt.Sprintf("%q is not expected here", at.Value)
	case errors.As(err, &other) && other.Position().Offset < len(text):
		at := other.Position().Offset
		e.Start, e.End, e.Detail = at, at+1, "this is not expected here"
	}
	return nil, e
}

// Parse returns the figure that a text is. Its errors are *ParseError.
func Parse(text string) (Figure, error) {
	node, err := parse(figureParser(), text)
	if err != nil {
		return Figure{}, err
	}
	return node.figure(text)
}

// figure returns the figure that a node of a text stands for.
func (n *figureNode) figure(text string) (Figure, error) {
	f := Figure{Statistic: n.Name, Quantity: n.Of}
	if n.Of == "" {
		f.Statistic, f.Quantity = "", n.Name
	}
	for _, filter := range n.Filters {
		name := filter.Name
		if strings.HasPrefix(name, `"`) {
			var err error
			if name, err = strconv.Unquote(name); err != nil {
				return f, &ParseError{text, filter.Pos.Offset, n.EndPos.Offset, "this text is not quoted rightly"}
			}
		}
		written := strings.TrimSpace(text[filter.Pos.Offset:min(len(text), filter.EndPos.Offset)])
		if !strings.HasSuffix(written, filter.Name) { // blanks were left out
			return f, &ParseError{text, filter.Pos.Offset, min(len(text), n.EndPos.Offset), "a name with blanks stands in quotes: " + filter.Kind + "=\"...\""}
		}
		if slices.ContainsFunc(f.Filters, func(other Filter) bool { return other.Kind == filter.Kind }) {
			return f, &ParseError{text, filter.Pos.Offset, min(len(text), n.EndPos.Offset), "jobs are chosen by one " + filter.Kind + ", and this is a second one"}
		}
		f.Filters = append(f.Filters, Filter{filter.Kind, name})
	}
	if err := f.check(); err != nil {
		end := min(n.EndPos.Offset, len(text))
		return f, &ParseError{text, n.Pos.Offset, max(end, n.Pos.Offset), err.Error()}
	}
	return f, nil
}
