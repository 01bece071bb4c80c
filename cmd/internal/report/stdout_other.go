//go:build !linux

package report

// stdoutIsClosed reports whether standard output was closed when the program was started, which nothing
// tells here.
func stdoutIsClosed() bool { return false }
