package trace

import (
	"io"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
)

// openFile is a file that counts those that are open.
type openFile struct {
	io.Reader
	open *int
}

// Close implements io.Closer.
func (c openFile) Close() error {
	*c.open--
	return nil
}

// Each file that is opened is closed, be it a log, a table, or neither.
func TestFilesAreClosed(t *testing.T) {
	open := 0
	var files []file.Source
	for _, text := range []string{"table\n1\n", "table\n2\n", "neither\n"} {
		files = append(files, file.Source{Name: text, Open: func() (io.ReadCloser, error) {
			open++
			return openFile{strings.NewReader(text), &open}, nil
		}})
	}
	tables := Format{Name: "a table", Is: func(begin []byte) bool { return strings.HasPrefix(string(begin), "table") }, IsLike: func([]byte) bool { return false }}
	tables.Read = func(from []file.Source, _ *time.Location, keep Keep) (*Trace, error) {
		if len(from) != 2 {
			t.Errorf("%d tables", len(from))
		}
		return newTrace(keep), nil
	}
	if _, err := Read(files, time.UTC, Keep{}, tables); err != nil || open != 0 {
		t.Errorf("%d files are open (%v)", open, err)
	}
}
