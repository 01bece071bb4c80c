package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/search"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/work"
)

type replayCmd struct {
	logFlags
	Formula   texts    `for:"pbs" slurm:"Slurm has weights in place of a formula (--set PriorityWeightAge=1000)" short:"f" placeholder:"FORMULA" help:"A new formula to replay beside the one in force; several may be given."`
	File      []string `for:"pbs" slurm:"Slurm has weights in place of a formula (--set PriorityWeightAge=1000)" short:"F" sep:"none" placeholder:"FILE" help:"Read a new formula from FILE; several may be given."`
	Policy    []string `sep:"none" placeholder:"FILE" help:"Read a new policy from FILE, which has lines of name, formula, sched-priv and set, each with its value; at a Slurm site also from a changed slurm.conf. Several may be given."`
	NoFormula bool     `for:"pbs" slurm:"Slurm has weights in place of a formula (--set PriorityWeightAge=1000)" help:"Replay without the formula in force: only the other keys order the jobs."`
	Set       []string `sep:"none" placeholder:"NAME=VALUE" help:"What if: for PBS server.backfill_depth=3, nodes.added=4x64:mem=256gb or walltime=1.2*used; for Slurm bf_window=2880, qos.high.MaxJobsPU=4 or the name of a changed slurm.conf; for both hep.shares=60. Of what qmgr sets, also +=, -= and NAME= (unset). May be repeated."`
	rulesFlag
	SchedPriv []string `for:"pbs" slurm:"a Slurm site is one folder or archive" sep:"none" placeholder:"DIR" help:"The scheduler's sched_priv, or any copy of it. Each further one is a new policy."`
	Partition string   `for:"pbs" slurm:"partitions of a Slurm site are its queues" placeholder:"NAME" help:"Of several schedulers: only the one of this partition, or of this name. Without it: all of them."`
	NonPrime  bool     `for:"pbs" help:"Use the settings for non-prime time."`
	Queues    string   `for:"pbs" slurm:"a Slurm site is one folder or archive" placeholder:"FILE" help:"Queues, as qstat -Qf prints them (text, JSON or DSV), or commands for qmgr to try, as for --sched."`
	Sched     []string `for:"pbs" slurm:"a Slurm site is one folder or archive" sep:"none" placeholder:"FILE" help:"Attributes of the server or the scheduler: qmgr's print or list of server or sched, or qstat -Bf; or commands for qmgr. What differs from the site is tried, as --set does. May be given more than once."`
	Resources string   `for:"pbs" slurm:"a Slurm site is one folder or archive" placeholder:"FILE" help:"The site's own resources, as qmgr -c 'list resource' prints them."`

	Cluster  string `for:"pbs" slurm:"the nodes of a Slurm site are those of scontrol show node" placeholder:"SPEC" xor:"cluster" help:"The cluster: NODESxCPUS[:mem=SIZE], several joined with +, or CPUS for one large node."`
	Nodes    string `for:"pbs" slurm:"the nodes of a Slurm site are those of scontrol show node" placeholder:"FILE" xor:"cluster" help:"The cluster as pbsnodes -av prints it, as text, JSON or DSV. Without it: the snapshot's."`
	Events   string `name:"node-events" placeholder:"FILE" help:"What happened to vnodes: CSV with time, vnode and state (up, down, offline, online, ncpus=8). Without it: what the server_logs of the snapshot tell. Of a Slurm site: what sacctmgr -P show event prints."`
	AllNodes bool   `for:"pbs" slurm:"the nodes of a Slurm site are those of scontrol show node" help:"Count nodes that are down or offline too."`

	Usage        string   `placeholder:"FILE" help:"Usage as it was at the beginning of the logs: the usage database or, of a Slurm site, what sshare -a -l -P or sshare --json printed then. Without it: rebuilt from that of the site."`
	Jobs         string   `for:"pbs" slurm:"sacct tells all that a replay reads of jobs" placeholder:"FILE" help:"A list of jobs with what the logs do not have: priorities, how many subjobs may run, eligible_time of those that wait. It is qstat -f, or CSV with Job_Id, Priority, max_run_subjobs, eligible_time."`
	ReportLag    *float64 `for:"pbs" placeholder:"SECONDS" help:"How old mom's reports of use are when the scheduler adds up usage (${lag}, or two fifths of a typical run if that is less)."`
	StartLatency *float64 `for:"pbs" placeholder:"SECONDS" help:"How long after its cycle a start is logged. Without it: estimated from the logs."`

	Runs   int      `default:"1" placeholder:"N" help:"Replay each policy N times, with arrivals and run times changed by some seconds, to tell differences from noise."`
	Seed   *uint64  `placeholder:"N" help:"The changes of --runs are made from this number (1). Another number makes other runs."`
	Shake  *int64   `placeholder:"SECONDS" help:"By how much arrivals and run times are changed at most (10, or a tenth of a typical run if that is less)."`
	FailIf []string `sep:"none" placeholder:"CONDITION" help:"Exit with status 1 if this condition holds for a new policy: 'p95(wait, queue=debug) > 1.1 * base'. May be given more than once."`
	searchFlags
	Calibrate bool `help:"Infer from the logs what the site does not say (latencies, limits, vnodes that were not used though jobs waited, strictness; of a Slurm site, under which settings it was made), and how well each fits. No replay uses it unless you give it with flags."`

	At      *momentFlag `placeholder:"TIME" help:"Print the queue and its order at TIME."`
	Explain string      `placeholder:"JOB" help:"Say what a job waited for until it started."`
	Why     bool        `help:"Sum up what jobs of each queue waited for."`
	Output  string      `short:"o" enum:"table,starts,csv,json,swf" default:"table" placeholder:"FORM" help:"What to print (${enum})."`
	Top     int         `default:"10" of:"table" placeholder:"N" help:"How many names of each kind the table shows (0: all)."`
	pageFlag
}

