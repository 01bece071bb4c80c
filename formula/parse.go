package formula

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Formula is a parsed formula.
type Formula struct {
	Source string
	Root   Node
}

// String prints the formula so that it parses to the same tree.
func (f *Formula) String() string { return Format(f.Root) }

// Names lists the names that the formula mentions, each once, in the order of
// the text.
func (f *Formula) Names() []string {
	var names []string
	seen := map[string]bool{}
	walk(f.Root, func(n Node) {
		if n, ok := n.(*Name); ok && !seen[n.Name] {
			seen[n.Name] = true
			names = append(names, n.Name)
		}
	})
	return names
}

// Parse reads a formula. It returns a *SyntaxError in Python's words where
// Python would reject it, a *ForeignError where Python would go beyond what a
// formula can be, and a *LimitError where it is too long or too deep.
func Parse(src string) (*Formula, error) {
	f, err := parsePython(src)
	if err != nil {
		return nil, err
	}
	if err := findForeign(f.Root); err != nil {
		return nil, err
	}
	return f, nil
}

// findForeign returns a *ForeignError for the first node that only Python can
// run.
func findForeign(root Node) error {
	var foreign error
	walk(root, func(n Node) {
		if n, ok := n.(*Foreign); ok && foreign == nil {
			foreign = &ForeignError{What: n.What, Span: n.span}
		}
	})
	return foreign
}

// parsePython is Parse for all that Python accepts.
func parsePython(src string) (*Formula, error) {
	if err := checkLength(src); err != nil {
		return nil, err
	}
	tokens, tokenErr := tokenize(src)
	if len(tokens) == 0 && tokenErr == nil {
		return nil, &SyntaxError{Message: "invalid syntax", Span: Span{len(src), len(src)}}
	}
	if tokenErr != nil && mustStop(tokenErr) {
		return nil, tokenErr
	}
	g, err := parser.ParseString("", src)
	if err != nil {
		return nil, explainSyntax(src, tokens, tokenErr, err)
	}
	if tokenErr != nil {
		return nil, tokenErr
	}
	b := builder{src: src}
	root := b.formula(g)
	if b.err != nil {
		return nil, b.err
	}
	if at, deep := tooDeep(root); deep {
		return nil, &LimitError{What: fmt.Sprintf("operations are nested more than %d deep", maxDepth), Span: at}
	}
	return &Formula{Source: src, Root: root}, nil
}

func checkLength(src string) error {
	if len(src) > MaxLength {
		return limitError("the formula has %d bytes, at most %d are read", len(src), MaxLength)
	}
	return nil
}

// mustStop tells of errors after which parsing would use too much stack.
func mustStop(e *SyntaxError) bool { return strings.HasPrefix(e.Message, "too many") }

// tooDeep measures a tree level by level.
func tooDeep(root Node) (Span, bool) {
	level := []Node{root}
	for range maxDepth {
		var next []Node
		for _, n := range level {
			next = append(next, n.children()...)
		}
		if len(next) == 0 {
			return Span{}, false
		}
		level = next
	}
	return level[0].Span(), true
}

// explainSyntax gives participle's error Python's words. Python first looks
// for mistakes that it knows, then for what its tokenizer minds further on.
func explainSyntax(src string, tokens []lexer.Token, tokenErr *SyntaxError, err error) error {
	if tokenErr != nil && !unclosed(tokenErr) {
		return tokenErr
	}
	i, known := misplaced(tokens)
	if !known && tokenErr != nil {
		return tokenErr
	}
	var perr participle.Error
	if !known && errors.As(err, &perr) {
		at := perr.Position().Offset
		i = sort.Search(len(tokens), func(k int) bool { return tokens[k].Pos.Offset >= at })
	}
	if i == len(tokens) && tokenErr != nil {
		return tokenErr
	}
	e := &SyntaxError{Message: "invalid syntax", Span: Span{len(src), len(src)}}
	if i < len(tokens) {
		e.Span = Span{tokens[i].Pos.Offset, tokens[i].Pos.Offset + len(tokens[i].Value)}
	}
	j, isOpen := openIf(tokens[:i])
	switch {
	case isOpen && (i == len(tokens) || tokens[i].Value != ":"):
		e.Message = "expected 'else' after 'if' expression"
		e.Span.Start = tokens[j].Pos.Offset
	case i == len(tokens):
	case tokens[i].Value == "=" && depth(tokens[:i]) > 0 && endsOperand(tokens[i-1]):
		e.Message = assignmentMessage(tokens[:i])
		e.Hint = "a comparison is written =="
	case i > 0 && depth(tokens[:i]) > 0 && endsOperand(tokens[i-1]) && startsOperand(tokens[i]):
		e.Message = "invalid syntax. Perhaps you forgot a comma?"
	case tokens[i].Value == "&" || tokens[i].Value == "|":
		e.Hint = "Python's words are and, or, not"
	case tokens[i].Value == "!" || tokens[i].Value == "?":
		e.Hint = "Python's words are not, and X if CONDITION else Y"
	}
	return e
}

