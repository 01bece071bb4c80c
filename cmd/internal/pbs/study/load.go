package study

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/order"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/trace"
)

// NewInputs returns the site of the snapshot which logs come from, with what names say instead.
func NewInputs(q site.Replaying, logs *pbssite.Logs, input *site.Input) (*Inputs, []diag.Remark, error) {
	in := &Inputs{Zone: q.Zone, ClusterSpec: q.Cluster, AllNodes: q.AllNodes, ReportLag: q.ReportLag, StartLatency: q.StartLatency}
	remarks, err := in.read(q, logs, input)
	return in, remarks, err
}

// InputsAt returns a site that is known already, with the vnodes and the lists of the snapshots that logs come from, and
// with the usage at their begin of a file, "" for none. What is read of them keeps on which vnodes jobs ran, by which
// the rules are judged.
func InputsAt(p *pbssite.Place, at *pbs.Site, logs *pbssite.Logs, usage string) (in *Inputs, remarks []diag.Remark, err error) {
	in = &Inputs{Site: at, IsKnown: true, Taken: p.Taken, Nodes: p.Nodes, place: p}
	for _, snap := range logs.Snapshots() {
		if snap.Nodes().IsGiven() {
			in.Nodes = snap.Nodes()
		}
		in.Lists = append(in.Lists, snap.Jobs()...)
	}
	if usage != "" {
		in.usageFile = usage
		in.Usage, remarks, err = pbssite.ReadUsage(usage)
	}
	return in, remarks, err
}

func (in *Inputs) read(q site.Replaying, logs *pbssite.Logs, input *site.Input) ([]diag.Remark, error) {
	var files pbs.Files
	var reservations file.Source
	var remarks []diag.Remark
	before := ""
	for _, snap := range logs.Snapshots() {
		if before != "" {
			return remarks, diag.Requestf("%s and %s are both a site, give one of them", before, snap.Name)
		}
		before = snap.Name
		remarks = append(remarks, snap.Remarks...)
		files, in.Nodes, in.Lists = snap.Files(), snap.Nodes(), snap.Jobs()
		reservations = snap.First(snapshot.Reservations)
		in.Taken, _ = snap.Taken()
	}
	if len(q.SchedPriv) > 0 {
		if in.IsOther = files.SchedPriv.Name != ""; in.IsOther {
			remarks = append(remarks, diag.Notef("the tree and sched_config of policy 1 are those of %s, not of the snapshot", q.SchedPriv[0]))
		}
		files.SchedPriv, files.Further = file.DirAt(q.SchedPriv[0]), nil
	}
	files.Partition = q.Partition
	if q.Queues != "" {
		files.OverrideQueues = input.Source(q.Queues, "--queues")
	}
	if q.Resources != "" {
		files.Resources = input.Source(q.Resources, "--resources")
	}
	for _, name := range q.Sched {
		files.Override = append(files.Override, input.Source(name, "--sched"))
	}
	if q.Nodes != "" {
		in.Nodes = input.Source(q.Nodes, "--nodes")
	}
	if q.Events != "" {
		in.Events = input.Source(q.Events, "--node-events")
	}
	if q.Jobs != "" {
		in.Lists = append(in.Lists, input.Source(q.Jobs, site.JobList))
	}
	said, err := in.readSite(q, files)
	remarks = append(remarks, said...)
	if err != nil {
		return remarks, err
	}
	pbssite.PlaceReservations(in.Site, reservations)
	if q.Usage == "" {
		return remarks, nil
	}
	in.usageFile = q.Usage
	in.Usage, said, err = pbssite.ReadUsage(q.Usage)
	return append(remarks, said...), err
}

