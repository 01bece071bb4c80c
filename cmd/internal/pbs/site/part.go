package site

import (
	"cmp"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/site"
)

// partOf returns which file of a sched_priv, or what else that says how jobs are ordered, a file of its own is by what it has: "" for
// commands for qmgr and for what it prints, since that is no file of a sched_priv. isOne is false for any other file.
func partOf(t *file.Tree) (name string, isOne bool) {
	if t.FS != nil {
		return "", false
	}
	switch file.KindOf(t.First) {
	case file.SchedConfig:
		return pbs.ConfigFile, true
	case file.ResourceGroup:
		return pbs.GroupsFile, true
	case file.Holidays:
		return pbs.HolidaysFile, true
	case file.DedicatedTime:
		return pbs.DedicatedFile, true
	case file.QmgrText, file.ServerText, file.ServerJSON:
		return "", true
	}
	return "", false
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
		p.Files.Override = append(p.Files.Override, t.Single)
		return true, nil
	}
	if n.SchedPriv != "" {
		return true, diag.Requestf("%s is a file of a sched_priv, and --sched-priv %s names a whole one: give one of them", t.Name, n.SchedPriv)
	}
	text, err := t.Single.Text(mostOfPart)
	if err != nil {
		return true, err
	}
	alone := file.TreeOf(t.Name, map[string][]byte{part: []byte(text)})
	p.Files.SchedPriv, p.Files.Only = file.Dir{Name: t.Name, FS: alone.FS, Optional: true}, part
	return true, nil
}

// mostOfPart is more than any such file has.
const mostOfPart = 1 << 30