func unclosed(e *SyntaxError) bool { return strings.HasSuffix(e.Message, "was never closed") }

// assignmentMessage is about an = inside brackets.
func assignmentMessage(before []lexer.Token) string {
	start := len(before)
	level := 0
	for start > 0 && level >= 0 {
		start--
		t := before[start]
		if level -= nesting(t); t.Value == "," && level == 0 {
			level = -1
		}
	}
	inCall := start > 0 && before[start].Value == "(" && before[start-1].Type == tName || before[start].Value == ","
	switch last := before[len(before)-1]; {
	case inCall:
		return `expression cannot contain assignment, perhaps you meant "=="?`
	case last.Type == tName && start == len(before)-2:
		return "invalid syntax. Maybe you meant '==' or ':=' instead of '='?"
	}
	return "cannot assign to expression here. Maybe you meant '==' instead of '='?"
}

// misplaced finds the first token that stands where an operand should, or an
// operand where an operator should.
func misplaced(tokens []lexer.Token) (int, bool) {
	operand := false // one is complete
	for i, t := range tokens {
		follows := startsOperand(t) && t.Value != "(" && t.Value != "["
		switch {
		case i > 0 && tokens[i-1].Value == ".":
			if t.Type != tName {
				return i, true
			}
			operand = true
		case operand && t.Value == "not" && i+1 < len(tokens) && tokens[i+1].Value == "in":
			operand = false
		case operand && follows, t.Type == tOther:
			return i, true
		case operand:
			operand = endsOperand(t)
		case startsOperand(t):
			operand = endsOperand(t)
		case nesting(t) < 0 || t.Value == "," || t.Value == ":":
			if i > 0 && !endsOpen(tokens[i-1]) {
				return i, true
			}
			operand = endsOperand(t)
		case t.Type == tKeyword || t.Value == "+" || t.Value == "-" || t.Value == "*" || t.Value == "**" || t.Value == ".":
			if t.Value == "or" || t.Value == "and" || t.Value == "if" || t.Value == "else" || t.Value == "." {
				return i, true
			}
		default:
			return i, true
		}
	}
	return 0, false
}

// endsOpen tells whether a bracket may close, or a comma follow, at once.
func endsOpen(t lexer.Token) bool {
	return t.Value == "," || t.Value == ":" || t.Value == "lambda" || nesting(t) > 0
}

// openIf finds an "if" that ends the tokens with a test but no "else".
func openIf(tokens []lexer.Token) (int, bool) {
	level := 0
	for i := len(tokens) - 1; i > 0; i-- {
		t := tokens[i]
		level -= nesting(t)
		switch {
		case level == 0 && (t.Value == "else" || t.Value == "for"):
			return 0, false
		case level == 0 && t.Value == "if":
			return i, i+1 < len(tokens) && endsOperand(tokens[len(tokens)-1]) && endsOperand(tokens[i-1])
		}
		if level < 0 {
			return 0, false
		}
	}
	return 0, false
}

// depth counts the brackets that are open after the tokens.
func depth(tokens []lexer.Token) int {
	level := 0
	for _, t := range tokens {
		level += nesting(t)
	}
	return level
}

func endsOperand(t lexer.Token) bool {
	switch t.Value {
	case ")", "]", "}", "True", "False", "None":
		return true
	}
	return t.Type == tNumber || t.Type == tName || t.Type == tString
}

func startsOperand(t lexer.Token) bool {
	switch t.Value {
	case "(", "[", "{", "True", "False", "None", "not", "lambda", "~":
		return true
	}
	return t.Type == tNumber || t.Type == tName || t.Type == tString
}
