// Package pbs knows what a PBS site says of itself: the scheduler's directory,
// the attributes that qmgr prints, its queues and resources.
package pbs

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/formula"
	"fairshare/fstree"
)

// Site is all that decides about the order of a site's jobs, besides the jobs
// themselves.
type Site struct {
	SchedPriv *SchedPriv // nil if it is not known
	NonPrime  bool       // whether the settings for non-prime time apply
	Queues    []Queue    // in the order of qstat -Q; nil if they are not known
	Resources map[string]formula.Type
	Sched     Sched // Sched.Formula is the formula in force, "" for none
}

// Policy returns the policy of sched_config for the time of day.
func (s *Site) Policy() fstree.Policy {
	switch {
	case s.SchedPriv == nil:
		return fstree.Policy{}
	case s.NonPrime:
		return s.SchedPriv.Config.NonPrime
	}
	return s.SchedPriv.Config.Prime
}

// Entity returns the attribute of a job that names its fairshare entity.
func (s *Site) Entity() string {
	if s.SchedPriv == nil {
		return fstree.DefaultConfig().Entity
	}
	return s.SchedPriv.Config.Entity
}

// Files name the files that describe a site; "" for those that are not given.
type Files struct {
	SchedPriv string // a directory
	Queues    string // as qstat -Qf prints them
	Resources string // as qmgr's "list resource" prints them
	Sched     string // as qmgr's "print sched" prints it
}

// Read returns the site that the files describe, with remarks on what is missing
// or doubtful in them.
func (f Files) Read() (*Site, []diag.Remark, error) {
	site := &Site{Sched: defaultSched()}
	var remarks []diag.Remark
	if f.Resources != "" {
		more, err := site.readResources(f.Resources)
		if err != nil {
			return nil, nil, err
		}
		remarks = append(remarks, more...)
	}
	if f.Sched != "" {
		text, err := file.ReadText(f.Sched, maxFile)
		if err != nil {
			return nil, nil, err
		}
		var problems []*file.Problem
		site.Sched, problems = parseSched(text)
		remarks = append(remarks, remarksOn(f.Sched, problems)...)
	}
	if f.Queues != "" {
		var err error
		if site.Queues, err = readQueues(f.Queues); err != nil {
			return nil, nil, err
		}
		if len(site.Queues) == 0 {
			remarks = append(remarks, diag.Warningf("%s names no queue", f.Queues))
		}
	}
	if f.SchedPriv != "" {
		var err error
		if site.SchedPriv, err = LoadSchedPriv(f.SchedPriv, false); err != nil {
			return nil, nil, err
		}
		remarks = append(remarks, site.SchedPriv.Remarks()...)
	}
	return site, remarks, nil
}

func (s *Site) readResources(path string) ([]diag.Remark, error) {
	text, err := file.ReadText(path, maxFile)
	if err != nil {
		return nil, err
	}
	var problems []*file.Problem
	s.Resources, problems = parseResources(text)
	remarks := remarksOn(path, problems)
	if len(s.Resources) == 0 {
		remarks = append(remarks, diag.Warningf("%s names no resource", path))
	}
	return remarks, nil
}

// remarksOn returns a remark on each problem of a file.
func remarksOn(path string, problems []*file.Problem) []diag.Remark {
	var remarks []diag.Remark
	for _, p := range problems {
		remarks = append(remarks, diag.Warningf("%s: %v", path, p))
	}
	return remarks
}

// maxFormulaFile is more than any formula that can be evaluated.
const maxFormulaFile = 2 * formula.MaxLength

// SetFormula sets the formula of a site to the one given. If none is given, it
// leaves the formula that the scheduler's attributes have, or else takes the one
// that the server left in sched_priv and returns the name of its file. That file
// stays behind when the formula is unset, so it counts only where nothing else
// is known.
func (s *Site) SetFormula(given string) (path string, err error) {
	if given != "" {
		s.Sched.Formula = given
	}
	if s.Sched.Formula != "" || s.SchedPriv == nil {
		return "", nil
	}
	path = filepath.Join(s.SchedPriv.Dir, "sched_formula")
	s.Sched.Formula, err = ReadFormula(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && s.Sched.Formula == "" {
		return "", nil
	}
	return path, err
}

// ReadFormula returns the formula in a file. A line end after it does not
// belong to it, and neither do lines of comment, such as the header of the file
// that the server writes.
func ReadFormula(path string) (string, error) {
	text, err := file.ReadText(path, maxFormulaFile)
	if err != nil {
		return "", err
	}
	var formula strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			formula.WriteString(line)
		}
	}
	return strings.TrimRight(formula.String(), "\r\n"), nil
}
