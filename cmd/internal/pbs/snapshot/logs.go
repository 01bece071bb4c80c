package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/pbs/qstat"
)

// logsDir is where the accounting logs of a site are.
const logsDir = "server_priv/accounting"

// NoLogsError is a snapshot that has no accounting logs.
type NoLogsError struct {
	Name string
	Has  string // what it has in place of them, as Holds tells
}

func (e *NoLogsError) Error() string {
	text := e.Name + " has " + e.Has + "no accounting logs (" + logsDir + ", which root may read): name them beside it, or take them along with pbs_snapshot --accounting-logs=DAYS; " + qstat.PrintsEnded
	if strings.Contains(e.Has, file.JobsTable) {
		text += qstat.PrintsLengths
	}
	return text
}

// Holds says of a place what it has where that is one or two files of known kinds, as in "what pbsnodes prints, and ", in front
// of what it lacks; "" of others.
func Holds(t *file.Tree) string {
	const few = 2
	var has []string
	if t.FS == nil || t.IsCut {
		return ""
	}
	for at := range t.Files() {
		head, err := t.Head(at)
		is := file.KindOf([]byte(head))
		if err != nil || is == "" || is == file.Empty || len(has) == few {
			return ""
		}
		has = append(has, is)
	}
	if len(has) == 0 {
		return ""
	}
	return strings.Join(slices.Compact(has), " and ") + ", and "
}

// Logs returns the accounting logs in a tree: those of a snapshot, the files of a
// folder, or a single file, which may be a stream that can be read once. Remarks tell
// what stands among the logs and is not read, also beside a *NoLogsError, the error where there
// is a snapshot without any.
func Logs(t *file.Tree) ([]file.Source, []diag.Remark, error) {
	if t.FS == nil {
		return []file.Source{t.Single}, nil, nil
	}
	dir, remarks, err := logsDirOf(t)
	if err != nil {
		return nil, remarks, err
	}
	entries, err := fs.ReadDir(t.FS, dir)
	if target, wrong := fs.ReadLink(t.FS, dir); err != nil && wrong == nil {
		return nil, nil, fmt.Errorf("%s is a link to %s and cannot be read: %w", t.Join(dir), target, file.Cause(err))
	}
	if err != nil {
		return nil, nil, err
	}
	isAmongPrints := dir != logsDir && slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Type().IsRegular() && !isDayLog().MatchString(e.Name()) && isPrint(t, path.Join(dir, e.Name()))
	})
	var paths, passed []string
	for _, e := range entries {
		at := path.Join(dir, e.Name())
		info, err := fs.Stat(t.FS, at)
		isOwn := err == nil && info.IsDir() && !isDayLog().MatchString(e.Name()) // a folder of somebody's own
		if strings.HasPrefix(e.Name(), ".") || isOwn {
			continue
		}
		switch why := t.WhyNot(at); {
		case why != "":
			remarks = append(remarks, diag.Damagef("%s is %s", t.Join(at), why))
		case dir != logsDir && !isDayLog().MatchString(e.Name()) && isPrint(t, at): // which stands beside them
		case isAmongPrints && !isDayLog().MatchString(e.Name()) && !isRecord(t, at):
			passed = append(passed, t.Join(at))
		default:
			paths = append(paths, at)
			remarks = append(remarks, t.Twice(at)...)
		}
	}
	if len(passed) > 0 {
		remarks = append(remarks, diag.Notef("passed over: %s", file.Several(passed)))
	}
	switch {
	case len(paths) > 0:
		return t.Sources(paths), remarks, nil // they are read in the order of their times
	case dir != ".":
		return nil, remarks, &NoLogsError{t.Name, Holds(t)}
	case len(remarks) > 0:
		return nil, nil, errors.New(remarks[0].Text)
	}
	return nil, nil, &Error{Name: t.Name, Detail: "has no accounting log, neither files nor " + logsDir + ", nor a table that sacct prints"}
}

// JobLists returns the lists of jobs of a folder or an archive that has nothing else, or of a folder of prints, which tell of what has
// ended as a record does: those with jobs that have ended, and which files are left out for them. A folder that has other files has such
// lists alone, and none of it is nil.
func JobLists(t *file.Tree) (lists []file.Source, leftOut []string) {
	if t.FS == nil || t.IsCut {
		return nil, nil
	}
	within := func(string) bool { return true }
	var all, others []string
	for at := range t.Files() {
		head, err := t.Head(at)
		switch is := file.KindOf([]byte(head)); {
		case err == nil && (is == file.JobsText || is == file.JobsJSON):
			all = append(all, at)
		case is != file.Empty:
			if others = append(others, at); len(others) == 1 {
				snap, err := In(t)
				if err != nil || !snap.isPrinted {
					return nil, nil
				}
				within = func(at string) bool { return path.Dir(at) == path.Join(".", snap.top) || path.Dir(at) == "." }
			}
		}
	}
	isElsewhere := func(at string) bool { return !within(at) }
	all, others = slices.DeleteFunc(all, isElsewhere), slices.DeleteFunc(others, isElsewhere)
	past, now := partEnded(t.Sources(all))
	switch {
	case len(past) > 0:
	case len(others) > 0:
		return nil, nil
	default:
		return now, nil
	}
	for _, from := range now {
		leftOut = append(leftOut, from.Name)
	}
	for _, at := range others {
		leftOut = append(leftOut, t.Join(at))
	}
	return past, leftOut
}

