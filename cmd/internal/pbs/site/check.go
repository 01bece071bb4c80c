package site

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/site"
)

// Checked is what a check of the files of a site has found.
type Checked struct {
	Findings     []site.Finding // by their files and lines
	Looked       []string       // at what, in words
	Lacks        []string       // what nothing tells, so that it was not looked at
	IsPart       bool           // whether one file was given in place of a site
	LacksFormula bool           // whether nothing tells the formula in force
}

// Check returns what is wrong or without effect in the files of a place, and what else was said when it was read. It is the same
// of one file, of a sched_priv and of a whole site, as far as they tell it.
func (p *Place) Check(s *pbs.Site, said []diag.Remark) (c Checked, others []diag.Remark) {
	remarks, untold := s.Check()
	remarks = append(remarks, p.CheckHours(s)...)
	for _, r := range said {
		switch {
		case r.File == "" || r.Kind != diag.Warning:
			others = append(others, r)
		case r.Line == 0 || !slices.Contains(pbs.PrivFiles, r.File): // of whose lines Check says all
			remarks = append(remarks, r)
		}
	}
	for _, r := range remarks {
		f := site.Finding{Kind: site.AWarning, File: r.File, Line: r.Line, Message: r.Bare()}
		if r.IsWrong {
			f.Kind = site.AnError
		}
		f.Place = strings.TrimSuffix(r.Text, f.Message)
		if !slices.Contains(c.Findings, f) {
			c.Findings = append(c.Findings, f)
		}
	}
	site.SortFindings(c.Findings)
	c.IsPart = p.part != ""
	c.Looked = p.looked(s)
	c.Lacks, c.LacksFormula = p.unlooked(s, untold)
	return c, others
}

// looked says at which files a check looks.
func (p *Place) looked(s *pbs.Site) (names []string) {
	if s.SchedPriv != nil && s.SchedPriv.Dir.FS != nil {
		for _, name := range pbs.CheckedFiles {
			if _, err := fs.Stat(s.SchedPriv.Dir.FS, name); err == nil {
				names = append(names, name)
			}
		}
	}
	if len(s.Sched.Sources) > 0 || s.Queues != nil {
		names = append(names, "attributes of the server, schedulers and queues")
	}
	return names
}

// unlooked says what nothing tells, where one file is given or a sched_priv alone, and whether the formula in force is among it.
func (p *Place) unlooked(s *pbs.Site, untold []string) (lacks []string, lacksFormula bool) {
	if len(untold) > 0 {
		lacks = append(lacks, fmt.Sprintf("whether the site has the resources %s (--resources FILE)", strings.Join(untold, ", ")))
	}
	if p.part == "" && !p.isPriv {
		return lacks, false
	}
	for _, name := range pbs.CheckedFiles[:2] {
		isThere := false
		if s.SchedPriv != nil && s.SchedPriv.Dir.FS != nil {
			_, err := fs.Stat(s.SchedPriv.Dir.FS, name)
			isThere = err == nil
		}
		if !isThere {
			lacks = append(lacks, name)
		}
	}
	if !s.Sched.OfServer {
		lacks = append(lacks, "attributes of the server and of queues (qmgr -c 'print server')")
	}
	if !s.Sched.OfSched {
		lacks = append(lacks, "attributes of the scheduler (qmgr -c 'print sched')")
	}
	return lacks, p.part != "" && !s.Sched.OfServer
}
