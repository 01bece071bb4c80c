package snapshot

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"fairshare/cmd/internal/file"
)

// logsDir is where the accounting logs of a site are.
const logsDir = "server_priv/accounting"

// NoLogsError is a snapshot that has no accounting logs.
type NoLogsError struct{ Name string }

func (e *NoLogsError) Error() string {
	return e.Name + " is a snapshot without accounting logs (" + logsDir + "): name them beside it, or take them along with pbs_snapshot --accounting-logs=DAYS"
}

// Logs returns the accounting logs at a place: those of a snapshot, the files of a
// folder, or a single file. stdin is what "-" names, which can be read once. It is a
// *NoLogsError if there is a snapshot without any.
func Logs(name string, stdin io.Reader) ([]file.Source, error) {
	if name == "-" {
		return logsIn(file.StandardInput, stdin, nil)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return logsOfFolder(name)
	}
	at := file.At(name)
	return logsIn(name, f, &at)
}

// logsOfFolder returns the logs of a snapshot in a folder, or of the only one of its
// folders that is one, or else all files of the folder.
func logsOfFolder(name string) ([]file.Source, error) {
	root := os.DirFS(name)
	dirs, err := fs.Glob(root, "*/"+logsDir)
	if err != nil {
		return nil, err
	}
	if info, err := fs.Stat(root, logsDir); err == nil && info.IsDir() {
		dirs = []string{logsDir}
	}
	switch len(dirs) {
	case 0:
		if _, err := openFolder(name); err == nil {
			return nil, &NoLogsError{name}
		}
		dirs = []string{"."}
	case 1:
	default:
		return nil, &Error{name, fmt.Sprintf("holds several snapshots: name one of them, such as %s", path.Join(name, path.Dir(path.Dir(dirs[0]))))}
	}
	entries, err := fs.ReadDir(root, dirs[0])
	if err != nil {
		return nil, err
	}
	var logs []file.Source
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			logs = append(logs, file.At(path.Join(name, dirs[0], e.Name())))
		}
	}
	switch {
	case len(logs) > 0:
		return logs, nil
	case dirs[0] != ".":
		return nil, &NoLogsError{name}
	}
	return nil, &Error{name, "has no accounting log: neither files nor " + logsDir}
}

// logsIn returns the logs of an archive, or the stream itself, which at opens again.
func logsIn(name string, r io.Reader, at *file.Source) ([]file.Source, error) {
	plain, first, err := file.Begin(name, r, headerSize)
	if err != nil {
		return nil, err
	}
	if !isArchive(first) {
		if at != nil {
			return []file.Source{*at}, nil
		}
		return []file.Source{{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(plain), nil }}}, nil
	}
	var logs []file.Source
	isSnapshot := false
	kept := int64(0)
	for t := tar.NewReader(plain); ; {
		header, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s is cut off or damaged: %w", name, err)
		}
		_, _, isMember := find(path.Clean(strings.TrimLeft(header.Name, "/")))
		isSnapshot = isSnapshot || isMember
		if header.Typeflag != tar.TypeReg || !strings.HasSuffix(path.Dir(path.Clean(header.Name)), logsDir) {
			continue
		}
		text, err := readContent(t, header.Size, maxKept-kept)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, header.Name, err)
		}
		kept += text.size()
		logs = append(logs, file.Source{Name: path.Join(name, header.Name), Open: func() (io.ReadCloser, error) { return io.NopCloser(text.reader()), nil }})
	}
	switch {
	case len(logs) > 0:
		return logs, nil
	case isSnapshot:
		return nil, &NoLogsError{name}
	}
	return nil, &Error{name, "has no accounting log in " + logsDir}
}

// reader returns a reader of a content.
func (c content) reader() io.Reader {
	readers := make([]io.Reader, len(c))
	for i, piece := range c {
		readers[i] = bytes.NewReader(piece)
	}
	return io.MultiReader(readers...)
}

// HasLogs reports whether there is a snapshot with accounting logs in it at a place.
func HasLogs(name string) bool {
	logs, err := Logs(name, nil)
	if err != nil {
		return false
	}
	for _, log := range logs {
		if strings.HasSuffix(path.Dir(log.Name), logsDir) {
			return true
		}
	}
	return false
}
