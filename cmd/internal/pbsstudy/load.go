package pbsstudy

import (
	"path/filepath"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbssite"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/study"
)

// Names are what a person names the site of a replay with, where it is not the one of the
// snapshot that the logs come from.
type Names struct {
	SchedPriv, Queues, Resources, Nodes, Jobs, Usage, Events string
	Sched                                                    []string
	NonPrime                                                 bool // whether the settings for non-prime time hold
	NoFormula                                                bool // whether the formula in force is left out
}

// Read adds the site of the snapshot which the logs come from, with what names say instead.
func (in *Inputs) Read(n Names, logs *pbssite.Logs, input *site.Input) ([]diag.Remark, error) {
	var files pbs.Files
	var remarks []diag.Remark
	before := ""
	for _, snap := range logs.Snapshots() {
		if before != "" {
			return remarks, diag.Requestf("%s and %s are both a site, give one of them", before, snap.Name)
		}
		before = snap.Name
		remarks = append(remarks, snap.Remarks...)
		files, in.Nodes, in.Lists = snap.Files(), snap.Nodes(), snap.Jobs()
		in.Taken, _ = snap.Taken()
	}
	if n.SchedPriv != "" {
		if in.IsOther = files.SchedPriv.Name != ""; in.IsOther {
			remarks = append(remarks, diag.Notef("the tree and sched_config of policy 1 are those of %s, not of the snapshot", n.SchedPriv))
		}
		files.SchedPriv = file.DirAt(n.SchedPriv)
	}
	if n.Queues != "" {
		files.Queues = []file.Source{input.Source(n.Queues, "--queues")}
	}
	if n.Resources != "" {
		files.Resources = input.Source(n.Resources, "--resources")
	}
	for _, name := range n.Sched {
		files.Override = append(files.Override, input.Source(name, "--sched"))
	}
	if n.Nodes != "" {
		in.Nodes = input.Source(n.Nodes, "--nodes")
	}
	if n.Events != "" {
		in.Events = input.Source(n.Events, "--node-events")
	}
	if n.Jobs != "" {
		in.Lists = append(in.Lists, input.Source(n.Jobs, site.JobList))
	}
	said, err := in.readSite(n, files)
	remarks = append(remarks, said...)
	if err != nil || n.Usage == "" {
		return remarks, err
	}
	in.Usage, said, err = pbssite.ReadUsage(n.Usage)
	return append(remarks, said...), err
}

// readSite reads the site of some files, with the formula in force.
func (in *Inputs) readSite(n Names, files pbs.Files) ([]diag.Remark, error) {
	var err error
	var remarks []diag.Remark
	if in.Site, remarks, err = files.Read(); err != nil {
		return nil, err
	}
	if in.Site.SchedPriv == nil {
		remarks = append(remarks, diag.Warningf("without a sched_priv (--sched-priv DIR) PBS's defaults stand for sched_config, and there is no fairshare"))
	}
	in.Site.NonPrime = n.NonPrime
	more, isKnown, err := in.Site.SetFormula("")
	if err != nil {
		return remarks, err
	}
	in.IsKnown = isKnown
	if n.NoFormula {
		in.Site.Sched.Formula = ""
	}
	return append(remarks, more...), nil
}

// Load reads the logs and returns what policies are replayed on. sites are those of the
// policies.
func (in *Inputs) Load(logs *pbssite.Logs, sites ...*pbs.Site) (*Study, []diag.Remark, error) {
	keep, err := in.Keep(sites...)
	if err != nil {
		return nil, nil, err
	}
	t, remarks, err := logs.Read(keep)
	if err != nil {
		return nil, remarks, err
	}
	happens, more, err := logs.World(t, in.Events)
	remarks = append(remarks, more...)
	if err != nil {
		return nil, remarks, err
	}
	happens.Reservations, more, err = logs.Reservations(t, 0)
	remarks = append(remarks, more...)
	if err != nil {
		return nil, remarks, err
	}
	in.happens, in.logs, in.begin = happens, logs, t.Begin()
	if in.Zone == nil {
		if in.Zone, err = logs.Zone(); err != nil {
			return nil, remarks, err
		}
	}
	s, more, err := in.Study(t)
	return s, append(remarks, more...), err
}

// Asked are the policies that are asked for beside the one in force.
type Asked struct {
	Formulas  []string
	SchedPriv []string // each a policy of its own
	Settings  []string // of each of those
	Files     []string // policies that are written in files
	NoFormula bool     // whether the policy in force is taken without its formula
	IsSearch  bool     // whether all but the policy in force are left to a search
}

// Policies returns what to replay: the policy in force, and what is asked for.
func (in *Inputs) Policies(a Asked, input *site.Input) ([]*Policy, []diag.Remark, error) {
	var policies []*Policy
	var remarks []diag.Remark
	hasFirst := in.IsKnown || a.NoFormula
	if hasFirst {
		p, more, err := InForce(in.Site, !a.NoFormula && !in.IsOther)
		if err != nil {
			return nil, nil, err
		}
		remarks = append(remarks, more...)
		policies = append(policies, p)
	}
	if a.IsSearch {
		return policies, remarks, nil
	}
	changes, err := a.changes(hasFirst, input)
	if err != nil {
		return nil, remarks, err
	}
	for _, change := range changes {
		p, more, err := NewPolicy(change, in.Site)
		if err != nil {
			return nil, remarks, err
		}
		if len(policies) == 0 || change.SchedPriv != "" {
			remarks = append(remarks, more...)
		}
		for _, idle := range p.Site.IdleChanges() {
			remarks = append(remarks, diag.Warningf("%s", idle))
		}
		policies = append(policies, p)
	}
	if len(policies) == 0 {
		return nil, remarks, diag.Requestf("no formula: give -f FORMULA, a snapshot or a --sched that tells which is in force, or --no-formula")
	}
	return policies, remarks, nil
}

// changes returns the new policies: of each formula and each further sched_priv one, with
// all settings, and those of files.
func (a Asked) changes(hasFirst bool, input *site.Input) ([]study.Changes, error) {
	formulas := slices.Clone(a.Formulas)
	dirs := []string{""}
	if len(a.SchedPriv) > 0 {
		dirs = a.SchedPriv
	}
	if hasFirst && len(formulas) == 0 && (len(a.Settings) > 0 || len(a.SchedPriv) > 0) {
		formulas = []string{""}
	}
	var changes []study.Changes
	for _, dir := range dirs {
		for _, formula := range formulas {
			changes = append(changes, study.Changes{Formula: formula, SchedPriv: dir, Settings: a.Settings})
		}
	}
	for _, name := range a.Files {
		change, err := study.ReadPolicy(input.Source(name, "--policy"))
		if err != nil {
			return nil, err
		}
		if change.SchedPriv != "" && !filepath.IsAbs(change.SchedPriv) {
			change.SchedPriv = filepath.Join(filepath.Dir(name), change.SchedPriv)
		}
		changes = append(changes, change)
	}
	return changes, nil
}