// isPrint reports whether a file is what one of PBS's commands prints.
func isPrint(t *file.Tree, at string) bool {
	head, err := t.Head(at)
	return err == nil && memberOf(head) != ""
}

// isRecord reports whether a file is a log or a trace, by its begin.
func isRecord(t *file.Tree, at string) bool {
	head, err := t.Head(at)
	kind := file.KindOf([]byte(head))
	return err != nil || kind == file.AccountingLog || kind == file.DaemonLog || kind == file.Trace
}

// logsDirOf returns the folder of a tree with the logs of a snapshot, or else, where there is no snapshot, a folder's
// own, and of an archive the first one that has a log. Remarks are on what is wrong with an archive.
func logsDirOf(t *file.Tree) (dir string, remarks []diag.Remark, err error) {
	remarks = slices.Clone(t.Remarks)
	if t.IsCut {
		return "", nil, errors.New(remarks[len(remarks)-1].Text)
	}
	isThere := func(at string, also fs.FileMode) bool { // a link that leads nowhere is
		info, err := fs.Lstat(t.FS, at)
		return err == nil && info.Mode()&(fs.ModeSymlink|also) != 0
	}
	var dirs []string
	tops := []string{"."}
	for depth := 0; len(dirs) == 0 && (depth < 2 || t.IsArchive() && depth <= deepest); depth++ {
		var below []string
		for _, top := range tops {
			at := path.Join(top, logsDir)
			switch {
			case isThere(at, fs.ModeDir):
				dirs = append(dirs, at)
			case isThere(path.Dir(at), 0):
				if why := t.WhyNot(path.Dir(at)); why != "" {
					remarks = append(remarks, diag.Damagef("%s is %s", t.Join(path.Dir(at)), why))
				}
			}
			entries, _ := fs.ReadDir(t.FS, top)
			for _, e := range entries {
				below = append(below, path.Join(top, e.Name()))
			}
		}
		tops = below
	}
	switch {
	case len(dirs) == 1 && t.IsArchive() && t.WhyNot(dirs[0]) != aDirectory:
		remarks = append(remarks, diag.Damagef("%s is %s", t.Join(dirs[0]), t.WhyNot(dirs[0])))
		return "", remarks, &NoLogsError{t.Name, Holds(t)}
	case len(dirs) == 1:
		return dirs[0], remarks, nil
	case len(dirs) > 1 && t.IsArchive():
		return "", nil, severalSites(t, dirs)
	case len(dirs) > 1:
		return "", nil, severalSnapshots(t, t.Join(path.Dir(path.Dir(dirs[0]))))
	}
	if snap, err := In(t); err == nil {
		if dir := packedLogs(t); snap.isPrinted && dir != "" {
			return dir, remarks, nil
		}
		return "", remarks, &NoLogsError{t.Name, Holds(t)}
	}
	switch {
	case !t.IsArchive():
		return ".", remarks, nil
	case len(remarks) > 0:
		return "", nil, errors.New(remarks[0].Text)
	}
	if dir := packedLogs(t); dir != "" {
		return dir, nil, nil
	}
	return "", nil, &Error{Name: t.Name, Detail: "has no accounting log in " + logsDir}
}

// HasLog reports whether one of the files of a tree is an accounting log.
func HasLog(t *file.Tree) bool { return packedLogs(t) != "" }

// packedLogs returns the folder of a tree of nothing but logs, "" where it has no log.
func packedLogs(t *file.Tree) string {
	for at, err := range t.Files() {
		if err != nil {
			continue
		}
		if head, err := t.Head(at); err == nil && beginsLog().MatchString(head) {
			return path.Dir(at)
		}
	}
	return ""
}

// beginsLog finds the first line of an accounting log.
var beginsLog = pattern.Of(`^\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;[A-Za-z];`)

// aDirectory is what a tree says of a folder that is no file.
const aDirectory = "a directory and not read"

// isDayLog finds the names of the logs of days, packed or not.
var isDayLog = pattern.Of(`^[0-9]{8}(\.[a-z0-9]+)?$`)

// HasLogs reports whether there is a snapshot with accounting logs in a tree.
func HasLogs(t *file.Tree) bool {
	logs, _, err := Logs(t)
	return err == nil && strings.HasSuffix(path.Dir(logs[0].Name), logsDir)
}
