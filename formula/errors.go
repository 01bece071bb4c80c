package formula

import "fmt"

// Span is a range of bytes in the formula's text.
type Span struct{ Start, End int }

// PyError is an exception that Python raises for a formula, in its words.
// When it happens in a running scheduler, the job's value is 0.
type PyError struct {
	Class   string // "ZeroDivisionError"
	Message string // "division by zero"
	Span    Span   // the operation that raised it; empty when not known
}

func (e *PyError) Error() string { return e.Class + ": " + e.Message }

func pyError(class, format string, args ...any) error {
	return &PyError{Class: class, Message: fmt.Sprintf(format, args...)}
}

func typeError(format string, args ...any) error  { return pyError("TypeError", format, args...) }
func valueError(format string, args ...any) error { return pyError("ValueError", format, args...) }
func overflowError(message string) error          { return pyError("OverflowError", "%s", message) }
func divisionError(message string) error          { return pyError("ZeroDivisionError", "%s", message) }

// NotRealError tells that the result is no real number. The real scheduler
// takes it for a double all the same, and crashes.
type NotRealError struct {
	What string // "a complex number"
}

func (e *NotRealError) Error() string {
	return "NotRealError: the result is " + e.What + ", the scheduler would crash"
}

// LimitError tells that a formula asks for more than this program gives: a
// bound of ours, where Python would go on, perhaps for ever.
type LimitError struct {
	What string
	Span Span
}

func (e *LimitError) Error() string { return "LimitError: " + e.What }

func limitError(format string, args ...any) error {
	return &LimitError{What: fmt.Sprintf(format, args...)}
}

// SyntaxError is a formula that is no Python expression.
type SyntaxError struct {
	Message string // Python's, without "(<string>, line 1)"
	Span    Span
	Hint    string // ours, may be empty
}

func (e *SyntaxError) Error() string { return "SyntaxError: " + e.Message }

// ForeignError is a formula that Python would run, but with means that this
// program does not have: lambda, attributes, strings and so on.
type ForeignError struct {
	What string // "a lambda expression"
	Span Span
}

func (e *ForeignError) Error() string {
	return e.What + ": PBS would run this as Python code; formula does not"
}
