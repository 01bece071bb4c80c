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
	"regexp"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
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
// folder, or a single file. stdin is what "-" names, which can be read once. Remarks tell
// what stands among the logs and is not read, also beside a *NoLogsError, the error where there
// is a snapshot without any.
func Logs(name string, stdin io.Reader) ([]file.Source, []diag.Remark, error) {
	if name == "-" {
		return logsIn(file.StandardInput, stdin, nil)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
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
func logsOfFolder(name string) ([]file.Source, []diag.Remark, error) {
	root := os.DirFS(name)
	dirs, err := fs.Glob(root, "*/"+path.Dir(logsDir))
	if err != nil {
		return nil, nil, err
	}
	isThere := func(dir string) bool { // a link that leads nowhere is
		info, err := os.Lstat(path.Join(name, dir))
		return err == nil && (info.IsDir() || info.Mode()&fs.ModeSymlink != 0)
	}
	for i := range dirs {
		dirs[i] = path.Join(dirs[i], path.Base(logsDir))
	}
	dirs = slices.DeleteFunc(dirs, func(dir string) bool { return !isThere(dir) })
	if isThere(logsDir) {
		dirs = []string{logsDir}
	}
	switch len(dirs) {
	case 0:
		if _, err := openFolder(name); err == nil {
			return nil, nil, &NoLogsError{name}
		}
		dirs = []string{"."}
	case 1:
	default:
		return nil, nil, &Error{name, fmt.Sprintf("holds several snapshots: name one of them, such as %s", path.Join(name, path.Dir(path.Dir(dirs[0]))))}
	}
	dir := path.Join(name, dirs[0])
	entries, err := os.ReadDir(dir)
	if target, isLink := os.Readlink(dir); err != nil && isLink == nil {
		return nil, nil, fmt.Errorf("%s is a link to %s and cannot be read: %w", dir, target, cause(err))
	}
	if err != nil {
		return nil, nil, err
	}
	var logs []file.Source
	var remarks []diag.Remark
	for _, e := range entries {
		at := path.Join(dir, e.Name())
		switch why := whyNoLog(at, e); {
		case strings.HasPrefix(e.Name(), "."):
		case why != "":
			remarks = append(remarks, diag.Damagef("%s is %s", at, why))
		case !e.IsDir():
			logs = append(logs, file.At(at))
		}
	}
	switch {
	case len(logs) > 0:
		return logs, remarks, nil
	case dirs[0] != ".":
		return nil, remarks, &NoLogsError{name}
	case len(remarks) > 0:
		return nil, nil, errors.New(remarks[0].Text)
	}
	return nil, nil, &Error{name, "has no accounting log: neither files nor " + logsDir}
}

// whyNoLog says what an entry of a folder of logs is that cannot be read as one, "" for a
// file, or a link to one, and for a folder that has not the name of a log.
func whyNoLog(at string, e fs.DirEntry) string {
	info, err := os.Stat(at)
	kind := ""
	if err == nil {
		kind = kindOf(info.Mode())
	}
	if kind == aDirectory && !isDayLog.MatchString(e.Name()) {
		return "" // somebody's own
	}
	target, isLink := os.Readlink(at)
	switch {
	case isLink == nil && err != nil:
		return fmt.Sprintf("a link to %s and not read: %v", target, cause(err))
	case isLink == nil && kind != "":
		return fmt.Sprintf("a link to %s and not read: that is %s", target, kind)
	case kind != "":
		return kind + " and not read"
	}
	return ""
}

// isDayLog finds the names of the logs of days, packed or not.
var isDayLog = regexp.MustCompile(`^[0-9]{8}(\.[a-z0-9]+)?$`)

const aDirectory = "a directory"

// kindOf says what is no regular file, "" of one.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return aDirectory
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "no regular file"
}

// linkRemark says that a member of an archive is a link, which leads to nothing there.
func linkRemark(name string, header *tar.Header) diag.Remark {
	return diag.Damagef("%s is a link to %s and not read: pack the files themselves (tar --dereference --hard-dereference)", path.Join(name, header.Name), header.Linkname)
}

// remarkOfLog says what a member of an archive is that stands where logs do and is none.
// ok is false for all others.
func remarkOfLog(name string, header *tar.Header) (r diag.Remark, ok bool) {
	member := path.Clean(strings.TrimLeft(header.Name, "/"))
	isLink := header.Typeflag == tar.TypeSymlink || header.Typeflag == tar.TypeLink
	isIn := isLogsDir(path.Dir(member))
	switch {
	case isLink && (isIn || isLogsDir(member) || isLogsDir(member+"/accounting")):
		return linkRemark(name, header), true
	case !isIn || isLink || header.Typeflag == tar.TypeDir && !isDayLog.MatchString(path.Base(member)):
		return r, false
	}
	kind := kindOf(header.FileInfo().Mode())
	return diag.Damagef("%s is %s and not read", path.Join(name, header.Name), kind), kind != ""
}

// isLogsDir reports whether a path in an archive is that of the logs.
func isLogsDir(dir string) bool { return dir == logsDir || strings.HasSuffix(dir, "/"+logsDir) }

// logsIn returns the logs of an archive, or the stream itself, which at opens again.
func logsIn(name string, r io.Reader, at *file.Source) ([]file.Source, []diag.Remark, error) {
	plain, first, err := file.Begin(name, r, headerSize)
	if err != nil {
		return nil, nil, err
	}
	if !isArchive(first) {
		if at != nil {
			return []file.Source{*at}, nil, nil
		}
		return []file.Source{{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(plain), nil }}}, nil, nil
	}
	var logs []file.Source
	var remarks []diag.Remark
	isSnapshot := false
	kept := int64(0)
	for t := tar.NewReader(plain); ; {
		header, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s is cut off or damaged: %w", name, err)
		}
		_, _, isMember := find(path.Clean(strings.TrimLeft(header.Name, "/")))
		isSnapshot = isSnapshot || isMember
		if r, ok := remarkOfLog(name, header); ok {
			remarks = append(remarks, r)
		}
		if header.Typeflag != tar.TypeReg || !isLogsDir(path.Dir(path.Clean(header.Name))) {
			continue
		}
		text, err := readContent(t, header.Size, maxKept-kept)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %s: %w", name, header.Name, err)
		}
		kept += text.size()
		logs = append(logs, file.Source{Name: path.Join(name, header.Name), Open: func() (io.ReadCloser, error) { return io.NopCloser(text.reader()), nil }})
	}
	switch {
	case len(logs) > 0:
		return logs, remarks, nil
	case isSnapshot:
		return nil, remarks, &NoLogsError{name}
	case len(remarks) > 0:
		return nil, nil, errors.New(remarks[0].Text)
	}
	return nil, nil, &Error{name, "has no accounting log in " + logsDir}
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
	logs, _, err := Logs(name, nil)
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
