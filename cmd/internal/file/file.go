// Package file reads and replaces the files that a command line names.
package file

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Problem is a line of a file that is not as it should be.
type Problem struct {
	Line    int // from 1
	Message string

	File string // that the file includes, in which the line stands; "" for one of its own
}

func (p *Problem) Error() string {
	if p.Line == 0 { // of no line, as what commands print has none
		return p.Message
	}
	return PlaceOf(p.File, p.Line) + ": " + p.Message
}

// PlaceOf says where a line stands: in a file that another one includes, or "" for a line of that itself.
func PlaceOf(name string, line int) string {
	if name != "" {
		return fmt.Sprintf("line %d of %s", line, name)
	}
	return fmt.Sprintf("line %d", line)
}

// Dir is a directory, on disk or in a snapshot.
type Dir struct {
	Name     string // for messages; "" is no directory
	FS       fs.FS
	Optional bool // whether the work goes on without it where it cannot be read
}

// DirAt returns a directory on disk, the zero Dir for "".
func DirAt(name string) Dir {
	if name == "" {
		return Dir{}
	}
	return Dir{Name: name, FS: os.DirFS(name)}
}

// Join returns the name of a file of the directory, for messages.
func (d Dir) Join(name string) string { return path.Join(d.Name, name) }

// Read returns what a regular file of at most most bytes holds, without a
// second copy. It does not read a pipe, which might never end.
func (d Dir) Read(name string, most int64) (string, error) {
	text, err := d.read(name, most)
	var wrong *fs.PathError
	if errors.As(err, &wrong) {
		return "", &fs.PathError{Op: wrong.Op, Path: d.Join(name), Err: wrong.Err}
	}
	return text, err
}

func (d Dir) read(name string, most int64) (string, error) {
	info, err := fs.Stat(d.FS, name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", d.Join(name))
	}
	if info.Size() > most {
		return "", fmt.Errorf("%s has %d bytes, at most %d are read", d.Join(name), info.Size(), most)
	}
	f, err := d.FS.Open(name)
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

// Source is a text that is read when it is needed: a file, standard input, or a
// member of a snapshot.
type Source struct {
	Name     string // for messages; "" is no source
	Member   string // its path in the snapshot that has it, "" for a file of its own
	Open     func() (io.ReadCloser, error)
	Optional bool // whether the work goes on without it where it cannot be read

	// Where returns from which file a line comes, and its number there; nil where it is this one.
	Where func(line int) (name string, number int)
}

// Place returns from which file a line comes, and its number there.
func (s Source) Place(line int) (name string, number int) {
	if s.Where != nil {
		return s.Where(line)
	}
	return s.Name, line
}

// StandardInput is what standard input is called in messages.
const StandardInput = "standard input"

// At returns a file on disk as a source, the zero Source for "". It may be a
// pipe, as in --queues <(qstat -Qf).
func At(name string) Source {
	return Source{Name: name, Open: func() (io.ReadCloser, error) { return os.Open(name) }}
}

// IsGiven reports whether there is a source.
func (s Source) IsGiven() bool { return s.Name != "" }

// Read calls f with what the source holds, as Plain gives it. An error names the source.
func (s Source) Read(f func(plain *bufio.Reader) error) error {
	in, err := s.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	plain, err := Plain(in)
	if err == nil {
		err = f(plain)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	return nil
}

// Text returns a text of at most most bytes. Of one that is packed and cut off, it returns what is left beside the error, which is
// io.ErrUnexpectedEOF then.
func (s Source) Text(most int64) (string, error) {
	f, err := s.Open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := readAllText(f, most)
	var named *fs.PathError
	if err != nil && !errors.As(err, &named) {
		return text, fmt.Errorf("%s: %w", s.Name, err)
	}
	return text, err
}

// ReadText returns a text of at most most bytes. The file may be a pipe.
func ReadText(name string, most int64) (string, error) { return At(name).Text(most) }

// TooLargeError is a text of more bytes than are read.
type TooLargeError struct{ Most int64 }

func (e *TooLargeError) Error() string { return fmt.Sprintf("this has more than %d bytes", e.Most) }

// readAllText reads a text of at most most bytes to its end, as Plain gives it. It
// leaves out the byte order mark with which some editors begin a text, and gives
// up at once what is no text, such as /dev/zero.
func readAllText(r io.Reader, most int64) (string, error) {
	buffer := borrow(r)
	defer giveBack(buffer)
	plain, err := plainOf(buffer)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if f, ok := r.(fs.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			b.Grow(int(min(info.Size(), most))) // what is packed needs more
		}
	}
	for {
		_, err := plain.Peek(1) // fills the buffer
		chunk, _ := plain.Peek(plain.Buffered())
		b.Write(chunk)
		isText := bytes.IndexByte(chunk, 0) < 0
		_, _ = plain.Discard(len(chunk)) // which are in the buffer
		switch {
		case !isText:
			return "", errors.New("this is not text")
		case int64(b.Len()) > most:
			return "", &TooLargeError{most}
		case errors.Is(err, io.EOF):
			return strings.TrimPrefix(b.String(), "\ufeff"), nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return strings.TrimPrefix(b.String(), "\ufeff"), err
		case err != nil:
			return "", err
		}
	}
}
