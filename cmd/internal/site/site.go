// Package site is the front door: it finds out which scheduler's a site is that a person names, and has what
// commands can ask of one. It knows no scheduler. Each of them is a Scheduler, and what it finds has those of the
// abilities that it has: interfaces with one method, such as Orderer.
package site

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// Site is a site of some scheduler, at one moment.
type Site struct {
	*Scheduler
	Able any    // what it is asked: it has those of the abilities that it has
	Name string // as a person named it, "" for the site of a host

	isEmpty  bool // whether that is a file with nothing in it
	isUntold bool // whether it is one in which a list of jobs is looked for, and no logs and no tree
}

// Scheduler is what the front door has to know of one.
type Scheduler struct {
	Name string // as people call it, such as "Slurm"
	Key  string // as the tags of flags have it, such as "slurm"

	// Find returns the site that names lead to. It is a *NothingError where there is nothing of this scheduler.
	Find func(ctx context.Context, names Names, to *Console) (any, error)

	// Formats are those in which its records of jobs may be, besides accounting logs.
	Formats []trace.Format

	// Loose returns a site of which nothing but the named logs is there. It is called where no Find has found
	// anything and names.Logs are given, as for formula history with accounting logs that are in no snapshot. nil
	// where this scheduler's logs alone are no site.
	Loose func(names Names, to *Console) (any, error)

	// Owns reports whether something of this scheduler is at a place: a site, a list or a record of its jobs. Each
	// scheduler has it.
	Owns func(t *file.Tree) bool

	// TakesLists reports whether --jobs names a list of its jobs.
	TakesLists bool

	// Piece returns what is wrong with a file that is one piece of a site and no list of jobs; nil for no such file.
	Piece func(t *file.Tree) error

	// HasRecord reports whether a file of its own has a record of jobs among other prints; nil for a scheduler of which none has.
	HasRecord func(t *file.Tree) bool

	// Claims reports whether what is named is this scheduler's alone. It is called before any Find, so that no other
	// scheduler looks for its own there, as where formula check is given a slurm.conf, in which PBS would look for a
	// list of jobs. nil for never.
	Claims func(names Names, in *Input) bool

	// LooksLikeJob reports whether a text may name a job.
	LooksLikeJob func(text string) bool

	// Here returns where the command of this host is that a live site is asked with, "" where there is none. It asks no
	// server.
	Here func() string

	// Instead says, by the name of a command, why sites do not have what it asks and what can be asked instead;
	// SITE stands for the name of the site.
	Instead map[string]string
}

// Console is how what a site is asked reaches whoever asks.
type Console struct {
	Input    *Input
	Say      func(remarks ...diag.Remark)
	Fault    func(err error)             // says what is wrong with a formula, beside what is printed
	Progress func(what string) *Progress // begins to show how many of what is called so are done
	Reads    func() *Progress            // begins to show how much of a list is read
}

// Progress shows how far something is that takes long. End takes it away.
type Progress struct {
	Read  func(bytes int)
	Steps func(part, all float64)
	End   func()

	done, all int // of those that Counted counts
}

// Counted returns progress that knows how many of all were done last. One at a time may tell its Steps.
func (p *Progress) Counted() *Progress {
	steps := p.Steps
	p.Steps = func(part, all float64) {
		p.done, p.all = int(part), int(all)
		steps(part, all)
	}
	return p
}

// Made says how many of all were made.
func (p *Progress) Made() string { return fmt.Sprintf("%d of %d settings were judged", p.done, p.all) }

// NothingError says that names lead to nothing of a scheduler.
type NothingError struct {
	Err error

	// Lacks is what there would have to be, such as "what Slurm's commands print": Open says it in one sentence with
	// what another scheduler lacks, of a folder in which neither finds anything. "" where Err says something else,
	// as that a name leads nowhere or that a live site cannot be asked.
	Lacks string
}

func (e *NothingError) Error() string { return e.Err.Error() }
func (e *NothingError) Unwrap() error { return e.Err }

// NoHostError says that a host has no commands of any of some schedulers.
type NoHostError struct{ Schedulers []string }

func (e *NoHostError) Error() string {
	return fmt.Sprintf("the commands of %s are not on this host: give a site, or a list of jobs, such as qstat -f -F json, squeue -a -o %%all or flux jobs -a --json prints", report.Listed(e.Schedulers))
}

