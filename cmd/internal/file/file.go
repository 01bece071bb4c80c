// Package file reads and replaces the files that a command line names.
package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Problem is a line of a file that is not as it should be.
type Problem struct {
	Line    int // from 1
	Message string
}

func (p *Problem) Error() string { return fmt.Sprintf("line %d: %s", p.Line, p.Message) }

// Read returns what a regular file of at most most bytes holds, without a
// second copy. It does not read a pipe, which might never end.
func Read(path string, most int64) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", path)
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

// ReadText returns a text of at most most bytes. The file may be a pipe, as in
// --queues <(qstat -Qf).
func ReadText(path string, most int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return ReadAllText(f, path, most)
}

// ReadAllText reads a text of at most most bytes to its end. It leaves out the
// byte order mark with which some editors begin a text, and gives up at once
// what is no text, such as /dev/zero. name is for errors.
func ReadAllText(r io.Reader, name string, most int64) (string, error) {
	var b strings.Builder
	chunk := make([]byte, 256<<10)
	for {
		n, err := r.Read(chunk)
		b.Write(chunk[:n])
		switch {
		case bytes.IndexByte(chunk[:n], 0) >= 0:
			return "", fmt.Errorf("%s is not text", name)
		case int64(b.Len()) > most:
			return "", fmt.Errorf("%s has more than %d bytes", name, most)
		case errors.Is(err, io.EOF):
			return strings.TrimPrefix(b.String(), "\ufeff"), nil
		case err != nil:
			return "", err
		}
	}
}
