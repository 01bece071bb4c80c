package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"fairshare/cmd/internal/jobs"
	"fairshare/cmd/internal/qmgr"
	"fairshare/formula"
	"fairshare/fstree"
)

type checkCmd struct {
	formulaFlags
	Resources string `placeholder:"FILE" help:"A site's own resources, as qmgr -c 'list resource' prints them."`
	SchedPriv string `placeholder:"DIR" help:"Also hold the formula against this directory's sched_config."`
	Jobs      string `placeholder:"FILE" help:"Also tell which resources no job of this list requests (qstat -f, any format)."`
	JSONL     bool   `name:"jsonl" help:"Read {\"formula\"} objects, one a line, from standard input."`
}

// checkLine is a line of --jsonl's output.
type checkLine struct {
	Error      int           `json:"error"`
	Message    string        `json:"message"`
	Validation string        `json:"validation"`
	Runs       bool          `json:"runs"`
	Warnings   []warningLine `json:"warnings"`
}

type warningLine struct {
	Rule    string `json:"rule"`
	Message string `json:"message"`
	Instead string `json:"instead,omitempty"`
}

func (c *checkCmd) Run(s *session) error {
	symbols, err := s.siteSymbols(c.Resources)
	if err != nil {
		return err
	}
	site, err := c.site(s)
	if err != nil {
		return err
	}
	if site.Requested, err = c.requested(symbols); err != nil {
		return err
	}
	if c.JSONL {
		err := eachLine(s.in, func(line []byte) error {
			var task struct{ Formula string }
			if err := json.Unmarshal(line, &task); err != nil {
				s.partly = true
				return s.encode(checkLine{Message: "InputError: the line is no object with a formula", Warnings: []warningLine{}})
			}
			return s.encode(newCheckLine(task.Formula, symbols, site))
		})
		if err == nil && s.partly {
			err = failure{code: exitPartly}
		}
		return err
	}
	src, err := c.read()
	if err != nil {
		return err
	}
	if src == "" {
		return errNoFormula
	}
	return s.check(src, symbols, site)
}

func newCheckLine(src string, symbols *formula.Symbols, site formula.Site) checkLine {
	v := formula.Check(src, symbols)
	line := checkLine{Error: v.Code, Message: v.Message, Validation: v.Validation, Runs: v.Err == nil, Warnings: []warningLine{}}
	for _, w := range formula.Warnings(src, symbols, site) {
		line.Warnings = append(line.Warnings, warningLine(w))
	}
	return line
}

// check prints the verdict and the warnings on standard output, and what is
// wrong with the formula on standard error.
func (s *session) check(src string, symbols *formula.Symbols, site formula.Site) error {
	v := formula.Check(src, symbols)
	if v.Message != "" {
		fmt.Fprintf(s.out, "qmgr would refuse it: %s", v.Message)
		if v.Code != 0 {
			fmt.Fprintf(s.out, " (%d)", v.Code)
		}
		fmt.Fprintln(s.out)
	} else {
		fmt.Fprintln(s.out, "qmgr would accept it")
	}
	for _, w := range formula.Warnings(src, symbols, site) {
		fmt.Fprintf(s.out, "warning: %s: %s\n", w.Rule, w.Message)
		if w.Instead != "" {
			fmt.Fprintf(s.out, "  instead: %s\n", w.Instead)
		}
	}
	if v.Err != nil {
		s.out.Flush()
		s.explainFormula(src, v.Err, v.Span, v.Hint)
		return failure{code: exitFormula}
	}
	fmt.Fprintf(s.out, "to set it: qmgr -c 'set server job_sort_formula = \"%s\"'\n", src)
	return nil
}

// siteSymbols are PBS's names and those of a file of resources.
func (s *session) siteSymbols(file string) (*formula.Symbols, error) {
	if file == "" {
		return symbols, nil
	}
	site, err := s.siteResources(file)
	if err != nil {
		return nil, err
	}
	return formula.NewSymbols(site), nil
}

// siteResources reads a file of resources.
func (s *session) siteResources(file string) (map[string]formula.Type, error) {
	const most = 16 << 20
	text, err := readLimited(file, most)
	if err != nil {
		return nil, err
	}
	site, problems := qmgr.ParseResources(text)
	for _, p := range problems {
		s.diag.Warning("%s: %v", file, p)
	}
	if len(site) == 0 {
		s.diag.Warning("%s names no resource", file)
	}
	return site, nil
}

// requested are the resources that jobs request, nil without a list.
func (c *checkCmd) requested(symbols *formula.Symbols) (map[string]bool, error) {
	if c.Jobs == "" {
		return nil, nil
	}
	f, err := os.Open(c.Jobs)
	if err != nil {
		return nil, failure{exitUnreadable, err}
	}
	defer f.Close()
	list, err := newListReader(symbols, nil, "euser", false).read(f, jobs.Auto, 0, nil)
	if err != nil {
		return nil, failure{exitUnreadable, fmt.Errorf("%s: %w", c.Jobs, err)}
	}
	return list.seen, nil
}

// site is what sched_config says.
func (c *checkCmd) site(s *session) (formula.Site, error) {
	if c.SchedPriv == "" {
		return formula.Site{}, nil
	}
	text, err := readLimited(filepath.Join(c.SchedPriv, "sched_config"), maxSiteFile)
	if err != nil {
		return formula.Site{}, err
	}
	config, problems := fstree.ParseConfig(text)
	for _, problem := range problems {
		s.diag.Warning("sched_config: %v", problem)
	}
	return formula.Site{
		HasConfig:    true,
		FairShareOff: !config.Prime.FairShare && !config.NonPrime.FairShare,
		SortKeys:     len(config.Prime.SortKeys)+len(config.NonPrime.SortKeys) > 0,
	}, nil
}
