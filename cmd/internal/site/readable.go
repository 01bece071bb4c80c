package site

import (
	"bytes"
	"fmt"
	"regexp"

	"fairshare/cmd/internal/trace"
)

// archiveName are the names of archives.
var archiveName = regexp.MustCompile(`\.(tgz|tar(\.\w+)?)$`)

// unreadable returns an error for the first file of some names that nobody can read, whatever is asked of it, so
// that all commands say the same of it. A file that is empty has an empty list of jobs or a log of no jobs. Standard
// input is told by who reads it, and what cannot be opened by who looks for it.
func unreadable(names Names, in *Input) error {
	of := append([]string{names.Argument, names.Snapshot, names.Jobs}, names.Logs...)
	for _, name := range of {
		if name == "" || name == "-" {
			continue
		}
		t, err := in.Tree(name, "")
		if err != nil || t.FS != nil {
			continue
		}
		switch {
		case archiveName.MatchString(name) && len(bytes.Trim(t.First, "\x00")) == 0:
			return fmt.Errorf("%s is an archive that is empty", name)
		case bytes.IndexByte(t.First, 0) >= 0:
			return fmt.Errorf("%s: this is not text", name)
		case len(names.Logs) == 1 && name == names.Logs[0]:
			if err := trace.Check(name, t.First, in.Formats); err != nil {
				return err
			}
		}
	}
	return nil
}
