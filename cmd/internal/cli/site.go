package cli

import (
	"math"
	"slices"
	"time"

	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/site"
)

// siteFlags name a site in one place.
type siteFlags struct {
	Snapshot string        `placeholder:"SITE" help:"A site in one place: what pbs_snapshot writes (.tgz or directory), a sched_priv, or a directory of recorded files."`
	Live     bool          `help:"Ask the PBS, Slurm or flux site of this host."`
	Server   string        `for:"pbs" placeholder:"NAME" help:"Ask this PBS server; implies --live."`
	Timeout  time.Duration `default:"30s" placeholder:"TIME" help:"How long each of the scheduler's commands may take (${default})."`
}

// names returns what the flags and the argument name.
func (c *siteFlags) names(argument string) site.Names {
	return site.Names{Argument: argument, Snapshot: c.Snapshot, Live: c.Live, Server: c.Server, Timeout: c.Timeout}
}

// isEmpty reports whether no site is named.
func (c *siteFlags) isEmpty() bool { return c.Snapshot == "" && !c.Live && c.Server == "" }

// placeFlags say where a site and its jobs are.
type placeFlags struct {
	siteFlags
	Jobs      string   `for:"pbs" slurm:"a Slurm site is one folder or archive" placeholder:"FILE" help:"The job list (- is standard input)."`
	From      string   `for:"pbs" enum:"auto,json,text,dsv,csv,jsonl" default:"auto" placeholder:"FORMAT" help:"How the job list is written (${enum})."`
	Queues    string   `for:"pbs" slurm:"a Slurm site is one folder or archive" placeholder:"FILE" help:"Queues, as qstat -Qf prints them (text, JSON or DSV), or commands for qmgr to try, as for --sched."`
	Resources string   `for:"pbs" slurm:"a Slurm site is one folder or archive" placeholder:"FILE" help:"The site's own resources, as qmgr -c 'list resource' prints them."`
	Sched     []string `for:"pbs" slurm:"a Slurm site is one folder or archive" sep:"none" placeholder:"FILE" help:"Attributes of the server or the scheduler: qmgr's print or list of server or sched, or qstat -Bf; or commands for qmgr, or lines of a sched_config. What differs from the site is tried, as --set does. May be given more than once."`
}

// names returns what the flags and the argument name.
func (c *placeFlags) names(argument string) site.Names {
	n := c.siteFlags.names(argument)
	n.Jobs, n.Format, n.Queues, n.Resources, n.Sched = c.Jobs, c.From, c.Queues, c.Resources, c.Sched
	return n
}

// partitionFlag names one of several schedulers.
type partitionFlag struct {
	Partition string `for:"pbs" slurm:"partitions of a Slurm site are its queues" placeholder:"NAME" help:"Of several schedulers: the one of this partition, or of this name. Without it: the default one."`
}

// of returns names of the scheduler that the flag names.
func (c *partitionFlag) of(names site.Names) site.Names {
	names.Partition = c.Partition
	return names
}

// formulaFlags name the formula to work on.
type formulaFlags struct {
	Formula string `for:"pbs" slurm:"Slurm has no job_sort_formula" short:"f" placeholder:"FORMULA" xor:"formula" help:"The formula. Without it: the one in force."`
	File    string `for:"pbs" slurm:"Slurm has no job_sort_formula" short:"F" placeholder:"FILE" xor:"formula" help:"Read the formula from FILE (- is standard input)."`
}

// read returns the formula that the flags name, "" if they name none.
func (f *formulaFlags) read(s *session) (string, error) {
	if f.File == "" {
		return f.Formula, nil
	}
	from := s.in.Source(f.File, "the formula")
	text, err := pbs.ReadFormula(from)
	if err != nil {
		return "", s.failed(err)
	}
	if text == "" {
		return "", fail(exitUsage, "%s has no formula", from.Name)
	}
	return text, nil
}

// errNoFormula is for commands that take the formula from no other place.
var errNoFormula = fail(exitUsage, "no formula: give -f FORMULA or -F FILE")

// privFlag names the sched_priv.
type privFlag struct {
	SchedPriv string `for:"pbs" slurm:"a Slurm site is one folder or archive" placeholder:"DIR" help:"The scheduler's sched_priv, or any copy of it: fairshare tree and settings."`
}

