package site

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// Input is standard input, which one reader can have.
type Input struct {
	Formats []trace.Format // of records, besides accounting logs

	in     io.Reader
	reader string                // what reads it, "" for nothing so far
	trees  map[string]*file.Tree // by name, those that are open
	looked *file.Tree            // what standard input is, nil where nobody has looked
}

// NewInput returns standard input, with formats of records besides accounting logs.
func NewInput(in io.Reader, formats ...trace.Format) *Input {
	return &Input{in: in, Formats: formats}
}

// IsTerminal reports whether standard input is a terminal.
func (i *Input) IsTerminal() bool {
	f, ok := i.in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// IsNull reports whether standard input is the null device, as of a service or with < /dev/null.
func (i *Input) IsNull() bool {
	f, ok := i.in.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	null, wrong := os.Stat(os.DevNull)
	return err == nil && wrong == nil && os.SameFile(info, null)
}

// Take returns standard input for a reader. A *diag.RequestError is for the second one.
func (i *Input) Take(reader string) (io.Reader, error) {
	if i.reader != "" {
		return nil, diag.Requestf("standard input cannot be both %s and %s", i.reader, reader)
	}
	i.reader = reader
	if i.looked != nil {
		return i.looked.Stream()
	}
	return i.in, nil
}

// Tree returns what a name leads to, standard input for "-". It is opened once, however often it is asked
// for. reader says what standard input is for; where it is "", whoever asks has a look at it, and leaves it to others.
func (i *Input) Tree(name, reader string) (*file.Tree, error) {
	if t := i.trees[name]; t != nil {
		return t, nil
	}
	if name == "-" {
		return i.stdin(reader)
	}
	t, err := file.OpenTree(name)
	if err != nil {
		return nil, err
	}
	if i.trees == nil {
		i.trees = map[string]*file.Tree{}
	}
	i.trees[name] = t
	return t, nil
}

// stdin returns what standard input is, as a file of that content would be.
func (i *Input) stdin(reader string) (t *file.Tree, err error) {
	if reader != "" {
		if _, err := i.Take(reader); err != nil {
			return nil, err
		}
	}
	if i.looked == nil {
		i.looked, err = file.ReadTree(file.StandardInput, i.in)
	}
	return i.looked, err
}

// EachLine calls f for every line of standard input that is not blank, up to its first error.
// reader says what the lines are for.
func (i *Input) EachLine(reader string, f func(line []byte) error) error {
	in, err := i.Take(reader)
	if err != nil {
		return err
	}
	const longest = 4 << 20
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longest)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := f(lines.Bytes()); err != nil {
			return err
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s: a line of more than %d bytes", file.StandardInput, longest)
	} else if err != nil {
		return fmt.Errorf("%s: %w", file.StandardInput, err)
	}
	return nil
}

// Source returns the file of a name, or standard input for "-". reader says what it is for.
func (i *Input) Source(name, reader string) file.Source {
	if name != "-" {
		return file.At(name)
	}
	return file.Source{Name: file.StandardInput, Open: func() (io.ReadCloser, error) {
		in, err := i.Take(reader)
		if err != nil {
			return nil, err
		}
		return io.NopCloser(in), nil
	}}
}

// JobList is what the list is called where standard input is asked for twice.
const JobList = "the job list"
