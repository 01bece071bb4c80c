package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"fairshare/cmd/internal/file"
	pbsdoor "fairshare/cmd/internal/pbs/door"
	"fairshare/cmd/internal/pbs/expect"
	"fairshare/cmd/internal/report"
)

type testCmd struct {
	Files []string `arg:"" name:"file" help:"Files of expectations (see the man page). If a site is named, it is used unless the files say otherwise."`
	siteFlags
}

// maxExpectations bounds a file of expectations.
const maxExpectations = 64 << 20

func (c *testCmd) Run(s *session) error {
	var start expect.Start
	if !c.isEmpty() {
		isLive := c.Live || c.Server != "" // of which a list of jobs has to be asked for
		names := c.names("")
		names.WantsJobs = isLive
		at, err := openAs[*pbsdoor.Site](s, names)
		if err != nil {
			return err
		}
		p := at.Place
		s.say(p.Remarks()...)
		if start.Files = p.Files; len(p.Jobs) > 0 {
			start.Jobs = p.Jobs[0]
		}
	}
	met, missed := 0, 0
	for _, name := range c.Files {
		text, err := file.ReadText(name, maxExpectations)
		if err != nil {
			return failure{exitUnreadable, err}
		}
		list, err := expect.Parse(text)
		if err != nil {
			return unreadable(name, err)
		}
		r, err := expect.Check(list, filepath.Dir(name), start)
		s.say(r.Remarks...)
		for _, m := range r.Missed {
			fmt.Fprintf(s.out, "%s:%d: %s\n", name, m.Line, report.Printable(m.Text))
		}
		var refused *expect.FormulaError
		if errors.As(err, &refused) {
			s.explainFormula(refused.FormulaError)
			s.diag.Error("%s: line %d: this formula is not accepted", name, refused.Line)
			return failure{code: exitFormula}
		}
		if err != nil {
			return unreadable(name, err)
		}
		met, missed = met+r.Met, missed+len(r.Missed)
	}
	if missed > 0 {
		fmt.Fprintf(s.out, "%s not met, %d met\n", report.Count(missed, "expectation"), met)
		return failure{code: exitPartly}
	}
	fmt.Fprintf(s.out, "%s met\n", report.Count(met, "expectation"))
	return nil
}