// readSite reads the site of some files, with the formula in force.
func (in *Inputs) readSite(q site.Replaying, files pbs.Files) ([]diag.Remark, error) {
	var err error
	var remarks []diag.Remark
	if in.Site, remarks, err = files.Read(); err != nil {
		return nil, err
	}
	if in.Site.SchedPriv == nil {
		remarks = append(remarks, diag.Warningf("without a sched_priv (--sched-priv DIR) PBS's defaults stand for sched_config, and there is no fairshare"))
	}
	in.Site = in.Site.AtAnyTime(q.NonPrime)
	more, isKnown, err := in.Site.SetFormula("")
	if err != nil {
		return remarks, err
	}
	in.IsKnown = isKnown
	if q.NoFormula {
		in.Site = in.Site.WithFormula("")
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
	in.beside = sites
	s, more, err := in.Of(t, logs)
	return s, append(remarks, more...), err
}

// Of returns what policies are replayed on, of logs of which is read already what Keep says.
func (in *Inputs) Of(t *trace.Trace, logs *pbssite.Logs) (*Study, []diag.Remark, error) {
	if t.IsTorque() {
		return nil, nil, &diag.RequestError{Err: &pbs.TorqueError{Of: "the logs", Have: pbs.TorqueHistory}}
	}
	happens, remarks, err := logs.World(t, in.Events)
	if err != nil {
		return nil, remarks, err
	}
	var more []diag.Remark
	happens.Reservations, more, err = logs.Reservations(t, 0)
	remarks = append(remarks, more...)
	if err != nil {
		return nil, remarks, err
	}
	in.happens, in.logs, in.begin, in.end = happens, logs, t.Begin(), t.Last
	if in.Zone == nil {
		if in.Zone, err = logs.Zone(); err != nil {
			return nil, remarks, err
		}
	}
	s, more, err := in.Study(t)
	return s, append(remarks, more...), err
}

// Policies returns what to replay: the policy in force, and what is asked for.
func (in *Inputs) Policies(q site.Replaying, input *site.Input) ([]*Policy, []diag.Remark, error) {
	var policies []*Policy
	var remarks []diag.Remark
	hasFirst := in.IsKnown || q.NoFormula
	if hasFirst {
		p, more, err := InForce(in.Site, !q.NoFormula && !in.IsOther)
		if err != nil {
			return nil, nil, err
		}
		remarks = append(remarks, more...)
		policies = append(policies, p)
	}
	if q.Grid != nil { // which has the others
		return policies, remarks, nil
	}
	changes, err := changes(q, hasFirst, len(in.Site.Asked) > 0, input)
	if err != nil {
		return nil, remarks, err
	}
	for _, change := range changes {
		p, more, err := NewPolicy(change, in.Site)
		if err != nil {
			return nil, remarks, placed(change, err)
		}
		if len(policies) == 0 || change.SchedPriv != "" {
			remarks = append(remarks, more...)
		}
		remarks = append(remarks, in.traps(p)...)
		for _, r := range p.Site.Replaced {
			remarks = append(remarks, diag.Warningf("%v", r))
		}
		for _, idle := range p.Site.IdleChanges() {
			remarks = append(remarks, diag.Warningf("%s", idle))
		}
		policies = append(policies, p)
	}
	if len(policies) == 0 {
		return nil, remarks, diag.Requestf("no formula: give -f FORMULA, a snapshot or a --sched that tells which is in force, or --no-formula; if these are the jobs of sacct, name their Slurm site before them: formula replay SITE sacct.txt")
	}
	return policies, remarks, nil
}

// changes returns the new policies: of each formula and each further sched_priv one, with
// all settings, and those of files.
func changes(q site.Replaying, hasFirst, isAsked bool, input *site.Input) ([]study.Changes, error) {
	formulas, dirs := slices.Clone(q.Formulas), []string{""}
	if len(q.SchedPriv) > 1 {
		dirs = q.SchedPriv[1:]
	}
	if hasFirst && len(formulas) == 0 && (len(q.Settings) > 0 || isAsked && len(q.Files) == 0 || len(q.SchedPriv) > 1) {
		formulas = []string{""}
	}
	var changes []study.Changes
	for _, dir := range dirs {
		for _, formula := range formulas {
			changes = append(changes, study.Changes{Formula: formula, SchedPriv: dir, Settings: q.Settings})
		}
	}
	for _, name := range q.Files {
		change, err := study.ReadPolicy(input.Source(name, "--policy"))
		if err != nil {
			return nil, err
		}
		if dir := change.SchedPriv; dir != "" && !filepath.IsAbs(dir) {
			change.SchedPriv = filepath.Join(filepath.Dir(name), dir)
			change.Lines[change.SchedPriv] = change.Lines[dir]
		}
		changes = append(changes, change)
	}
	return changes, nil
}

// placed returns an error about a new policy as one about the line of its file, if a file asks for it.
func placed(c study.Changes, err error) error {
	var refused *order.FormulaError
	if errors.As(err, &refused) && c.From != "" {
		refused.Err = fmt.Errorf("%s: line %d: %w", c.From, c.Lines[c.Formula], refused.Err)
		return err
	}
	return c.Placed(err, c.SchedPriv)
}
