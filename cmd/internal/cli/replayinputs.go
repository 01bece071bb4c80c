package cli

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/study"
)

// formulas returns those of -f and -F.
func (c *replayCmd) formulas(s *session) ([]string, error) {
	formulas := slices.Clone([]string(c.Formula))
	for _, name := range c.File {
		text, err := (&formulaFlags{File: name}).read(s)
		if err != nil {
			return nil, err
		}
		formulas = append(formulas, text)
	}
	return formulas, nil
}

// inputs reads the site: that of the snapshot which the logs come from, with what
// flags name instead.
func (c *replayCmd) inputs(s *session) (*study.Inputs, error) {
	in := &study.Inputs{ClusterSpec: c.Cluster, AllNodes: c.AllNodes, ReportLag: c.ReportLag, StartLatency: c.StartLatency}
	if _, err := c.sources(s); err != nil { // which says what is wrong with the arguments
		return nil, err
	}
	var files pbs.Files
	before := ""
	for _, snap := range c.snapshots() {
		if before != "" {
			return nil, fail(exitUsage, "%s and %s are both a site, give one of them", before, snap.Name)
		}
		before = snap.Name
		s.say(snap.Remarks...)
		files, in.Nodes, in.Lists = snap.Files(), snap.Nodes(), snap.Jobs()
		in.Taken, _ = snap.Taken()
	}
	isOther := false
	if len(c.SchedPriv) > 0 {
		if isOther = files.SchedPriv.Name != ""; isOther {
			s.diag.Note("the tree and sched_config of policy 1 are those of %s, not of the snapshot", c.SchedPriv[0])
		}
		files.SchedPriv = file.DirAt(c.SchedPriv[0])
	}
	if c.Queues != "" {
		files.Queues = []file.Source{s.source(c.Queues, "--queues")}
	}
	if c.Resources != "" {
		files.Resources = s.source(c.Resources, "--resources")
	}
	for _, name := range c.Sched {
		files.Override = append(files.Override, s.source(name, "--sched"))
	}
	if c.Nodes != "" {
		in.Nodes = s.source(c.Nodes, "--nodes")
	}
	if c.Jobs != "" {
		in.Lists = append(in.Lists, s.source(c.Jobs, jobList))
	}
	site, remarks, err := files.Read()
	if err != nil {
		return nil, s.failed(err)
	}
	s.say(remarks...)
	if site.SchedPriv == nil {
		s.diag.Warning("without a sched_priv (--sched-priv DIR) PBS's defaults stand for sched_config, and there is no fairshare")
	}
	site.NonPrime = c.NonPrime
	in.Site = site
	remarks, isKnown, err := site.SetFormula("")
	if err != nil {
		return nil, failure{exitUnreadable, err}
	}
	s.say(remarks...)
	if in.IsKnown, in.IsOther = isKnown, isOther; c.NoFormula {
		site.Sched.Formula = ""
	}
	if c.Usage != "" {
		in.Usage, err = s.readUsage(c.Usage)
	}
	return in, err
}

// policies returns what to replay: the policy in force, and what the flags would change.
// A search makes its own of the latter.
func (c *replayCmd) policies(s *session, in *study.Inputs) ([]*study.Policy, error) {
	var policies []*study.Policy
	if in.IsKnown || c.NoFormula {
		p, remarks, err := study.InForce(in.Site, !c.NoFormula && !in.IsOther)
		if err != nil {
			return nil, err
		}
		s.say(remarks...)
		policies = append(policies, p)
	}
	if len(c.Vary) > 0 {
		return policies, nil
	}
	changes, err := c.changes(s, in.IsKnown || c.NoFormula)
	if err != nil {
		return nil, err
	}
	for _, change := range changes {
		p, remarks, err := change.New(in.Site)
		if err != nil {
			return nil, err
		}
		if len(policies) == 0 || change.SchedPriv != "" {
			s.say(remarks...)
		}
		for _, c := range p.Site.Changes {
			if strings.HasSuffix(c.Name, "backfill_depth") && !p.Site.Policy().StrictOrdering {
				s.diag.Warning("%s changes nothing while sched.strict_ordering is false", c.Name)
			}
		}
		policies = append(policies, p)
	}
	if len(policies) == 0 {
		return nil, fail(exitUsage, "no formula: give -f FORMULA, a snapshot or a --sched that tells which is in force, or --no-formula")
	}
	return policies, nil
}

// changes returns the new policies: of each formula and each further sched_priv one, with
// all settings, and those of files.
func (c *replayCmd) changes(s *session, isKnown bool) ([]study.Changes, error) {
	formulas, err := c.formulas(s)
	if err != nil {
		return nil, err
	}
	dirs := []string{""}
	if len(c.SchedPriv) > 1 {
		dirs = c.SchedPriv[1:]
	}
	if isKnown && len(formulas) == 0 && (len(c.Set) > 0 || len(c.SchedPriv) > 1) {
		formulas = []string{""}
	}
	var changes []study.Changes
	for _, dir := range dirs {
		for _, formula := range formulas {
			changes = append(changes, study.Changes{Formula: formula, SchedPriv: dir, Settings: c.Set})
		}
	}
	const most = 1 << 20
	for _, name := range c.Policy {
		text, err := s.source(name, "--policy").Text(most)
		if err != nil {
			return nil, s.failed(err)
		}
		change, err := study.ParsePolicy(text)
		if err != nil {
			return nil, fail(exitUsage, "%s: %w", name, err)
		}
		if change.SchedPriv != "" && !filepath.IsAbs(change.SchedPriv) {
			change.SchedPriv = filepath.Join(filepath.Dir(name), change.SchedPriv)
		}
		changes = append(changes, change)
	}
	return changes, nil
}

// defaultSeed is that of --seed unless it is given.
const defaultSeed = 1

// study reads the logs and returns what policies are replayed on. sites are those of the
// policies.
func (c *replayCmd) study(s *session, in *study.Inputs, zone *time.Location, sites []*pbs.Site) (*study.Study, error) {
	logs, err := c.sources(s)
	if err != nil {
		return nil, err
	}
	keep, err := in.Keep(sites...)
	if err != nil {
		return nil, failure{exitUnreadable, err}
	}
	t, err := c.read(s, logs, zone, keep)
	if err != nil {
		return nil, err
	}
	on, remarks, err := in.Study(t)
	s.say(remarks...)
	var request *study.RequestError
	var spec *cluster.SpecError
	switch {
	case errors.As(err, &request), errors.As(err, &spec):
		return nil, err
	case err != nil:
		return nil, failure{exitUnreadable, err}
	}
	on.Runs, on.Seed = c.Runs, defaultSeed
	if c.Seed != nil {
		on.Seed = *c.Seed
	}
	if c.Shake != nil {
		on.Shake = *c.Shake
	}
	return on, c.ask(s, on, zone)
}

// use makes policies those of a study and says what there is to say of them.
func (c *replayCmd) use(s *session, on *study.Study, policies []*study.Policy) error {
	remarks, err := on.Use(policies)
	s.say(remarks...)
	var spec *cluster.SpecError
	if errors.As(err, &spec) {
		return fail(exitUsage, "nodes.added=%w", err)
	}
	return err
}
