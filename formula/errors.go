package formula

import (
	"errors"
	"fmt"
)

// Span is a range of bytes in a formula's text: from Start up to, but not
// including, End. The zero Span means that the place is not known, or that the
// formula as a whole is meant.
type Span struct{ Start, End int }

// Problem is an error that knows its place in the formula. Every error that
// Parse returns and that a Result carries is one of this package's problems:
// *SyntaxError, *PyError, *ForeignError, *LimitError or *NotRealError.
type Problem interface {
	error
	// Place returns the part of the formula that is at fault.
	Place() Span

	setPlace(Span)
}

// SyntaxError says that a formula is not a Python expression.
type SyntaxError struct {
	Message string // Python's words, without "(<string>, line 1)"
	Span    Span
	Hint    string // what to write instead, in our words; may be empty

	beforePython bool // the message is ours: the formula does not reach Python
}

func (e *SyntaxError) Error() string {
	if e.beforePython {
		return "SyntaxError: " + e.Message
	}
	return "SyntaxError: " + e.Message + " (<string>, line 1)"
}
func (e *SyntaxError) Place() Span     { return e.Span }
func (e *SyntaxError) setPlace(s Span) { e.Span = s }

// PyError is an exception that Python raises when it evaluates a formula, in
// Python's words. In a running scheduler the job's value is then 0.
type PyError struct {
	Class   string // such as "ZeroDivisionError"
	Message string // such as "division by zero"
	Span    Span   // the operation that raised the exception

	name string // that a NameError is about
}

func (e *PyError) Error() string   { return e.Class + ": " + e.Message }
func (e *PyError) Place() Span     { return e.Span }
func (e *PyError) setPlace(s Span) { e.Span = s }

func pyError(class, format string, args ...any) error {
	return &PyError{Class: class, Message: fmt.Sprintf(format, args...)}
}

func typeError(format string, args ...any) error  { return pyError("TypeError", format, args...) }
func valueError(format string, args ...any) error { return pyError("ValueError", format, args...) }
func overflowError(message string) error          { return pyError("OverflowError", "%s", message) }
func divisionError(message string) error          { return pyError("ZeroDivisionError", "%s", message) }

// ForeignError says that Python would run a formula, but with means that this
// package does not have: lambda expressions, attributes, strings and so on.
type ForeignError struct {
	What string // such as "a lambda expression"
	Span Span
}

func (e *ForeignError) Error() string {
	return "ForeignError: " + e.What + ": PBS would run this as Python code; formula does not"
}
func (e *ForeignError) Place() Span     { return e.Span }
func (e *ForeignError) setPlace(s Span) { e.Span = s }

// NotRealError says that a formula's result is no real number. The scheduler
// takes it for a double all the same, and crashes.
type NotRealError struct {
	What string // such as "a complex number"
	Span Span
}

func (e *NotRealError) Error() string {
	return "NotRealError: the result is " + e.What + ", which would crash the scheduler"
}
func (e *NotRealError) Place() Span     { return e.Span }
func (e *NotRealError) setPlace(s Span) { e.Span = s }

// LimitError says that a formula asks for more than this package gives. Python
// would go on, perhaps for ever.
type LimitError struct {
	What string
	Span Span
}

func (e *LimitError) Error() string   { return "LimitError: " + e.What }
func (e *LimitError) Place() Span     { return e.Span }
func (e *LimitError) setPlace(s Span) { e.Span = s }

func limitError(format string, args ...any) error {
	return &LimitError{What: fmt.Sprintf(format, args...)}
}

// locate sets the place of a problem whose place is not known yet.
func locate(err error, s Span) {
	var p Problem
	if errors.As(err, &p) && p.Place() == (Span{}) {
		p.setPlace(s)
	}
}

// relocate replaces the place of a problem by what f makes of it.
func relocate(err error, f func(Span) Span) {
	var p Problem
	if errors.As(err, &p) {
		p.setPlace(f(p.Place()))
	}
}

// UseError says that a caller has used a Program or an Evaluator in a way that
// cannot work, such as with a row that the Evaluator does not have.
type UseError struct{ Detail string }

func (e *UseError) Error() string { return e.Detail }

// errNotParsed and errNotCompiled are for formulas and programs that nobody made.
var (
	errNotParsed   = useError("there is no formula: Parse returns one")
	errNotCompiled = useError("there is no program: Compile returns one")
)

func useError(format string, args ...any) error {
	return &UseError{fmt.Sprintf(format, args...)}
}
