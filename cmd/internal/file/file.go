// Package file reads the files that the command line names.
package file

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// LineError tells which line of a text is wrong, and what is.
type LineError struct {
	Line   int
	Detail string
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Detail) }

// Read reads a file into a string without a second copy. Only regular files of
// at most most bytes are read: a pipe might never end.
func Read(path string, most int64) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no regular file", path)
	}
	if info.Size() > most {
		return "", fmt.Errorf("%s has %d bytes, at most %d are read", path, info.Size(), most)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var b strings.Builder
	b.Grow(int(info.Size()))
	if _, err := io.Copy(&b, io.LimitReader(f, most)); err != nil {
		return "", err
	}
	return b.String(), nil
}
