package diag

import (
	"fmt"
	"runtime/debug"
)

// FaultError says that something has panicked, which is a fault of the program.
type FaultError struct {
	What  any
	Stack []byte
}

func (e *FaultError) Error() string { return fmt.Sprintf("this is a fault of the program: %v", e.What) }

// Catch makes a panic the error of the function that defers it: in a goroutine of its own nobody else could
// recover from that.
func Catch(err *error) {
	if what := recover(); what != nil {
		*err = &FaultError{what, debug.Stack()}
	}
}
