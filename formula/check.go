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

// Verdict is what qmgr would answer to setting a formula.
type Verdict struct {
	Code       int    // PBS's error number, 0 when it accepts
	Message    string // qmgr's words
	Validation string // Python's, as the server logs them

	// Err is why this program cannot evaluate the formula, nil when it can.
	Err  error
	Span Span   // of the mistake
	Hint string // what to write instead, may be empty
}

// Check validates a formula as PBS's server does: it runs "ans=FORMULA" twice
// with every name 1, first with all keywords and resources, then without the
// resources that are no numbers. Only Python's SyntaxError and NameError
// count; whatever else goes wrong is for the scheduler to find out.
func Check(src string, symbols *Symbols) Verdict {
	if v, stopped := beforePython(src); stopped {
		return v
	}
	v := Verdict{}
	statements, err := parseStatements(src)
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
			v.Code, v.Message = pass.code, pass.message
			v.Err = name
			v.Span, v.Validation = name.Span, name.Message
			v.Hint = nameHint(src, name, symbols)
			return v
		}
	}
	if statements.assigns {
		v.Err = &SyntaxError{Message: "invalid syntax", Span: statements.at}
		v.Span = statements.at
		return v
	}
	_, v.Err = Parse(src)
	return v
}

// beforePython is what stops a formula on its way to the interpreter.
func beforePython(src string) (Verdict, bool) {
	for i := range len(src) {
		if src[i] >= 0x80 {
			e := &SyntaxError{Message: "qmgr reads ASCII only", Span: Span{i, i + 1}}
			return Verdict{Message: "Syntax error", Err: e, Span: e.Span}, true
		}
	}
	if src == "" {
		return Verdict{Err: &SyntaxError{Message: "the formula is empty, which unsets it"}}, true
	}
	at := strings.IndexAny(src, "'\n\r\x00")
	if slashes := len(src) - len(strings.TrimRight(src, `\`)); at < 0 && slashes%2 == 1 {
		at = len(src) - 1
	}
	if at < 0 {
		return Verdict{}, false
	}
	e := &SyntaxError{Message: "it ends the quotes that the server puts around a formula", Span: Span{at, at + 1}}
	return Verdict{
		Code: CodeServerError, Message: "PBS server internal error", Validation: "Internal error",
		Err: e, Span: e.Span, Hint: "leave out single quotes, line breaks and a backslash at the end",
	}, true
}

// rejected is the verdict on what Python cannot parse.
func rejected(err error) Verdict {
	var e *SyntaxError
	if !errors.As(err, &e) {
		return Verdict{Err: err} // too long or deep for us, not for PBS
	}
	return Verdict{
		Code: CodeBadFormat, Message: "Invalid Formula Format", Validation: e.Message + " (<string>, line 1)",
		Err: e, Span: e.Span, Hint: e.Hint,
	}
}

func nameHint(src string, e *nameError, symbols *Symbols) string {
	if e.name == "math" && strings.HasPrefix(src[e.Span.End:], ".") {
		return "PBS imports Python's math functions by name: write log2(x), not math.log2(x)"
	}
	if IsOtherFairshare(e.name) {
		return "PBS does not know " + e.name + ": only this program does"
	}
	if near := symbols.Nearest(e.name); near != "" && near != e.name {
		return "did you mean `" + near + "`?"
	}
	return ""
}

// statements is a formula as the server runs it, behind "ans=". Nearly always
// it is one expression.
type statements struct {
	roots   []Node
	assigns bool // there is a ; or an = outside of brackets
	at      Span // of the first of them
	bound   map[string]bool
}

// parseStatements parses a formula that may hold further assignments and
// statements, which the server accepts.
func parseStatements(src string) (*statements, error) {
	if err := checkLength(src); err != nil {
		return nil, err
	}
	s := &statements{bound: map[string]bool{}}
	tokens, tokenErr := tokenize(src)
	var cuts []lexer.Token
	level := 0
	for _, t := range tokens {
		if level += nesting(t); level == 0 && (t.Value == "=" || t.Value == ";") {
			cuts = append(cuts, t)
		}
	}
	if len(cuts) == 0 || tokenErr != nil {
		f, err := parsePython(src)
		if err != nil {
			return nil, err
		}
		s.roots = []Node{f.Root}
		return s, nil
	}
	s.assigns = true
	s.at = Span{cuts[0].Pos.Offset, cuts[0].Pos.Offset + 1}
	start := 0
	for i := 0; i <= len(cuts); i++ {
		end, mark := len(src), ";"
		if i < len(cuts) {
			end, mark = cuts[i].Pos.Offset, cuts[i].Value
		}
		if err := s.add(src, start, end, mark == "="); err != nil {
			return nil, err
		}
		start = end + 1
	}
	return s, nil
}

// simpleStatements begin with these words and hold nothing to look up first.
var simpleStatements = map[string]bool{"import": true, "from": true, "pass": true, "del": true, "global": true, "assert": true, "raise": true}

// add parses one piece between the marks; a target is assigned to.
func (s *statements) add(src string, start, end int, target bool) error {
	piece := src[start:end]
	if strings.TrimSpace(piece) == "" && start > 0 && end == len(src) && src[start-1] == ';' {
		return nil // a ; may end the line
	}
	word, _, _ := strings.Cut(strings.TrimSpace(piece), " ")
	if len(s.roots) > 0 && !target && simpleStatements[word] {
		return nil
	}
	// Spaces instead of what precedes keep the positions.
	f, err := parsePython(strings.Repeat(" ", start) + piece)
	if err != nil {
		return err
	}
	if !target {
		s.roots = append(s.roots, f.Root)
		return nil
	}
	name, ok := f.Root.(*Name)
	if !ok {
		return &SyntaxError{Message: "cannot assign to expression here. Maybe you meant '==' instead of '='?", Span: f.Root.Span()}
	}
	s.bound[name.Name] = true
	return nil
}

// nameError is Python's NameError with the name.
type nameError struct {
	PyError
	name string
}

// undefined runs the statements with every known name 1 and returns the
// NameError that Python would raise, nil when it raises none or something
// else first.
func undefined(s *statements, known func(string) bool) *nameError {
	e := evaluator{lookup: func(name string) (Value, bool) {
		return Int(1), known(name) || s.bound[name]
	}}
	for _, root := range s.roots {
		_, err := e.eval(root)
		var py *PyError
		var foreign *ForeignError
		switch {
		case errors.As(err, &py) && py.Class == "NameError":
			return newNameError(py)
		case errors.As(err, &foreign):
			// What comes after cannot be run here: look at all names.
			return firstUndefined(root, foreign, &e)
		case err != nil:
			return nil
		}
	}
	return nil
}

func newNameError(py *PyError) *nameError {
	_, rest, _ := strings.Cut(py.Message, "'")
	name, _, _ := strings.Cut(rest, "'")
	return &nameError{PyError: *py, name: name}
}

// firstUndefined looks for an unknown name behind the place that stopped the
// evaluation, unless an attribute did, which numbers lack.
func firstUndefined(root Node, stopped *ForeignError, e *evaluator) *nameError {
	if strings.HasPrefix(stopped.What, "the attribute") && !strings.Contains(Format(root), "__import__") {
		return nil
	}
	var found *nameError
	walk(root, func(n Node) {
		name, ok := n.(*Name)
		if !ok || found != nil || name.span.Start < stopped.Span.Start {
			return
		}
		_, err := e.eval(name)
		var py *PyError
		if errors.As(err, &py) {
			found = newNameError(py)
		}
	})
	return found
}
