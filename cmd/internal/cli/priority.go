package cli

import (
	"cmp"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm"
)

type priorityCmd struct {
	SlurmConf string      `placeholder:"FILE" help:"slurm.conf: weights, flags, nodes and partitions."`
	Flux      bool        `help:"The jobs are flux's, as flux jobs --json prints them."`
	List      string      `arg:"" optional:"" help:"A folder or .tgz of what the commands of Slurm or flux print. With --slurm-conf: a job list as scontrol show job prints it; with --flux: one as flux jobs --json prints it; for both, - or nothing is standard input."`
	Jobs      string      `placeholder:"FILE" help:"The job list, instead of the argument."`
	Shares    string      `placeholder:"FILE" help:"The tree, as sshare -a -l -P or flux prints it."`
	QOS       string      `name:"qos" placeholder:"FILE" help:"The priorities of the QOS, as sacctmgr -P show qos format=name,priority prints them."`
	Set       []string    `sep:"none" placeholder:"NAME=VALUE" help:"With --flux: the priority of a queue or a bank, or a weight, such as queue.gpu=10, bank.physics=50 or weight.urgency=500. May be given more than once."`
	At        *momentFlag `placeholder:"TIME" help:"The time for which the age of jobs is computed, such as 2026-11-21T10:00:00Z or seconds since 1970. Without it: now."`
	Top       int         `placeholder:"N" help:"Print only the first N."`
	User      []string    `placeholder:"NAME" help:"Print only this user's jobs; several may be given."`
	Output    string      `short:"o" enum:"table,json,csv" default:"table" placeholder:"FORM" help:"What to print (${enum})."`
}

func (c *priorityCmd) Run(s *session) error {
	if c.Flux {
		return c.ofFlux(s)
	}
	if len(c.Set) > 0 {
		return fail(exitUsage, "--set goes with --flux here; formula compare SITE --set shows what changes at a site")
	}
	if c.SlurmConf == "" {
		return c.ofSite(s)
	}
	files := slurm.Files{Conf: c.SlurmConf, QOS: c.QOS, Shares: c.Shares}
	conf, remarks, err := files.ReadConf()
	s.say(remarks...)
	if err != nil {
		return s.failed(err)
	}
	now := time.Now()
	if c.At != nil {
		if now, err = c.At.In(time.Local); err != nil {
			return err
		}
	}
	cluster, remarks, err := files.Cluster(conf, now)
	s.say(remarks...)
	if err != nil {
		return s.failed(err)
	}
	from, err := c.jobs(s)
	if err != nil {
		return err
	}
	jobs, remarks, err := slurm.ReadJobs(from, time.Local)
	s.say(remarks...)
	if err != nil {
		return s.failed(err)
	}
	r := cluster.Rank(jobs)
	s.say(r.Remarks()...)
	if r.AllEarly() {
		s.diag.Hint("--at gives the time, and TZ the zone of the times in the list")
	}
	s.say(cluster.Remarks(r)...)
	if c.QOS != "" && c.Shares != "" && !s.partly {
		s.say(cluster.UnexplainedRemarks(r)...)
	}
	return s.printSheet(c.Output, r.Sheet(c.User, c.Top))
}

// ofSite prints the priorities of a site in one place.
func (c *priorityCmd) ofSite(s *session) error {
	if c.List == "" {
		return fail(exitUsage, "name a folder or an archive of what the commands of Slurm print, or slurm.conf with --slurm-conf FILE")
	}
	at, err := openAs[site.Prioritizer](s, site.Names{Argument: c.List})
	if err != nil {
		return err
	}
	if c.Shares != "" || c.QOS != "" || c.Jobs != "" || c.At != nil {
		return fail(exitUsage, "%s is a whole site: leave out --shares, --qos, --jobs and --at", c.List)
	}
	sheet, err := at.Priorities(s.ctx, c.User, c.Top)
	if err != nil {
		return err
	}
	return s.printSheet(c.Output, sheet)
}

// jobs returns the job list that the argument or --jobs names, standard input without them.
func (c *priorityCmd) jobs(s *session) (file.Source, error) {
	if c.List != "" && c.Jobs != "" {
		return file.Source{}, fail(exitUsage, "%s and --jobs %s both name a job list, give one of them", c.List, c.Jobs)
	}
	return s.in.Source(cmp.Or(c.List, c.Jobs, "-"), site.JobList), nil
}
