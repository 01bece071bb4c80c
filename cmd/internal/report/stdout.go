package report

import (
	"errors"
	"io"
	"os"
)

// ErrClosed says that there is no standard output to write to.
var ErrClosed = errors.New("standard output is closed")

// Stdout returns standard output, or, where whoever started the program has closed it, a writer that
// fails. Go's runtime opens the null device in the place of a closed standard output before anything of
// the program runs, so that results would go nowhere, and all would seem to be fine.
func Stdout() io.Writer {
	if stdoutIsClosed() {
		return closedWriter{}
	}
	return os.Stdout
}

// closedWriter is where nothing can be written.
type closedWriter struct{}

// Write fails.
func (closedWriter) Write([]byte) (int, error) { return 0, ErrClosed }
