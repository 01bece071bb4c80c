package formula

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Formula is a parsed formula. It never changes and may be shared.
type Formula struct {
	source string
	root   node
}

// isNone reports whether there is no formula: nil, or the zero Formula.
func (f *Formula) isNone() bool { return f == nil || f.root == nil }

// Source returns the formula's text, as Parse was given it.
func (f *Formula) Source() string { return f.source }

// String returns a text that parses to the same formula, with parentheses
// around every operation.
func (f *Formula) String() string {
	var b strings.Builder
	format(&b, f.root)
	return b.String()
}

// Names returns the names that the formula mentions, each once, in the order
// of the text.
func (f *Formula) Names() []string {
	var names []string
	seen := map[string]bool{}
	walk(f.root, func(n node) {
		if n, ok := n.(*nameNode); ok && !seen[n.Name] {
			seen[n.Name] = true
			names = append(names, n.Name)
		}
	})
	return names
}

// Numbers returns where the formula's text has numbers, in its order.
func (f *Formula) Numbers() []Span {
	var spans []Span
	walk(f.root, func(n node) {
		if n, ok := n.(*literalNode); ok && n.text != "True" && n.text != "False" && n.text != "None" {
			spans = append(spans, n.span())
		}
	})
	sort.Slice(spans, func(i, j int) bool { return spans[i].Start < spans[j].Start })
	return spans
}

// With returns the formula's text with other texts in the place of some names. A number
// below zero comes in parentheses, so that it stays one operand.
func (f *Formula) With(texts map[string]string) string {
	var names []*nameNode
	walk(f.root, func(n node) {
		if n, ok := n.(*nameNode); ok {
			if _, ok := texts[n.Name]; ok {
				names = append(names, n)
			}
		}
	})
	sort.Slice(names, func(i, j int) bool { return names[i].span().Start < names[j].span().Start })
	var b strings.Builder
	end := 0
	for _, n := range names {
		text := texts[n.Name]
		if strings.HasPrefix(text, "-") {
			text = "(" + text + ")"
		}
		b.WriteString(f.source[end:n.span().Start] + text)
		end = n.span().End
	}
	b.WriteString(f.source[end:])
	return b.String()
}

// Parse reads a formula as PBS's Python would, string escapes included. It
// returns a *SyntaxError in Python's words where Python would reject the
// formula, a *ForeignError where Python would go beyond what a formula can be,
// and a *LimitError where the formula is too long or too deep.
func Parse(src string) (*Formula, error) {
	f, err := parsePython(src)
	if err != nil {
		return nil, err
	}
	if err := findForeign(f.root); err != nil {
		return nil, err
	}
	return f, nil
}

// findForeign returns a *ForeignError for the first node that only Python can
// run, nil if there is none.
func findForeign(root node) error {
	var first *ForeignError
	walk(root, func(n node) {
		if n, ok := n.(*foreignNode); ok && first == nil {
			first = &ForeignError{What: n.What, Span: n.span()}
		}
	})
	if first == nil {
		return nil
	}
	return first
}

// parsePython parses any expression that Python accepts, including what Parse
// refuses.
func parsePython(src string) (*Formula, error) {
	if err := checkLength(src); err != nil {
		return nil, err
	}
	literal, at, err := readLiteral(src)
	if err != nil {
		return nil, &SyntaxError{Message: err.Error(), Span: at}
	}
	if at, indented := formFeedIndent(literal.text); indented {
		return nil, &SyntaxError{Message: "unexpected indent", Span: literal.source(at)}
	}
	root, err := parseText(literal.text)
	if err != nil {
		relocate(err, literal.source)
		return nil, err
	}
	if literal.from != nil {
		walk(root, func(n node) { n.move(literal.source) })
	}
	return &Formula{source: src, root: root}, nil
}

// formFeedIndent reports whether a text begins with white space that Python
// takes for indentation. It passes over blanks and tabs before an expression,
// but not behind a form feed.
func formFeedIndent(text string) (Span, bool) {
	rest := strings.TrimLeft(text, " \t\f")
	space := text[:len(text)-len(rest)]
	last := strings.LastIndexByte(space, '\f')
	return Span{last + 1, len(space)}, last >= 0 && last+1 < len(space)
}

// parseText parses one expression. Its spans are places in the text.
func parseText(text string) (node, error) {
	if isPlainName(text) {
		return &nameNode{Name: text, place: place{Span{0, len(text)}}}, nil
	}
	return parseGrammar(text)
}

// isPlainName reports whether a text is nothing but a name in ASCII, as fairshare_usage_res has one nearly always. To make
// the grammar takes longer than many a command.
func isPlainName(text string) bool {
	const letters, digits = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
	return text != "" && strings.IndexByte(letters, text[0]) >= 0 && strings.Trim(text, letters+digits) == "" &&
		!slices.Contains(strings.Split(pythonKeywords, "|"), text)
}

// parseGrammar parses a text by the grammar of Python's expressions.
func parseGrammar(text string) (node, error) {
	tokens, tokenErr := tokenize(text)
	if len(tokens) == 0 && tokenErr == nil {
		return nil, &SyntaxError{Message: "invalid syntax", Span: Span{len(text), len(text)}}
	}
	if tokenErr != nil && mustStop(tokenErr) {
		return nil, tokenErr
	}
	for _, t := range tokens {
		if t.Type == tNewline { // the end of a statement
			return nil, tokenError(t, "invalid syntax")
		}
	}
	grammar, err := parser().ParseString("", text)
	if err != nil {
		return nil, explainSyntax(text, tokens, tokenErr, err)
	}
	if tokenErr != nil {
		return nil, tokenErr
	}
	b := builder{src: text}
	root := b.formula(grammar)
	if b.err != nil {
		return nil, b.err
	}
	if at, deep := tooDeep(root); deep {
		return nil, &LimitError{What: fmt.Sprintf("operations are nested more than %d deep", maxDepth), Span: at}
	}
	return root, nil
}

func checkLength(src string) error {
	if len(src) > MaxLength {
		return limitError("the formula has %d bytes, at most %d are read", len(src), MaxLength)
	}
	return nil
}

// mustStop reports whether parsing would use too much stack after an error of
// the tokens.
func mustStop(e *SyntaxError) bool { return strings.HasPrefix(e.Message, "too many") }

// tooDeep reports whether a tree is deeper than maxDepth, and where.
func tooDeep(root node) (Span, bool) {
	level := []node{root}
	for range maxDepth {
		var next []node
		for _, n := range level {
			next = append(next, n.children()...)
		}
		if len(next) == 0 {
			return Span{}, false
		}
		level = next
	}
	return level[0].span(), true
}

// explainSyntax puts participle's error into Python's words. Python first looks
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

// assignmentMessage returns Python's words about an = inside brackets, behind
// the tokens before it.
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

// misplaced returns the index of the first token that stands where an operand
// should, or of an operand that stands where an operator should.
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
		case t.Type == tKeyword && !slices.Contains([]string{"or", "and", "if", "else"}, t.Value):
		case slices.Contains([]string{"+", "-", "*", "**"}, t.Value): // signs, and stars before arguments
		default:
			return i, true
		}
	}
	return 0, false
}

// endsOpen reports whether a closing bracket or a comma may follow a token
// that ends no operand.
func endsOpen(t lexer.Token) bool {
	return t.Value == "," || t.Value == ":" || t.Value == "lambda" || nesting(t) > 0
}

// openIf returns the index of an "if" whose test ends the tokens while its
// "else" is missing.
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

// depth returns how many brackets are open after the tokens.
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
