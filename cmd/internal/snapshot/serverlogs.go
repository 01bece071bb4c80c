package snapshot

import (
	"archive/tar"
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

// ServerLogs calls a function with each log of the server that is in a snapshot, in the
// order of their names, in a folder or an archive. It does nothing where there is none.
// The logs are read as they come, and none is kept.
func ServerLogs(name string, read func(name string, log io.Reader) error) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return serverLogsOfArchive(name, read)
	}
	var found []string
	for _, pattern := range []string{serverLogsDir + "/*", "*/" + serverLogsDir + "/*"} {
		logs, err := filepath.Glob(filepath.Join(name, pattern))
		if err != nil {
			return err
		}
		found = append(found, logs...)
	}
	slices.Sort(found)
	for _, log := range found {
		if info, err := os.Stat(log); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if err := readServerLog(file.At(log), read); err != nil {
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
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s cannot be read: %w", dir, cause(err))
		}
		for _, e := range entries {
			if !isDayLog.MatchString(e.Name()) || e.Name() < first || e.IsDir() {
				continue
			}
			if err := readServerLog(file.At(filepath.Join(dir, e.Name())), read); err != nil {
				return err
			}
		}
	}
	return nil
}

func readServerLog(log file.Source, read func(name string, log io.Reader) error) error {
	in, err := log.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	plain, err := file.Plain(in)
	if err != nil {
		return fmt.Errorf("%s: %w", log.Name, err)
	}
	if err := read(log.Name, plain); err != nil {
		return fmt.Errorf("%s: %w", log.Name, err)
	}
	return nil
}

func serverLogsOfArchive(name string, read func(name string, log io.Reader) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	plain, first, err := file.Begin(name, f, headerSize)
	if err != nil || !isArchive(first) {
		return err
	}
	for t := tar.NewReader(plain); ; {
		header, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s is cut off or damaged: %w", name, err)
		}
		dir := path.Dir(path.Clean(strings.TrimLeft(header.Name, "/")))
		if header.Typeflag != tar.TypeReg || path.Base(dir) != serverLogsDir {
			continue
		}
		log := file.Source{Name: path.Join(name, header.Name), Open: func() (io.ReadCloser, error) { return io.NopCloser(t), nil }}
		if err := readServerLog(log, read); err != nil {
			return err
		}
	}
}

// VnodeLogs returns what the logs of the server in a snapshot tell of vnodes, packed: the
// lines of that kind and no others, which may be very many.
func VnodeLogs(name string) ([]file.Source, error) {
	var logs []file.Source
	err := ServerLogs(name, func(log string, in io.Reader) error {
		from, err := vnodeLog(log, in)
		logs = append(logs, from)
		return err
	})
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
