package formula

import (
	"errors"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Error numbers of PBS's server for job_sort_formula.
const (
	CodeBadFormat   = 15123
	CodeBadKeyword  = 15124
	CodeBadType     = 15125
	CodeServerError = 15011
)

// Verdict is what qmgr would answer to setting a formula, and whether this
// package can evaluate it.
type Verdict struct {
	Code       int    // PBS's error number, 0 if it accepts the formula
	Message    string // qmgr's words
	Validation string // Python's words, as the server logs them

	Err  error  // why this package cannot evaluate the formula, nil if it can; a Problem
	Hint string // what to write instead, may be empty
}

// Check returns the verdict of PBS's server on a formula. The server runs
// "ans=FORMULA" twice with every name 1, first with all keywords and
// resources, then without the resources that are no numbers. Only Python's
// SyntaxError and NameError count; whatever else goes wrong is left for the
// scheduler to find out.
func Check(src string, symbols *Symbols) Verdict {
	if v, stopped := beforePython(src); stopped {
		return v
	}
	if err := checkLength(src); err != nil {
		return rejected(err)
	}
	literal, at, err := readLiteral(src)
	if err != nil {
		return breaksQuotes(at)
	}
	v := checkText(literal.text, symbols)
	relocate(v.Err, literal.source)
	return v
}

// checkText returns the verdict on a formula whose escapes are resolved.
func checkText(text string, symbols *Symbols) Verdict {
	if at := strings.IndexByte(text, 0); at >= 0 {
		// Python refuses to run it, but not with an error that counts.
		return Verdict{Err: &SyntaxError{Message: "source code string cannot contain null bytes", Span: Span{at, at + 1}}}
	}
	statements, err := parseStatements(text)
	if err != nil {
		return rejected(err)
	}
	for _, pass := range []struct {
		code    int
		message string
		known   func(name string) bool
	}{
		{CodeBadKeyword, "Formula contains invalid keyword", func(name string) bool { return symbols.Type(name) != "" }},
		{CodeBadType, "Formula contains a resource of an invalid type", func(name string) bool { return symbols.Type(name).Numeric() }},
	} {
		if name := undefined(statements, pass.known); name != nil {
			return Verdict{
				Code: pass.code, Message: pass.message, Validation: name.Message,
				Err: name, Hint: nameHint(text, name, symbols),
			}
		}
	}
	if len(statements.marks) > 0 {
		return Verdict{Err: tokenError(statements.marks[0], "invalid syntax")}
	}
	return Verdict{Err: findForeign(statements.roots[0])}
}

// beforePython returns the verdict on a formula that does not reach the
// interpreter as it stands.
func beforePython(src string) (Verdict, bool) {
	for i := range len(src) {
		if src[i] >= 0x80 {
			return Verdict{Message: "Syntax error", Err: &SyntaxError{Message: "qmgr reads ASCII only", Span: Span{i, i + 1}, beforePython: true}}, true
		}
		if src[i] == '&' {
			return Verdict{Message: "Syntax error", Err: &SyntaxError{Message: "qmgr takes no & in a value", Span: Span{i, i + 1}, beforePython: true}, Hint: "write and, or min and max"}, true
		}
	}
	if src == "" {
		return Verdict{Err: &SyntaxError{Message: "the formula is empty, which unsets it", beforePython: true}}, true
	}
	for at := 0; at < len(src); at++ {
		switch src[at] {
		case '\\':
			at++ // what it escapes ends nothing
		case '\'', '\n', '\r', 0:
			return breaksQuotes(Span{at, at + 1}), true
		}
	}
	return Verdict{}, false
}

// breaksQuotes returns the verdict on what the server cannot put between
// quotes.
func breaksQuotes(at Span) Verdict {
	return Verdict{
		Code: CodeServerError, Message: "PBS server internal error", Validation: "Internal error",
		Err:  &SyntaxError{Message: "it ends the quotes that the server puts around a formula", Span: at, beforePython: true},
		Hint: "leave out single quotes, line breaks and a backslash at the end",
	}
}

// rejected returns the verdict on what Python, or this package, cannot parse.
func rejected(err error) Verdict {
	var e *SyntaxError
	if !errors.As(err, &e) {
		return Verdict{Err: err} // too long or too deep for this package, not for PBS
	}
	return Verdict{
		Code: CodeBadFormat, Message: "Invalid Formula Format", Validation: e.Message + " (<string>, line 1)",
		Err: e, Hint: e.Hint,
	}
}

// nameHint returns what to write instead of an unknown name, "" if nothing
// comes near.
func nameHint(text string, e *PyError, symbols *Symbols) string {
	if e.name == "math" && strings.HasPrefix(text[e.Span.End:], ".") {
		return "PBS imports Python's math functions by name: write log2(x), not math.log2(x)"
	}
	if v, ok := symbols.Lookup(e.name); ok && v.Origin == Additional {
		return "PBS does not know " + e.name + ": only this program does"
	}
	if near := symbols.nearest(e.name); near != "" && near != e.name {
		return "did you mean `" + near + "`?"
	}
	return ""
}

// statements is a formula as the server runs it, behind "ans=". Nearly always
// it is one expression.
type statements struct {
	roots []node
	marks []lexer.Token   // what separates statements: = and ; and line breaks outside of brackets
	bound map[string]bool // names that the formula assigns to
}

// parseStatements parses a formula that may hold further assignments and
// statements, which the server accepts.
func parseStatements(text string) (*statements, error) {
	s := &statements{bound: map[string]bool{}}
	if isPlainName(text) {
		return s, s.add(text, 0, 0)
	}
	tokens, tokenErr := tokenize(text)
	level := 0
	for _, t := range tokens {
		level += nesting(t)
		if level == 0 && (t.Value == "=" || t.Value == ";" || t.Type == tNewline) {
			s.marks = append(s.marks, t)
		}
	}
	if tokenErr != nil || len(tokens) > 0 && tokens[0].Type == tNewline {
		s.marks = nil
	}
	start := 0
	for i := 0; i <= len(s.marks); i++ {
		end, next := len(text), len(text)
		if i < len(s.marks) {
			end = s.marks[i].Pos.Offset
			next = end + len(s.marks[i].Value)
		}
		if err := s.add(text[start:end], start, i); err != nil {
			return nil, err
		}
		start = next
	}
	return s, nil
}

// simpleStatements begin with these words and hold no name that must be known.
var simpleStatements = map[string]bool{"import": true, "from": true, "pass": true, "del": true, "global": true, "assert": true, "raise": true}

// add parses the statement before mark i, which begins at a place in the text.
func (s *statements) add(statement string, place, i int) error {
	isTarget := i < len(s.marks) && s.marks[i].Value == "="
	after := ""
	if i > 0 {
		after = s.marks[i-1].Value
	}
	if after == ";" && i == len(s.marks) && strings.TrimSpace(statement) == "" {
		return nil // a ; may end the line
	}
	if indented := strings.TrimLeft(statement, " \t\f"); after != "" && strings.Trim(after, "\r\n") == "" && indented != statement {
		return &SyntaxError{Message: "unexpected indent", Span: Span{place, place + len(statement) - len(indented)}}
	}
	word, _, _ := strings.Cut(strings.TrimSpace(statement), " ")
	if len(s.roots) > 0 && !isTarget && simpleStatements[word] {
		return nil
	}
	inText := func(at Span) Span { return Span{at.Start + place, at.End + place} }
	root, err := parseText(statement)
	if err != nil {
		relocate(err, inText)
		return err
	}
	walk(root, func(n node) { n.move(inText) })
	if !isTarget {
		s.roots = append(s.roots, root)
		return nil
	}
	name, ok := root.(*nameNode)
	if !ok {
		return &SyntaxError{Message: "cannot assign to expression here. Maybe you meant '==' instead of '='?", Span: root.span()}
	}
	s.bound[name.Name] = true
	return nil
}

// undefined runs the statements with every known name 1 and returns the
// NameError that Python would raise, nil if it raises none or another
// exception first.
func undefined(s *statements, known func(string) bool) *PyError {
	e := treeEvaluator{
		names:    bind(s.roots, func(name string) bool { return known(name) || s.bound[name] }),
		variable: func(string) Value { return Int(1) },
	}
	for _, root := range s.roots {
		_, err := e.eval(root)
		var py *PyError
		var foreign *ForeignError
		switch {
		case errors.As(err, &py) && py.Class == "NameError":
			return py
		case errors.As(err, &foreign):
			// What comes after it cannot be run here: look at all names.
			return firstUndefined(root, foreign, &e)
		case err != nil:
			return nil
		}
	}
	return nil
}

// firstUndefined looks for an unknown name behind the place that stopped the
// evaluation, unless an attribute did, which numbers lack.
func firstUndefined(root node, stopped *ForeignError, e *treeEvaluator) *PyError {
	if strings.HasPrefix(stopped.What, "the attribute") && e.names["__import__"].kind != ForeignName {
		return nil
	}
	var found *PyError
	walk(root, func(n node) {
		name, ok := n.(*nameNode)
		if !ok || found != nil || name.span().Start < stopped.Span.Start {
			return
		}
		_, err := e.eval(name)
		errors.As(err, &found)
	})
	return found
}
