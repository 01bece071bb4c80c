package snapshot

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
)

// serverLogsDir is where the logs of a site's server are.
const serverLogsDir = "server_logs"

// ServerLogs calls a function with each log of the server that is in a snapshot in a tree: in the
// order of their names in a folder, and in that of an archive. It does nothing where there is none.
// The logs are read as they come, and none is kept. What an archive lacks, its own remarks tell.
func ServerLogs(t *file.Tree, read func(name string, log io.Reader) error) error {
	var found []string
	switch {
	case t.IsArchive():
		for at, err := range t.Files() {
			if err == nil && path.Base(path.Dir(at)) == serverLogsDir {
				found = append(found, at)
			}
		}
	case t.FS != nil:
		for _, pattern := range []string{serverLogsDir + "/*", "*/" + serverLogsDir + "/*"} {
			logs, err := fs.Glob(t.FS, pattern)
			if err != nil {
				return err
			}
			found = append(found, logs...)
		}
		slices.Sort(found)
	}
	for _, at := range found {
		if info, err := fs.Stat(t.FS, at); err != nil || !info.Mode().IsRegular() {
			continue
		}
		log := file.Source{Name: t.Join(at), Open: func() (io.ReadCloser, error) { return t.FS.Open(at) }}
		if err := log.Read(func(plain *bufio.Reader) error { return read(log.Name, plain) }); err != nil {
			return err
		}
	}
	return nil
}

// ServerLogsNear does what ServerLogs does with the logs of the server that stand beside the
// accounting logs of some names, as in PBS_HOME, from a day before a time on.
func ServerLogsNear(names []string, from int64, read func(name string, log io.Reader) error) error {
	done := map[string]bool{}
	first := time.Unix(from, 0).AddDate(0, 0, -1).Format("20060102")
	for _, name := range names {
		dir, err := filepath.Abs(name)
		if err != nil {
			continue
		}
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			dir = filepath.Dir(dir)
		}
		home, isThere := strings.CutSuffix(filepath.ToSlash(dir), "/"+logsDir)
		if dir = filepath.Join(filepath.FromSlash(home), serverLogsDir); !isThere || done[dir] {
			continue
		}
		done[dir] = true
		logs, err := dayLogs(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, log := range logs {
			if path.Base(log.Name) < first {
				continue
			}
			if err := log.Read(func(plain *bufio.Reader) error { return read(log.Name, plain) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// dayLogs returns the logs of days in a folder on disk.
func dayLogs(dir string) (logs []file.Source, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", filepath.ToSlash(dir), file.Cause(err))
	}
	for _, e := range entries {
		if isDayLog().MatchString(e.Name()) && !e.IsDir() {
			logs = append(logs, file.At(filepath.Join(dir, e.Name())))
		}
	}
	return logs, nil
}

// VnodeLogs returns what the logs of the server in a snapshot tell of vnodes, packed: the
// lines of that kind and no others, which may be very many.
func VnodeLogs(t *file.Tree) ([]file.Source, error) {
	var logs []file.Source
	err := ServerLogs(t, func(log string, in io.Reader) error {
		from, err := vnodeLog(log, in)
		logs = append(logs, from)
		return err
	})
	slices.SortFunc(logs, func(a, b file.Source) int { return strings.Compare(a.Name, b.Name) })
	return logs, err
}

// vnodeLog returns the lines of a server's log that tell of vnodes, packed.
func vnodeLog(name string, in io.Reader) (file.Source, error) {
	var text bytes.Buffer
	z := gzip.NewWriter(&text)
	lines := bufio.NewReaderSize(in, 64<<10)
	isLong := false // whether the line goes on from what was read before
	for {
		line, err := lines.ReadSlice('\n')
		if !isLong && bytes.Contains(line, []byte(";Node;")) && bytes.HasSuffix(line, []byte("\n")) {
			z.Write(line)
		}
		isLong = errors.Is(err, bufio.ErrBufferFull)
		switch {
		case isLong:
		case errors.Is(err, io.EOF):
			name = strings.TrimSuffix(path.Base(name), Packed) + Packed
			return file.Source{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text.Bytes())), nil }}, z.Close()
		case err != nil:
			return file.Source{}, err
		}
	}
}