func (c *replayCmd) Run(s *session) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Collect {
		return c.collect(s)
	}
	at, err := openAs[site.Replayer](s, site.Names{Logs: c.Logs, Zone: c.TZ, WantsReplay: true})
	if err != nil {
		return err
	}
	grid, err := c.search(s, at.Setting)
	if err != nil {
		return err
	}
	if c.EmitJobArray {
		return c.emitJobArray(s, grid, at.Submitter())
	}
	conditions, err := c.conditions()
	if err != nil {
		return err
	}
	zone, err := zoneOf(at, c.TZ)
	if err != nil {
		return err
	}
	q, err := c.replaying(s, grid, zone)
	if err != nil {
		return err
	}
	s.keepsMuch() // of a long log much is kept
	on, err := at.Replay(s.ctx, q)
	if err != nil {
		return err
	}
	c.chance(on.Study)
	on.From = c.Logs
	if err := c.ask(s, on.Study, zone); err != nil {
		return err
	}
	if grid != nil {
		return c.runSearch(s, grid, on)
	}
	if err := on.Use(); err != nil {
		return err
	}
	if c.Calibrate {
		return c.calibrate(s, on)
	}
	on.NoFigures = c.tellsJobsAlone()
	if !on.NoFigures {
		if runs := float64(max(1, len(on.Policies)) * max(1, on.Runs)); on.Record != nil {
			s.progress.plan(1/(runs+1), runs/(runs+1))
		}
		if err := judgeRules(s, on); err != nil {
			return err
		}
	}
	return c.compare(s, on.Study, conditions, zone)
}

// tellsJobsAlone reports whether nothing that is printed depends on figures, nor on how far the record bears the rules out: to find out
// both takes longer than a replay.
func (c *replayCmd) tellsJobsAlone() bool {
	if c.At != nil || c.Explain != "" {
		return true
	}
	isOfJobs := c.Output == "starts" || c.Output == "swf"
	return isOfJobs && c.HTML == nil && len(c.FailIf) == 0
}

// replaying returns what the flags ask for.
func (c *replayCmd) replaying(s *session, grid *search.Grid, zone *time.Location) (q site.Replaying, err error) {
	q = site.Replaying{
		Zone: zone, Files: c.Policy, SchedPriv: c.SchedPriv, Settings: c.settings(c.Set), NoFormula: c.NoFormula, NonPrime: c.NonPrime, Grid: grid,
		Partition: c.Partition, Queues: c.Queues, Resources: c.Resources, Sched: c.Sched, Jobs: c.Jobs, Usage: c.Usage, Nodes: c.Nodes, Events: c.Events, Cluster: c.Cluster, AllNodes: c.AllNodes,
		ReportLag: c.ReportLag, StartLatency: c.StartLatency, Calibrate: c.Calibrate, Top: c.Top,
	}
	if grid == nil { // which has them
		q.Formulas, err = c.formulas(s)
	}
	return q, err
}

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

// calibrate prints what the record shows of what the site does not say.
func (c *replayCmd) calibrate(s *session, on *site.Study) error {
	found, err := on.Calibrate(s.ctx)
	switch {
	case err != nil:
		return err
	case c.Output == "json":
		return s.encode(found.JSON)
	}
	return found.Print(s.printer())
}

// rules implements ruled.
func (c *replayCmd) rules() []rule {
	return append([]rule{
		{of: "shake seed", needs: "runs", says: "--shake and --seed change nothing in a single run: give --runs N"},
		{of: "at", not: "explain", says: "--at and --explain are two things to ask, give one of them"},
		{of: "runs", not: "output=starts", says: "--output starts prints a single run, without --runs"},
		{of: "calibrate", not: "formula file policy set", says: "--calibrate is of the policy in force, without -f, -F, --policy and --set"},
		{of: "at explain", not: "output runs fail-if html calibrate", says: "--at and --explain print a table of one run, without --output, --runs, --fail-if, --html and --calibrate"},
		{of: "calibrate", not: "output=starts output=csv output=swf html fail-if runs", says: "--calibrate prints a table or JSON, without --runs, --fail-if and --html"},
		{of: "why", not: "at explain output=starts output=csv output=swf", says: "--why is of a replay that runs freely, as a table or JSON, without --at and --explain"},
		{of: "no-formula", not: "formula file", says: "--no-formula cannot be combined with -f and -F"},
	}, searchRules()...)
}

