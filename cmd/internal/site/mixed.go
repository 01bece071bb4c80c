package site

import (
	"bytes"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
)

// mixed returns an error for names that lead to what is of different schedulers: whichever is asked, the rest would count
// for nothing. What nobody owns or is empty may go with each, and what cannot be opened is told by who looks for it.
func mixed(names Names, in *Input, schedulers []*Scheduler) error {
	var known string
	var owners []*Scheduler // of what is known
	for _, name := range slices.Concat([]string{names.Argument, names.Snapshot, names.Jobs}, names.Joined, names.Logs, names.Beside) {
		if name == "" {
			continue
		}
		t, err := in.Tree(name, "")
		if err != nil || t.FS == nil && len(bytes.TrimSpace(t.First)) == 0 {
			continue
		}
		of := owning(t, schedulers)
		switch {
		case len(of) == 0:
		case owners == nil:
			known, owners = name, of
		case !slices.ContainsFunc(of, func(s *Scheduler) bool { return slices.Contains(owners, s) }):
			return diag.Requestf("%s is of %s, and %s of %s: they are not read together, give those of one scheduler", known, owners[0].Name, name, of[0].Name)
		}
	}
	return nil
}

// mixedWithin returns an error for a folder or an archive with what is of different schedulers: the first that looks for its
// own there would take it, and the rest count for nothing.
func mixedWithin(names Names, in *Input, schedulers []*Scheduler) error {
	for _, name := range slices.Concat([]string{names.Argument, names.Snapshot}, names.Logs, names.Beside) {
		if name == "" {
			continue
		}
		t, err := in.Tree(name, "")
		if err != nil || t.FS == nil {
			continue
		}
		if owners := owning(t, schedulers); len(owners) > 1 {
			var of []string
			for _, s := range owners {
				of = append(of, s.Name)
			}
			return diag.Requestf("%s has files of %s: they are not read together, give a folder with those of one scheduler", name, strings.Join(of, " and of "))
		}
	}
	return nil
}

// noLists returns an error for what --jobs names if it is of schedulers of which none has its jobs in a list there.
func noLists(names Names, in *Input, schedulers []*Scheduler) error {
	if names.Jobs == "" || names.Argument != "" || names.Snapshot != "" {
		return nil
	}
	t, err := in.Tree(names.Jobs, "")
	if err != nil {
		return nil
	}
	of := owning(t, schedulers)
	if len(of) == 0 || slices.ContainsFunc(of, func(s *Scheduler) bool { return s.TakesLists }) {
		return nil
	}
	return diag.Requestf("%s is of %s, of which --jobs takes nothing: name it without --jobs", names.Jobs, of[0].Name)
}

// owning returns the schedulers of which something is at a place.
func owning(t *file.Tree, schedulers []*Scheduler) []*Scheduler {
	return slices.DeleteFunc(slices.Clone(schedulers), func(s *Scheduler) bool { return !s.Owns(t) })
}

// isSeveral reports whether names lead to more than one place.
func (n Names) isSeveral() bool {
	count := len(n.Joined) + len(n.Logs) + len(n.Beside)
	for _, name := range []string{n.Argument, n.Snapshot, n.Jobs} {
		if name != "" {
			count++
		}
	}
	return count > 1
}

// CheckOne returns an error where two sites are named of a scheduler whose sites are one folder or archive each.
func (n Names) CheckOne() error {
	if n.Argument != "" && n.Snapshot != "" {
		return diag.Requestf("%s and %s are both a site, give one of them", n.Argument, n.Snapshot)
	}
	return nil
}
