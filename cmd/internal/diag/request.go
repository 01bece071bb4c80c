package diag

import "fmt"

// RequestError is about what was asked for, and not about what was read.
type RequestError struct{ Err error }

func (e *RequestError) Error() string { return e.Err.Error() }
func (e *RequestError) Unwrap() error { return e.Err }

// Requestf returns a RequestError.
func Requestf(format string, args ...any) error {
	return &RequestError{fmt.Errorf(format, args...)}
}