// check returns what is wrong with the values of flags.
func (c *replayCmd) check() error {
	const longest = 1e6 // seconds
	isWrong := func(x *float64) bool { return x != nil && !(*x >= 0 && *x <= longest) }
	const mostRuns = 10_000
	switch {
	case isWrong(c.ReportLag) || isWrong(c.StartLatency):
		return fail(exitUsage, "--report-lag and --start-latency need seconds from 0 to %.0f", longest)
	case c.Runs < 1 || c.Runs > mostRuns:
		return fail(exitUsage, "--runs needs a number from 1 to %d", mostRuns)
	case c.Shake != nil && !(*c.Shake >= 0 && *c.Shake <= longest):
		return fail(exitUsage, "--shake needs seconds from 0 to %.0f", longest)
	case c.Parts < 0:
		return fail(exitUsage, "%s", partsOfArray)
	case len(c.Vary) > 0 && len(c.SchedPriv) > 1:
		return fail(exitUsage, "%s", notInSearch)
	}
	return nil
}

// conditions returns those of --fail-if.
func (c *replayCmd) conditions() ([]*figure.Condition, error) {
	var list []*figure.Condition
	for _, text := range c.FailIf {
		condition, err := figure.ParseCondition(text)
		if err != nil {
			return nil, fmt.Errorf("--fail-if: %w", err)
		}
		list = append(list, condition)
	}
	return list, nil
}

// ask sets what is asked about a replay.
func (c *replayCmd) ask(s *session, on *study.Study, zone *time.Location) error {
	o := &on.Wanted
	o.KeepVnodes, o.KeepWhy = c.Output == "starts", c.Why
	if c.At != nil {
		at, err := c.At.In(zone)
		if err != nil {
			return err
		}
		remarks, err := moment.Check(at.Unix(), on.Work.First, on.Work.Last, zone)
		s.say(remarks...)
		if err != nil {
			return err
		}
		o.Until = float64(at.Unix())
	}
	if c.Explain != "" {
		at := slices.IndexFunc(on.Work.Jobs, func(j *work.Job) bool { return j.ID == c.Explain || strings.HasPrefix(j.ID, c.Explain+".") })
		if at < 0 {
			return fail(exitUsage, "the logs have no job %s that could run", c.Explain)
		}
		o.Watch = int32(at)
	}
	return nil
}

// chance sets how many runs of each policy are made, and how far they differ.
func (c *replayCmd) chance(on *study.Study) {
	on.Runs = c.Runs
	if c.Seed != nil {
		on.Seed = *c.Seed
	}
	if c.Shake != nil {
		on.Shake = *c.Shake
	}
}

// run replays a study, and tells how far it is. An interrupt ends it early.
func (c *replayCmd) run(s *session, on *study.Study, steps func(part, all float64)) ([]*study.Measured, error) {
	on.Progress = steps
	all, err := on.Run(s.ctx)
	s.progress.end()
	var limit *pbs.LimitError
	isNew := len(on.Policies) > 1 || len(c.Vary) > 0
	switch {
	case errors.As(err, &limit) && isNew:
		return nil, failure{exitUsage, err}
	case errors.As(err, &limit):
		return nil, failure{exitUnreadable, err}
	case err != nil:
		return nil, err
	}
	s.isCut = s.isCut || slices.ContainsFunc(all, func(m *study.Measured) bool { return m.IsCut })
	return all, nil
}

// compare replays the policies and prints what was asked for of them.
func (c *replayCmd) compare(s *session, on *study.Study, conditions []*figure.Condition, zone *time.Location) error {
	if !on.NoFigures {
		on.Figures = slices.Clone(on.Standard)
	}
	for _, condition := range conditions {
		remarks, err := on.CheckNames(condition.Figures)
		if s.say(remarks...); err != nil {
			return err
		}
		for _, f := range condition.Figures {
			on.Ask(f)
		}
	}
	all, err := c.run(s, on, s.progress.begin("runs"))
	if err != nil {
		return err
	}
	if c.At == nil && c.Explain == "" {
		s.say(on.Caveats(all, zone)...)
	}
	var verdicts []study.Verdict
	if s.isCut && len(conditions) > 0 {
		s.diag.Say(diag.Warningf("the conditions of --fail-if are not judged, since not all runs were made").OfAsked())
	} else if verdicts, err = on.Judge(all, conditions); err != nil {
		return err
	}
	if err := c.print(s, &replayReport{on, all, on.Compare(all), verdicts, zone}); err != nil {
		return err
	}
	fails := false
	for _, v := range verdicts {
		if v.Holds {
			fails = true
			s.diag.Warning("policy %d fails: %s, in %d of %s", v.Policy, v.Condition.Text, v.HoldsIn, report.Count(v.Runs, "run"))
		}
	}
	if fails {
		return failure{code: exitDiffers}
	}
	return nil
}

// replayReport is what is printed of replays.
type replayReport struct {
	on       *study.Study
	all      []*study.Measured // the first is what was observed
	compared *study.Comparison
	verdicts []study.Verdict
	zone     *time.Location
}
