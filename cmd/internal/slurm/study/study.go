// Package study makes studies of Slurm sites: of what sacct tells of their jobs, and of
// policies that the engine in package sched runs.
package study

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/set"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/work"
)

// Study is a study of a Slurm site.
type Study struct {
	study.Study
	setup *sched.Setup
	swept int64         // when slurmctld computed the first priorities, 0 where nothing tells it
	jobs  []recordedJob // by their numbers in Work
}

// New returns the study of a site and of recorded jobs of it, of which there is at least one,
// without policies. The remarks say how the replays are made.
func New(setup *sched.Setup, record *record.Record) (*Study, []diag.Remark) {
	s := &Study{setup: setup, swept: record.Swept}
	kinds := map[kind]*sched.Job{}
	recorded := make([]recordedJob, len(record.Jobs))
	for i, x := range record.Jobs {
		recorded[i] = newRecordedJob(x.Job, kinds)
	}
	s.Study = study.New(work.New(record.Trace(), nil))
	s.jobs = make([]recordedJob, len(s.Work.Jobs))
	for i, j := range s.Work.Jobs {
		s.jobs[i] = recorded[j.Record]
		j.RanBefore(record.Jobs[j.Record].Lost())
	}
	s.Preempted = record.Preempted(setup)
	s.CPUs = cpusOf(setup)
	s.Nodes, s.Standard = len(setup.Nodes), figure.OfSlurm
	if setup.ClusterName != "" {
		s.Site = "Slurm cluster " + setup.ClusterName
	}
	s.On = fmt.Sprintf("%s with %s", report.Count(s.Nodes, "node"), report.Count(int(s.CPUs), "CPU"))
	s.Words = study.Words{Queue: "partition", Kinds: []string{"partition", "user", "account", "qos"}, Nodes: "nodes", Since: "when they came"}
	since := "the first submission"
	if s.swept > 0 {
		since = "slurmctld's start (BOOT_TIME)"
	}
	how := diag.Generalf("placement is that of select/cons_tres with whole cores; priorities are computed every %s from %s on", report.Duration(setup.Conf.CalcPeriod), since)
	return s, append(unmeasured(setup.Tree), how)
}

// Use makes policies those of the study: changed ones, and the one in force for nil. It returns
// remarks on them.
func (s *Study) Use(policies []*study.Changes) ([]diag.Remark, error) {
	var remarks []diag.Remark
	s.Policies = nil
	for _, c := range policies {
		if c == nil {
			s.Policies = append(s.Policies, &study.Policy{Name: "the site's policy", IsInForce: true, Runner: &runner{s, s.setup}})
			continue
		}
		p, more, err := s.policy(c)
		if err != nil {
			return remarks, err
		}
		s.Policies, remarks = append(s.Policies, p), append(remarks, more...)
	}
	return remarks, nil
}

// Formula returns "": Slurm has none.
func (s *Study) Formula() string { return "" }

// Try is Use, as a search calls it: of a cell that is as the site is there is nothing to say.
func (s *Study) Try(policies []*study.Changes) (first, all []diag.Remark, err error) {
	_, err = s.Use(policies)
	return nil, nil, err
}

// WasBefore returns the value that a setting has before it is another one, "" where it is not set or has no single value.
func (s *Study) WasBefore(name, other string) string {
	_, changes, err := set.ChangeSetup(s.setup, []string{name + "=" + other})
	if err != nil || len(changes) == 0 {
		return ""
	}
	return changes[len(changes)-1].Was
}

// Identify writes all that a replay depends on besides the jobs and what policies change.
func (s *Study) Identify(w io.Writer) {
	c, conf := s.setup, *s.setup.Conf
	for _, name := range slices.Sorted(maps.Keys(conf.Partitions)) {
		fmt.Fprintf(w, "%+v\n", *conf.Partitions[name])
	}
	conf.Partitions = nil // of which the places in memory tell nothing
	fmt.Fprintf(w, "%+v %+v %+v %+v\n", conf, *c.Cluster, c.Tree, c.Names)
	fmt.Fprintf(w, "%+v %+v %v %v %v %d %d %d %d %v %d\n", c.Accounts, c.QOS, c.PartitionQOS, c.IsSafe, c.Version, c.Interval, c.Depth, c.BatchDelay, c.KillWait, c.UsualCPUMemory, s.swept)
	fmt.Fprintf(w, "%v %d\n", c.NoRequeue, c.CredentialLife)
	fmt.Fprintf(w, "%+v %d %v %v %q %+v %+v\n", c.Threshold, c.PartitionDepth, c.WholeNodes, c.MayUse, c.Manager, c.Access, c.Licences)
	fmt.Fprintf(w, "%+v %+v\n", c.Outages, c.Reservations)
	if c.Backfill != nil {
		fmt.Fprintf(w, "%+v\n", *c.Backfill)
	}
	for i := range s.jobs {
		j := s.jobs[i].kind
		fmt.Fprintln(w, c.Partitions[j.Partition].Name, c.Names[j.Association], c.QOS[j.QOS].Name, j.Partitions, j.AnyQOS, j.Licences, *j.Request, j.Nice, j.Billing, j.TRES)
	}
}