// rulesFlag is of which version of a scheduler the rules are.
type rulesFlag struct {
	Rules string `for:"slurm" pbs:"PBS is replayed by the rules of one version" flux:"flux is computed by the rules of one version" placeholder:"VERSION" help:"What if: the rules of another version of Slurm, such as 24.11, to see what an update will change."`
}

// settings returns settings with the rules that are asked for.
func (c *rulesFlag) settings(of []string) []string {
	if c.Rules == "" {
		return of
	}
	return append(slices.Clone(of), "SLURM_VERSION="+c.Rules)
}

// policyFlags are settings of the scheduler that no file says or that are to be
// tried.
type policyFlags struct {
	Threshold *float64 `for:"pbs" slurm:"Slurm has no job_sort_formula" placeholder:"X" help:"job_sort_formula_threshold: jobs whose value is at or below it are not considered."`
	NoFormula bool     `for:"pbs" slurm:"Slurm has no job_sort_formula" help:"Sort without a formula: only the other keys order the jobs."`
	Static    bool     `for:"pbs" help:"Assume that no job starts, so that nobody's usage grows."`
	AllStart  bool     `for:"pbs" help:"Assume that every job starts, also where the vnodes tell which do in a cycle right now."`
	NonPrime  bool     `for:"pbs" help:"Use the settings for non-prime time."`
	Set       []string `sep:"none" placeholder:"NAME=VALUE" help:"What if: for PBS bob.usage=0 or queue.highq.priority=200; for Slurm PriorityWeightFairshare=20000, job.57.nice=100 or the name of a changed slurm.conf; for both hep.shares=60. Of what qmgr sets, also +=, -= and NAME= (unset). May be repeated."`
	rulesFlag
	Workers int `hidden:"" name:"workers" help:"Parse and evaluate with this many workers."`
}

// check returns what is wrong with the flags by themselves.
func (c *policyFlags) check() error {
	if c.Workers < 0 {
		return fail(exitUsage, "--workers needs a number that is not negative")
	}
	if c.Static && c.AllStart {
		return fail(exitUsage, "--static takes no job to start, and --all-start each: give one of them")
	}
	if c.Threshold != nil && math.IsNaN(*c.Threshold) {
		return fail(exitUsage, "--threshold needs a number")
	}
	return nil
}

// policy returns what the flags say, and a formula that is given.
func (c *policyFlags) policy(formula string) (site.Policy, error) {
	if c.NoFormula && formula != "" {
		return site.Policy{}, fail(exitUsage, "--no-formula cannot be combined with -f or -F")
	}
	return site.Policy{Formula: formula, NoFormula: c.NoFormula, Threshold: c.Threshold, Static: c.Static, AllStart: c.AllStart, NonPrime: c.NonPrime, Settings: c.settings(c.Set), Workers: c.Workers}, nil
}

// queueFlags are those of a command that orders jobs by one formula.
type queueFlags struct {
	formulaFlags
	placeFlags
	privFlag
	policyFlags
}

// names returns what the flags and the argument name.
func (c *queueFlags) names(argument string) site.Names {
	n := c.placeFlags.names(argument)
	n.SchedPriv = c.SchedPriv
	return n
}

// zoneOf returns the time zone of a site, where its texts may tell it, or else that of a name, this machine's for "".
func zoneOf(at any, name string) (*time.Location, error) {
	if of, ok := at.(site.Zoned); ok {
		return of.Zone()
	}
	return moment.Zone(name)
}

// queueOf returns the site that the flags and the argument name, as something that has an ability, and the
// policy that it shall be under.
func queueOf[A any](s *session, c *queueFlags, names site.Names) (at A, p site.Policy, err error) {
	if err = c.check(); err != nil {
		return at, p, err
	}
	names.WantsJobs = true
	if at, err = openAs[A](s, names); err != nil {
		return at, p, err
	}
	p, err = c.policy(s)
	return at, p, err
}

// policy returns what the flags say.
func (c *queueFlags) policy(s *session) (site.Policy, error) {
	formula, err := c.read(s)
	if err != nil {
		return site.Policy{}, err
	}
	p, err := c.policyFlags.policy(formula)
	p.Format = c.From
	return p, err
}
