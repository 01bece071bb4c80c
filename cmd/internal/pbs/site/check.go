package site

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/usagefile"
)

// Checked is what a check of the files of a site has found.
type Checked struct {
	Findings     []site.Finding // by their files and lines
	Looked       []string       // at what, in words
	Lacks        []string       // what nothing tells, so that it was not looked at
	IsPart       bool           // whether one file was given in place of a site
	LacksFormula bool           // whether nothing tells the formula in force
	Said         []diag.Remark  // what was said when the files were read, and is among the findings
	found        map[site.Finding]bool
}

// Check returns what is wrong or without effect in the files of a place, among what was said when it was read as well, of which others
// are what it does not have. It is the same of one file, of a sched_priv and of a whole site with all its schedulers, as far as they
// tell it.
func (p *Place) Check(s *pbs.Site, said []diag.Remark) (c Checked, others []diag.Remark) {
	var remarks []diag.Remark
	var untold []string
	for _, scheduler := range append([]*pbs.Site{s}, s.Others...) {
		more, names := scheduler.Check()
		remarks, untold = slices.Concat(remarks, more, p.CheckHours(scheduler)), append(untold, names...)
		c.Looked = append(c.Looked, looked(scheduler.SchedPriv)...)
	}
	if p.Files.Only == usagefile.Name {
		c.Looked = append(c.Looked, usagefile.Name)
	}
	if p.part == "" {
		remarks = append(remarks, p.Files.CheckPrints(s.Resources)...)
	}
	if p.tellsQueues(s) {
		remarks = append(remarks, checkQueues(s)...)
	}
	remarks = append(remarks, p.checkVnodes(s)...)
	for _, r := range said {
		if r.File == "" || r.Kind != diag.Warning {
			others = append(others, r)
		} else {
			c.Said = append(c.Said, r)
		}
	}
	c.Find(append(remarks, c.Said...)...)
	c.IsPart = p.part != ""
	switch {
	case len(s.Sched.Sources) > 0:
		c.Looked = append(c.Looked, "attributes of the server, schedulers and queues")
	case s.Queues != nil:
		c.Looked = append(c.Looked, "attributes of queues")
	}
	if p.Nodes.IsGiven() {
		c.Looked = append(c.Looked, "vnodes")
	}
	if s.Sched.Hooks != nil {
		c.Looked = append(c.Looked, "attributes of hooks")
	}
	for _, f := range c.Findings {
		if f.File == p.Files.Resources.Name && !slices.Contains(c.Looked, f.File) {
			c.Looked = append(c.Looked, f.File)
		}
	}
	if c.IsPart && c.Looked == nil && p.formula == "" { // commands about vnodes or resources alone
		c.Looked = []string{p.part}
	}
	c.Lacks, c.LacksFormula = p.unlooked(s, untold)
	return c, others
}

// Find adds remarks to what was found.
func (c *Checked) Find(remarks ...diag.Remark) {
	if c.found == nil {
		c.found = map[site.Finding]bool{}
	}
	for _, r := range remarks {
		f := site.Finding{Kind: site.AWarning, File: r.File, Line: r.Line, Message: r.Bare()}
		if r.IsWrong {
			f.Kind = site.AnError
		}
		f.Place = strings.TrimSuffix(r.Text, f.Message)
		if !c.found[f] {
			c.found[f] = true
			c.Findings = append(c.Findings, f)
		}
	}
	site.SortFindings(c.Findings)
}

// tellsQueues reports whether all queues are told: of a site, and of a print of a server with its queues.
func (p *Place) tellsQueues(s *pbs.Site) bool {
	return p.part == "" && !p.isPriv || p.part != "" && s.Sched.OfServer && len(s.Queues) > 0 && !p.isOfCommands()
}

// looked says at which files of a sched_priv a check looks.
func looked(priv *pbs.SchedPriv) (names []string) {
	for _, name := range pbs.CheckedFiles {
		if priv.Has(name) {
			names = append(names, priv.NameOf(name))
		}
	}
	return names
}

