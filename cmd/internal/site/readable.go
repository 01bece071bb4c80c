package site

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// empty says which names lead to an empty file, and what is expected there. It is no error, since a list may have no jobs.
// isDefault reports whether standard input is read because nothing is named.
func empty(names Names, in *Input, isDefault bool) (remarks []diag.Remark) {
	const list = "a list of jobs, as qstat -f, squeue or sprio -l prints it"
	say := func(name, expected string) { remarks = append(remarks, emptyFile(name, expected, in)...) }
	switch {
	case isDefault:
		say(names.Argument, ", and is read since it is no terminal: expected is "+list+" (--live asks the site of this host)")
	case names.WantsTree:
		say(names.Argument, ": expected is a tree, as sshare -a -l -P prints it, or a site that has one")
	default:
		say(names.Argument, ": expected is a site, or "+list)
	}
	say(names.Snapshot, ": expected is a site")
	say(names.Jobs, ": expected is "+list)
	return append(remarks, emptyLogs(names.Logs, in)...)
}

// emptyLogs says which names of logs lead to an empty file.
func emptyLogs(names []string, in *Input) (remarks []diag.Remark) {
	for _, name := range names {
		remarks = append(remarks, emptyFile(name, ": expected are accounting logs, or what sacct prints", in)...)
	}
	return remarks
}

// emptyFile says that a file is empty, and what is expected there; nil of one that is not, and of no name.
func emptyFile(name, expected string, in *Input) []diag.Remark {
	if name == "" {
		return nil
	}
	t, err := in.Tree(name, "")
	if err != nil || t.FS != nil || len(bytes.TrimSpace(t.First)) > 0 {
		return nil
	}
	remark := diag.Warningf("%s is empty%s", t.Name, expected)
	remark.IsWrong = true // it may be why there is no answer
	return []diag.Remark{remark}
}

// unreadable returns an error for the first file of some names that nobody can read, whatever is asked of it, so
// that all commands say the same of it. A file that is empty has an empty list of jobs or a log of no jobs. Standard
// input is told by who reads it, and what cannot be opened by who looks for it.
func unreadable(names Names, in *Input, schedulers []*Scheduler) error {
	of := append([]string{names.Argument, names.Snapshot, names.Jobs}, names.Logs...)
	for _, name := range of {
		if name == "" || name == "-" {
			continue
		}
		t, err := in.Tree(name, "")
		if err != nil || t.FS != nil || names.WantsConf && file.KindOf(t.First) == file.UsageDatabase {
			continue
		}
		switch {
		case file.IsArchiveName(name) && len(bytes.Trim(t.First, "\x00")) == 0:
			return fmt.Errorf("%s is an archive that is empty", name)
		case bytes.IndexByte(t.First, 0) >= 0:
			if kind := file.KindOf(t.First); kind != file.NoText {
				return fmt.Errorf("%s is %s: this is not text", name, kind)
			}
			return fmt.Errorf("%s: this is not text", name)
		case len(names.Logs) == 1 && name == names.Logs[0] && !slices.ContainsFunc(schedulers, func(s *Scheduler) bool { return s.HasRecord != nil && s.HasRecord(t) }):
			if err := trace.Check(name, t.First, in.Formats); err != nil {
				return err
			}
		}
	}
	return nil
}

// noLog returns what the first file of a folder is, of which alone logs are to be read, if none of its files is one.
func noLog(names Names, in *Input) error {
	if len(names.Logs) != 1 || names.Logs[0] == "-" {
		return nil
	}
	t, err := in.Tree(names.Logs[0], "")
	if err != nil || t.FS == nil {
		return nil
	}
	var first error
	for at, err := range t.Files() {
		if err != nil {
			return nil // it is told by who reads the logs
		}
		head, err := t.Head(at)
		if err != nil {
			return nil
		}
		err = trace.Check(t.Join(at), []byte(head), in.Formats)
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// allEmpty returns the files of a folder or an archive all of which are empty, nil for any other.
func allEmpty(name string, in *Input) (files []string) {
	t, err := in.Tree(name, "")
	if err != nil || t.FS == nil {
		return nil
	}
	for at, err := range t.Files() {
		if err != nil {
			return nil
		}
		if head, err := t.Head(at); err != nil || file.KindOf([]byte(head)) != file.Empty {
			return nil
		}
		files = append(files, at)
	}
	return files
}

// otherFiles says what the first files of a folder are in which nothing of a site is found, "" where that is not known.
func otherFiles(name string, in *Input) string {
	t, err := in.Tree(name, "")
	if err != nil || t.FS == nil {
		return ""
	}
	const most, looked = 3, 50 // files
	var known []string
	seen := 0
	for at, err := range t.Files() {
		if seen++; seen > looked || len(known) == most {
			break
		}
		if err != nil {
			continue
		}
		if head, err := t.Head(at); err == nil {
			if kind := file.KindOf([]byte(head)); kind != "" {
				known = append(known, fmt.Sprintf("%s is %s", at, kind))
			}
		}
	}
	if len(known) == 0 {
		return ""
	}
	return "; " + strings.Join(known, ", ")
}
