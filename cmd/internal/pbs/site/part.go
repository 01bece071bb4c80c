package site

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/site"
	"fairshare/usagefile"
)

// privParts are the files of a sched_priv, by the kind of file that each is by what it begins with.
var privParts = map[string]string{
	file.SchedConfig:   pbs.ConfigFile,
	file.ResourceGroup: pbs.GroupsFile,
	file.Holidays:      pbs.HolidaysFile,
	file.DedicatedTime: pbs.DedicatedFile,
	file.UsageDatabase: usagefile.Name,
}

// printParts are the kinds of commands for qmgr, and of what PBS's commands print of a site's settings.
var printParts = []string{file.QmgrText, file.ServerText, file.ServerJSON, file.QueuesText, file.QueuesJSON, file.NodesText, file.NodesJSON, file.NodesDSV}

// privNames are the names of the files of a sched_priv, and of copies of them that people keep, such as sched_config.new and holidays-2026.
var privNames = pattern.Of(`^(sched_config|resource_group|holidays|dedicated_time|sched_formula|usage$)(?:[^A-Za-z].*)?$`)

// ofJob fits scripts of jobs.
var ofJob = pattern.Of(`(?m)^#PBS\s+-\w`)

// partOf returns which file of a sched_priv, or what else that says how jobs are ordered, a file of its own is: "" for commands for
// qmgr and for what PBS's commands print, since that is no file of a sched_priv. What a file has tells that, and where it has nothing
// that any other file has its name, as of one whose first line is damaged. isOne is false for any other file.
func partOf(t *file.Tree) (name string, isOne bool) {
	if t.FS != nil {
		return "", false
	}
	kind := file.KindOf(t.First)
	if slices.Contains([]string{"", file.CSV, file.Program}, kind) && pbs.AreCommands(string(t.First)) {
		kind = file.QmgrText
	}
	if part, isPriv := privParts[kind]; isPriv {
		return part, true
	}
	isAny := slices.Contains([]string{"", file.Empty, file.CSV, file.QmgrText}, kind)
	if named := privNames().FindStringSubmatch(path.Base(t.Name)); named != nil && isAny {
		return named[1], true
	}
	if kind == "" && pbs.AreConfigLines(string(t.First)) {
		return pbs.ConfigFile, true
	}
	return "", slices.Contains(printParts, kind)
}

// IsPart reports whether a name leads to a file that is checked in place of a site.
func IsPart(name string, in *site.Input) bool {
	if name == "" {
		return false
	}
	t, err := in.Tree(name, "")
	if err != nil {
		return false
	}
	_, isOne := partOf(t)
	return isOne
}

// takePart takes a file that is one part of a site, as a sched_priv that has nothing else or as attributes, and reports whether it
// is one.
func (p *Place) takePart(n site.Names, in *site.Input, name string) (isOne bool, err error) {
	t, err := in.Tree(name, "")
	if err != nil {
		return false, nil // which who opens it says
	}
	part, isOne := partOf(t)
	if !isOne {
		if ofJob().Match(t.First) {
			return true, diag.Requestf("%s is a script of a job, and nothing that is checked: formula when SITE --submit %[1]s, or formula nodes, says what becomes of such a job", t.Name)
		}
		return false, nil
	}
	if name == "-" {
		if _, err := in.Tree(name, site.JobList); err != nil { // which nobody else reads
			return true, err
		}
	}
	if p.Name != "" || p.part != "" {
		return true, diag.Requestf("%s and %s are both what is checked, give one of them: --sched has commands for qmgr over a site, and --sched-priv a folder", cmp.Or(p.Name, p.part), t.Name)
	}
	p.part = t.Name
	if part == "" {
		switch file.KindOf(t.First) {
		case file.QueuesText, file.QueuesJSON:
			p.Files.Queues = []file.Source{t.Single}
			return true, nil
		case file.NodesText, file.NodesJSON, file.NodesDSV:
			p.Nodes = t.Single
			return true, nil
		}
		from := file.Again(t.Single)
		text, err := from.Text(mostOfPart)
		if err == nil && !tellsAttributes(t.Name, text) {
			err = fmt.Errorf("%s: this is neither a site nor a file of one: it has no attributes as qmgr and qstat print them, and no commands for qmgr", t.Name)
		}
		p.Files.Override = append(p.Files.Override, from)
		return true, err
	}
	if part == pbs.FormulaFile {
		if p.formula, err = pbs.ReadFormula(t.Single); err == nil && p.formula == "" {
			err = fmt.Errorf("%s has no formula", t.Name)
		}
		return true, err
	}
	if n.SchedPriv != "" {
		return true, diag.Requestf("%s is a file of a sched_priv, and --sched-priv %s names a whole one: give one of them", t.Name, n.SchedPriv)
	}
	text, err := textOf(t.Single, part)
	if err != nil {
		return true, err
	}
	alone := file.TreeOf(t.Name, map[string][]byte{part: text})
	p.Files.SchedPriv, p.Files.Only = file.Dir{Name: t.Name, FS: alone.FS, Optional: true}, part
	return true, nil
}

// takesAway fits commands for qmgr that leave nothing behind, or that set something of all that there are of a kind.
var takesAway = pattern.Of(`\b(?:d|delete|u|unset)\s+(?:server|sched|queue|node|resource|hook)\b|(?m)^\s*(?:s|set)\s+(?:sched|queue|node|resource|hook)\s+@\w*\s+\w+`)

// tellsAttributes reports whether a text sets, shows or takes away attributes, unlike prose that speaks of qmgr.
func tellsAttributes(name, text string) bool {
	objects, _ := pbs.ParseObjects(name, text)
	return len(objects) > 0 || takesAway().MatchString(text)
}

// textOf returns what a file of a sched_priv has: bytes of a usage database, and a text of any other.
func textOf(from file.Source, part string) (text []byte, err error) {
	if part != usagefile.Name {
		text, err := from.Text(mostOfPart)
		return []byte(text), err
	}
	err = from.Read(func(plain *bufio.Reader) error {
		text, err = io.ReadAll(io.LimitReader(plain, mostOfPart))
		return err
	})
	return text, err
}

// mostOfPart is more than any such file has.
const mostOfPart = 1 << 30

// PartFormula returns the formula of a sched_formula that is given in place of a site, "" for any other file.
func (p *Place) PartFormula() string { return p.formula }