// unlooked says what nothing tells, where one file is given or a sched_priv alone, and whether the formula in force is among it.
func (p *Place) unlooked(s *pbs.Site, untold []string) (lacks []string, lacksFormula bool) {
	if len(untold) > 0 {
		lacks = append(lacks, fmt.Sprintf("whether the site has the resources %s (--resources FILE)", strings.Join(untold, ", ")))
	}
	for _, h := range s.Sched.Hooks {
		lacks = append(lacks, fmt.Sprintf("what hook %s does with jobs (%s)", h.Name, strings.Join(h.Events, ", ")))
	}
	if p.part == "" && !p.isPriv {
		return lacks, false
	}
	var strange []strangeQueue
	if !p.tellsQueues(s) {
		strange = strangeQueues(s)
	}
	for _, of := range strange {
		if text := fmt.Sprintf("whether there is the queue %s%s (of the site with --sched FILE)", of.queue, meantQueue(s, of.queue)); !slices.Contains(lacks, text) {
			lacks = append(lacks, text)
		}
	}
	for _, name := range pbs.CheckedFiles[:2] {
		if !s.SchedPriv.Has(name) {
			lacks = append(lacks, name)
		}
	}
	if !s.Sched.OfServer {
		lacks = append(lacks, "attributes of the server and of queues (qmgr -c 'print server')")
	}
	if !s.Sched.OfSched {
		lacks = append(lacks, "attributes of the scheduler (qmgr -c 'print sched')")
	}
	return lacks, p.part != "" && (!s.Sched.OfServer || s.Sched.Formula == "" && p.isOfCommands())
}

// isOfCommands reports whether the file that is given in place of a site has commands for qmgr, which tell nothing of what they do not set.
func (p *Place) isOfCommands() bool {
	return slices.ContainsFunc(p.Files.Override, func(from file.Source) bool {
		text, err := from.Text(mostOfPart)
		return err == nil && pbs.AreCommands(text)
	})
}

// strangeQueue is a queue that is named and that is not among those of a site.
type strangeQueue struct {
	queue string
	by    string // the queue that hands jobs on to it, "" for the server, whose default_queue it is
}

// strangeQueues returns the queues that attributes name and that nothing tells.
func strangeQueues(s *pbs.Site) (all []strangeQueue) {
	look := func(name, by string) {
		name, _, isElsewhere := strings.Cut(name, "@")
		isTold := slices.ContainsFunc(s.Queues, func(q pbs.Queue) bool { return q.Name == name })
		if name != "" && !isElsewhere && !isTold {
			all = append(all, strangeQueue{name, by})
		}
	}
	look(s.Sched.Server["default_queue"], "")
	for _, q := range s.Queues {
		for _, name := range q.Destinations() {
			look(name, q.Name)
		}
	}
	return all
}

// checkQueues warns of queues that attributes name and that a site with queues does not have.
func checkQueues(s *pbs.Site) (remarks []diag.Remark) {
	if len(s.Queues) == 0 {
		return nil
	}
	usual := s.Sched.Server["default_queue"]
	if at := slices.IndexFunc(s.Queues, func(q pbs.Queue) bool { return q.Name == usual }); at >= 0 && !s.Queues[at].Routes && s.Queues[at].WhyClosed() != "" {
		remarks = append(remarks, diag.Warningf("default_queue of the server is %s, and %s: qsub refuses jobs that name none", usual, s.Queues[at].WhyClosed()).At("queue "+usual, 0))
	}
	for _, of := range strangeQueues(s) {
		meant := meantQueue(s, of.queue)
		if of.by == "" {
			remarks = append(remarks, diag.Warningf("default_queue of the server is %s, and there is no such queue%s: qsub refuses jobs that name none", of.queue, meant).At("the server", 0))
		} else {
			remarks = append(remarks, diag.Warningf("route_destinations of queue %s has %s, and there is no such queue%s: no job is handed on to it", of.by, of.queue, meant).At("queue "+of.by, 0))
		}
	}
	return remarks
}

// meantQueue asks whether a queue of the site is meant by a name that none has, "" where none is like it.
func meantQueue(s *pbs.Site, name string) string {
	var names []string
	for _, q := range s.Queues {
		names = append(names, q.Name)
	}
	if near := report.Nearest(name, names); near != "" {
		return " (did you mean " + near + "?)"
	}
	return ""
}
