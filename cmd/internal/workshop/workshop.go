// Package workshop and the packages below it are what tests and developers need, and no
// program has.
package workshop

import (
	"os"
	"testing"
)

// Skip skips a test that asks for something which this machine does not have. Where
// FAIRSHARE_CI is set, as .ci/run does, everything must be there, and the test fails.
func Skip(tb testing.TB, missing ...any) {
	tb.Helper()
	if os.Getenv("FAIRSHARE_CI") != "" {
		tb.Fatal(append([]any{"nothing may be skipped where FAIRSHARE_CI is set: "}, missing...)...)
	}
	tb.Skip(missing...)
}