// Open returns the site that names lead to: that of the first scheduler which finds something of its own.
func Open(ctx context.Context, names Names, to *Console, schedulers []*Scheduler) (*Site, error) {
	isNamed := names.Argument != ""
	names = names.Completed(to.Input)
	if !isNamed && names.Argument == "-" && to.Input.IsNull() {
		return nil, diag.Requestf("nothing names a site, and standard input is %s: give a site or a list of jobs, or --live, which asks the site of this host", os.DevNull)
	}
	if names.isSeveral() {
		if err := mixed(names, to.Input, schedulers); err != nil {
			return nil, err
		}
	}
	schedulers = slices.DeleteFunc(slices.Clone(schedulers), func(s *Scheduler) bool { return names.Only != "" && names.Only != s.Key })
	if err := unreadable(names, to.Input, schedulers); err != nil {
		return nil, err
	}
	if err := mixedWithin(names, to.Input, schedulers); err != nil {
		return nil, err
	}
	if err := noLists(names, to.Input, schedulers); err != nil {
		return nil, err
	}
	claiming := slices.IndexFunc(schedulers, func(s *Scheduler) bool { return s.Claims != nil && s.Claims(names, to.Input) })
	expecting := names
	if claiming >= 0 && names.WantsConf { // whoever checks a configuration says that it is empty
		expecting.Argument, expecting.Snapshot = "", ""
	}
	nothingThere := empty(expecting, to.Input, !isNamed)
	to.Say(nothingThere...)
	to.Say(emptyLogs(names.Beside, to.Input)...)
	for _, name := range []string{names.Argument, names.Snapshot} {
		if name == "" || names.WantsTree || claiming >= 0 && names.WantsConf {
			continue
		}
		if err := piece(name, to.Input, schedulers); err != nil {
			return nil, err
		}
	}
	if claiming >= 0 {
		schedulers = schedulers[claiming : claiming+1]
	}
	var nothing *NothingError
	for _, s := range schedulers {
		found, err := s.Find(ctx, names, to)
		var none *NothingError
		switch {
		case err == nil:
			isEmpty := len(nothingThere) > 0
			return &Site{s, found, names.Site(), isEmpty, isEmpty && len(names.Logs) == 0 && !names.WantsTree}, nil
		case !errors.As(err, &none):
			return nil, err
		case nothing == nil:
			nothing = none
		case nothing.Lacks != "" && none.Lacks != "":
			nothing.Err = fmt.Errorf("%w, nor %s", nothing.Err, none.Lacks)
		}
	}
	if names.AsksHost() && names.Server == "" && names.Only == "" {
		var all []string
		for _, s := range schedulers {
			all = append(all, s.Name)
		}
		return nil, &diag.RequestError{Err: &NoHostError{all}}
	}
	if err := noLog(names, to.Input); err != nil {
		return nil, err
	}
	for _, s := range schedulers {
		if s.Loose != nil && len(names.Logs) > 0 {
			found, err := s.Loose(names, to)
			return &Site{s, found, names.Site(), len(nothingThere) > 0, false}, err
		}
	}
	if nothing.Lacks != "" {
		if files := allEmpty(names.Site(), to.Input); len(files) > 0 {
			return nil, fmt.Errorf("all that %s has is empty (%s), and nothing tells of which scheduler it is: what squeue, sprio and flux jobs print begins with a header, also where no job waits (formula collect writes a site)", names.Site(), report.First(files))
		}
		return nil, fmt.Errorf("%w%s", nothing.Err, otherFiles(names.Site(), to.Input))
	}
	return nil, nothing.Err
}

// piece returns an error for a file that is one piece of a site. What cannot be opened is told by who looks for sites.
func piece(name string, in *Input, schedulers []*Scheduler) error {
	t, err := in.Tree(name, "")
	if err != nil {
		return nil
	}
	for _, s := range schedulers {
		if s.Piece == nil {
			continue
		}
		if err := s.Piece(t); err != nil {
			return &diag.RequestError{Err: err}
		}
	}
	return nil
}

// IsUntold reports whether what is named as a site is a file with nothing in it, so that nothing tells whose it is.
func (at *Site) IsUntold() bool { return at.isUntold }

// Cannot returns the error for a command that asks what the site does not have.
func (at *Site) Cannot(command string) error {
	text := at.Instead[command]
	if text == "" {
		text = fmt.Sprintf("formula %s does not know such sites", command)
	}
	if at.isEmpty {
		return diag.Requestf("formula %s needs a site, and there is nothing", command)
	}
	if at.Name != "" {
		text = strings.ReplaceAll(text, "SITE", at.Name)
	}
	return diag.Requestf("%s: %s", at.Is(), text)
}

// Is says what somebody named and whose site that is, as in "site.tgz is a Slurm site".
func (at *Site) Is() string { return fmt.Sprintf("%s is a %s site", at.Called(), at.Scheduler.Name) }

// Called returns what somebody named in words.
func (at *Site) Called() string {
	switch at.Name {
	case "":
		return "this"
	case "-":
		return file.StandardInput
	}
	return at.Name
}

// CollectHint says how somebody who is not root gets at what only root may read.
const CollectHint = CollectBriefly + " writes a site that has it"

// CollectBriefly is the command that does so.
const CollectBriefly = "sudo formula collect site.tgz"
