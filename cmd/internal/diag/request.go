package diag

import (
	"fmt"
	"strings"
)

// RequestError is about what was asked for, and not about what was read.
type RequestError struct{ Err error }

func (e *RequestError) Error() string { return e.Err.Error() }
func (e *RequestError) Unwrap() error { return e.Err }

// Requestf returns a RequestError.
func Requestf(format string, args ...any) error {
	return &RequestError{fmt.Errorf(format, args...)}
}

// SettingError is a setting that cannot be made.
type SettingError struct {
	Setting string // as it was given
	Err     error
}

func (e *SettingError) Error() string { return e.Setting + ": " + e.Err.Error() }
func (e *SettingError) Unwrap() error { return e.Err }

// Name returns the name of the setting.
func (e *SettingError) Name() string {
	name, _, _ := strings.Cut(e.Setting, "=")
	return strings.TrimSpace(name)
}
