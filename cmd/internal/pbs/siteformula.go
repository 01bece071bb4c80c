package pbs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
)

// readFormula reads a file that has the formula in force.
func (s *Site) readFormula(from file.Source) ([]diag.Remark, error) {
	const unset = "(unset)"
	text, err := ReadFormula(from)
	if err != nil {
		return nil, err
	}
	s.Sched.Sources = append(s.Sched.Sources, from.Name)
	s.Sched.OfServer = true
	if s.Sched.Formula = text; text == unset {
		s.Sched.Formula = ""
	}
	return nil, nil
}

// readThreshold reads a file that has job_sort_formula_threshold.
func (s *Site) readThreshold(from file.Source) ([]diag.Remark, error) {
	text, err := from.Text(maxFile)
	if err == nil {
		err = s.Sched.set(thresholdName, strings.TrimSpace(text))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from.Name, err)
	}
	return nil, nil
}

// SetFormula sets the formula of a site to the one given. If none is given, the
// one of the attributes stays, also where they set none. Only where no attributes
// are known does the copy count that the server left in sched_priv, since it
// stays behind when the formula is unset. isKnown reports whether anything says
// what the formula is, and the remarks say what does.
func (s *Site) SetFormula(given string) (remarks []diag.Remark, isKnown bool, err error) {
	for _, other := range s.Others {
		if _, _, err := other.SetFormula(given); err != nil {
			return nil, false, err
		}
	}
	if given != "" {
		s.replace(Change.IsFormula, ofFormula)
		s.Sched.Formula = given
	}
	if s.Sched.Formula != "" {
		return nil, true, nil
	}
	isKnown = s.Sched.TellsFormula()
	switch {
	case slices.ContainsFunc(s.Changes, Change.IsFormula): // which takes it away
		return nil, true, nil
	case s.SchedPriv == nil:
		return nil, isKnown, nil
	}
	path := s.SchedPriv.Dir.Join(FormulaFile)
	left, err := leftFormula(s.SchedPriv.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && left == "":
		return nil, isKnown, nil
	case isKnown && err != nil:
		return nil, true, nil // it does not count
	case isKnown && s.Sched.OfServer:
		return []diag.Remark{diag.Notef("%s sets no formula, so that the one in %s is not in force: %s", s.Sched.Sources[0], path, left)}, true, nil
	case isKnown:
		return []diag.Remark{diag.Warningf("%s sets no formula and does not tell the server's attributes (qmgr -c 'print server'): the one in %s is taken not to be in force: %s", s.Sched.Sources[0], path, left)}, true, nil
	case err != nil:
		return nil, false, err
	}
	s.Sched.Formula = left
	return []diag.Remark{diag.Notef("the formula is the one in %s: %s", path, left)}, true, nil
}

// Unordered says why the order in which the scheduler starts jobs is not known, "" where it is: what tells it is sched_priv, or else the
// formula of the server. One that somebody gives beside a list is not known to be in force, nor to be all that decides.
func (s *Site) Unordered() string {
	const unknown = "the order in which PBS starts jobs is not known here "
	switch {
	case s.SchedPriv != nil:
		return ""
	case s.Sched.Formula == "" && s.Untold != "":
		return unknown + "(" + s.Untold + ")"
	case s.Sched.Formula == "":
		return unknown + "(no formula, no sched_config, no fairshare)"
	case len(s.Sched.Sources) == 0:
		return unknown + "(a formula that is given, no sched_config, no fairshare)"
	}
	return ""
}

// LacksConfig reports whether an order is not known to be that of the site, since sched_config is not there, by which queues and jobs of
// one value go. A formula that somebody gives beside a list makes an order of its own, which is that of no site.
func (s *Site) LacksConfig() bool {
	isThere := s.SchedPriv != nil && s.SchedPriv.Dir.FS != nil // else it is one that settings make
	return !isThere && (s.Sched.Formula == "" || len(s.Sched.Sources) > 0)
}

// ByDefaults says by which settings answers are in place of a sched_config that is not there beside the formula in force, "" where it is
// there or the formula is not known, which is said.
func (s *Site) ByDefaults() string {
	if !s.LacksConfig() || s.Sched.Formula == "" {
		return ""
	}
	if s.SchedPriv != nil {
		return "by PBS's defaults for what is not set of sched_config, which is not there"
	}
	return Defaults
}

// Defaults says by which settings answers are in place of a sched_config that is not there.
const Defaults = "by PBS's defaults for sched_config, which is not there: by_queue, round_robin, fair_share, strict_ordering and help_starving_jobs are taken to be off, and job_sort_key not to be set"

// leftFormula returns the formula that the server has left in a sched_priv.
func leftFormula(dir file.Dir) (string, error) {
	if dir.FS == nil {
		return "", fs.ErrNotExist
	}
	return ReadFormula(file.Source{Name: dir.Join(FormulaFile), Open: func() (io.ReadCloser, error) { return dir.FS.Open(FormulaFile) }})
}

// ReadFormula returns the formula in a file. A line end after it does not
// belong to it, and neither do lines of comment, such as the header of the file
// that the server writes.
func ReadFormula(from file.Source) (string, error) {
	text, err := from.Text(maxFormulaFile)
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
