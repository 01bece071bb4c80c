package cli

import (
	"errors"
	"slices"
	"time"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbssite"
	"fairshare/cmd/internal/pbsstudy"
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

// inputs reads the site of the logs, with what flags name instead.
func (c *replayCmd) inputs(s *session, logs *pbssite.Logs) (*pbsstudy.Inputs, error) {
	in := &pbsstudy.Inputs{ClusterSpec: c.Cluster, AllNodes: c.AllNodes, KeepPlaces: c.Calibrate, ReportLag: c.ReportLag, StartLatency: c.StartLatency}
	names := pbsstudy.Names{Queues: c.Queues, Resources: c.Resources, Nodes: c.Nodes, Jobs: c.Jobs, Usage: c.Usage, Events: c.Events, Sched: c.Sched, NonPrime: c.NonPrime, NoFormula: c.NoFormula}
	if len(c.SchedPriv) > 0 {
		names.SchedPriv = c.SchedPriv[0]
	}
	remarks, err := in.Read(names, logs, s.in)
	s.say(remarks...)
	if err != nil {
		return nil, s.failed(err)
	}
	return in, nil
}

// policies returns what to replay: the policy in force, and what the flags would change.
func (c *replayCmd) policies(s *session, in *pbsstudy.Inputs) ([]*pbsstudy.Policy, error) {
	asked := pbsstudy.Asked{Settings: c.Set, Files: c.Policy, NoFormula: c.NoFormula, IsSearch: len(c.Vary) > 0}
	if len(c.SchedPriv) > 0 {
		asked.SchedPriv = c.SchedPriv[1:]
	}
	var err error
	if !asked.IsSearch { // which has read them
		if asked.Formulas, err = c.formulas(s); err != nil {
			return nil, err
		}
	}
	policies, remarks, err := in.Policies(asked, s.in)
	s.say(remarks...)
	return policies, err
}

// study reads the logs and returns what policies are replayed on. sites are those of the
// policies.
func (c *replayCmd) study(s *session, in *pbsstudy.Inputs, logs *pbssite.Logs, zone *time.Location, sites []*pbs.Site) (*pbsstudy.Study, error) {
	on, remarks, err := in.Load(logs, sites...)
	s.say(remarks...)
	if err != nil {
		return nil, err
	}
	c.chance(&on.Study)
	return on, c.ask(s, &on.Study, zone)
}

// use makes policies those of a study and says what there is to say of them.
func (c *replayCmd) use(s *session, on *pbsstudy.Study, policies []*pbsstudy.Policy) error {
	remarks, err := on.Use(policies)
	s.say(remarks...)
	var spec *cluster.SpecError
	if errors.As(err, &spec) {
		return fail(exitUsage, "nodes.added=%w", err)
	}
	return err
}
