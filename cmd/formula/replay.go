package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fairshare/cmd/internal/accrual"
	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/replay"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

type replayCmd struct {
	logFlags
	Formula   texts    `short:"f" placeholder:"FORMULA" help:"A new formula to replay beside the one in force; several may be given."`
	NoFormula bool     `help:"Replay without the formula in force, by the other keys alone."`
	Set       []string `sep:"none" placeholder:"NAME=VALUE" help:"What if: group1.shares=60, sched.strict_ordering=true, server.backfill_depth=3, server.max_run=[u:PBS_GENERIC=4]. May be given more than once."`
	privFlag
	NonPrime  bool     `help:"Use the settings for non-prime time."`
	Queues    string   `placeholder:"FILE" help:"Queues, as qstat -Qf prints them (text or JSON)."`
	Sched     []string `sep:"none" placeholder:"FILE" help:"Attributes of the server or the scheduler: qmgr's print or list of server or sched, or qstat -Bf. May be given more than once."`
	Resources string   `placeholder:"FILE" help:"The site's own resources, as qmgr -c 'list resource' prints them."`

	Cluster  string `placeholder:"SPEC" xor:"cluster" help:"The cluster: NODESxCPUS[:mem=SIZE], several with +, or CPUS for one large node."`
	Nodes    string `placeholder:"FILE" xor:"cluster" help:"The cluster as pbsnodes -av prints it, as text, JSON or DSV; else the snapshot's."`
	AllNodes bool   `help:"Count nodes that are down or offline too."`

	Usage        string   `placeholder:"FILE" help:"The usage database at the begin of the logs."`
	Jobs         string   `placeholder:"FILE" help:"What logs do not tell of jobs, their priority and how many subjobs may run: qstat -f, or CSV with Job_Id, Priority, max_run_subjobs."`
	ReportLag    *float64 `placeholder:"SECONDS" help:"How old the reports of use are when the scheduler accrues (${lag}, or two fifths of a typical run)."`
	StartLatency *float64 `placeholder:"SECONDS" help:"How long after its cycle a start is logged; else as the logs show."`
	Cycles       string   `placeholder:"FILE" help:"The scheduler's cycles as recorded (CSV), with what it knew of the jobs that ran: exact."`

	At      *moment `placeholder:"TIME" help:"Print the queue and its order at TIME."`
	Explain string  `placeholder:"JOB" help:"Say what a job waits for until it starts."`
	Output  string  `short:"o" enum:"table,starts,csv,json,swf" default:"table" placeholder:"FORM" help:"What to print (${enum})."`
	Top     int     `default:"10" placeholder:"N" help:"How many names of each kind the table has (0: all)."`
}

// policy is one of those that are replayed.
type policy struct {
	name      string
	isInForce bool // whether it is the one that was, as far as is known
	site      *pbs.Site
	plan      *order.Plan
	result    *replay.Result
}

// replaySource is what replays are made of.
type replaySource struct {
	site    *pbs.Site
	nodes   file.Source
	lists   []file.Source // of jobs
	taken   time.Time
	isKnown bool // whether it is known which formula is in force
}

func (c *replayCmd) Run(s *session) error {
	if err := c.check(); err != nil {
		return err
	}
	zone, err := c.zone()
	if err != nil {
		return err
	}
	from, err := c.source(s)
	if err != nil {
		return err
	}
	policies, err := c.policies(s, from)
	if err != nil {
		return err
	}
	debug.SetGCPercent(30) // of a long log much is kept
	work, err := c.work(s, from, zone)
	if err != nil {
		return err
	}
	for _, p := range policies {
		remarks, err := p.plan.CheckNames(work.Requested())
		if err != nil {
			return err
		}
		s.say(remarks...)
	}
	nodes, err := c.cluster(s, from)
	if err != nil {
		return err
	}
	options, err := c.options(s, from, work, zone)
	if err != nil {
		return err
	}
	if err := work.Check(nodes); err != nil {
		return failure{exitUnreadable, err}
	}
	if err := c.run(s, policies, work, nodes, options); err != nil {
		return err
	}
	return c.print(s, policies, work, nodes, options, zone)
}

// check returns what is wrong with the flags by themselves.
func (c *replayCmd) check() error {
	const longest = 1e6 // seconds
	isWrong := func(x *float64) bool { return x != nil && !(*x >= 0 && *x <= longest) }
	switch {
	case c.Top < 0:
		return fail(exitUsage, "--top needs a number that is not negative")
	case isWrong(c.ReportLag) || isWrong(c.StartLatency):
		return fail(exitUsage, "--report-lag and --start-latency need seconds from 0 to %.0f", longest)
	case c.At != nil && c.Explain != "":
		return fail(exitUsage, "--at and --explain are two things to ask, give one of them")
	case c.At != nil && c.Cycles != "":
		return fail(exitUsage, "--at asks about a replay that runs freely, without --cycles")
	case (c.At != nil || c.Explain != "") && c.Output != "table":
		return fail(exitUsage, "--at and --explain print a table, without --output")
	case c.NoFormula && len(c.Formula) > 0:
		return fail(exitUsage, "--no-formula cannot be combined with -f")
	}
	return nil
}

// source reads the site: that of the snapshot which the logs come from, with what
// flags name instead.
func (c *replayCmd) source(s *session) (*replaySource, error) {
	from := &replaySource{}
	var files pbs.Files
	for snap := range c.snapshots() {
		s.say(snap.Remarks...)
		files, from.nodes, from.lists = snap.Files(), snap.Nodes(), snap.Jobs()
		from.taken, _ = snap.Taken()
	}
	if c.SchedPriv != "" {
		files.SchedPriv = file.DirAt(c.SchedPriv)
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
		from.nodes = s.source(c.Nodes, "--nodes")
	}
	if c.Jobs != "" {
		from.lists = append(from.lists, s.source(c.Jobs, jobList))
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
	from.site = site
	remarks, isKnown, err := site.SetFormula("")
	if err != nil {
		return nil, failure{exitUnreadable, err}
	}
	s.say(remarks...)
	if from.isKnown = isKnown; c.NoFormula {
		site.Sched.Formula, from.isKnown = "", true
	}
	return from, nil
}

// policies returns what to replay: the policy in force, and what the flags would change.
func (c *replayCmd) policies(s *session, from *replaySource) ([]*policy, error) {
	var policies []*policy
	add := func(name string, site *pbs.Site) error {
		plan, remarks, err := order.NewPlan(site, order.Options{})
		if err != nil {
			return err
		}
		if len(policies) == 0 {
			s.say(remarks...)
		}
		policies = append(policies, &policy{name: name, isInForce: site == from.site && !c.NoFormula, site: site, plan: plan})
		return nil
	}
	if from.isKnown {
		name := "in force: " + describeFormula(from.site)
		if c.NoFormula {
			name = describeFormula(from.site)
		}
		if err := add(name, from.site); err != nil {
			return nil, err
		}
	}
	changed, err := from.site.WithReplayed(c.Set)
	if err != nil {
		return nil, fail(exitUsage, "--set %w", err)
	}
	for _, formula := range c.Formula {
		site := *changed
		site.Sched.Formula = formula
		if err := add(describeFormula(&site), &site); err != nil {
			return nil, err
		}
	}
	if len(c.Set) > 0 && len(c.Formula) == 0 && from.isKnown {
		if err := add(describeFormula(changed), changed); err != nil {
			return nil, err
		}
	}
	if len(policies) == 0 {
		return nil, fail(exitUsage, "no formula: give -f FORMULA, a snapshot or a --sched that tells which is in force, or --no-formula")
	}
	return policies, nil
}

// describeFormula returns the formula of a site and what was changed.
func describeFormula(site *pbs.Site) string {
	text := cmp.Or(site.Sched.Formula, "no formula")
	for _, change := range site.Changes {
		text += ", " + change.String()
	}
	return text
}

// work reads the logs and what else is known of the jobs.
func (c *replayCmd) work(s *session, from *replaySource, zone *time.Location) (*replay.Work, error) {
	logs, err := c.sources(s)
	if err != nil {
		return nil, err
	}
	keep := trace.Keep{Requests: true}
	entity := from.site.Entity()
	if from.site.Policy().FairShare {
		if keep.Used, err = accrual.Resources(from.site.SchedPriv.Config); err != nil {
			return nil, failure{exitUnreadable, err}
		}
		if !accrual.IsInLogs(entity) {
			s.diag.Warning("accounting logs do not tell the entity %s: GROUP:USER stands for it", entity)
		}
	}
	t, err := c.read(s, logs, zone, keep)
	if err != nil {
		return nil, err
	}
	known := map[string]replay.Known{}
	for _, list := range from.lists {
		remarks, err := replay.ReadKnown(list, known)
		if err != nil {
			return nil, unreadable(list.Name, err)
		}
		s.say(remarks...)
	}
	work := replay.NewWork(t, entity, known)
	switch {
	case len(work.Jobs) == 0:
		return nil, fail(exitUnreadable, "there is no job in the logs to replay")
	case work.NeverArrived > 0:
		s.diag.Note("left out: %s that could never run: held, or deleted before", report.Count(work.NeverArrived, "job"))
	}
	s.diag.Note("what logs do not tell and a replay lacks: nodes that failed, reservations, hooks, %s", lacks(from))
	return work, nil
}

// lacks names what the lists of jobs would tell.
func lacks(from *replaySource) string {
	if len(from.lists) > 0 {
		return "priorities of jobs that have left the lists"
	}
	return "priorities of jobs (--jobs FILE)"
}

// cluster returns the cluster that flags or the snapshot describe.
func (c *replayCmd) cluster(s *session, from *replaySource) (*cluster.Cluster, error) {
	site := from.site
	checks := cluster.Checks{Types: site.Resources, Flags: site.Flags, Defaults: site.Sched.Server.Of("default_chunk"), SortKeys: site.Policy().NodeSortKeys}
	if site.SchedPriv != nil {
		checks.Resources = site.SchedPriv.Config.Resources
	}
	if c.Cluster != "" {
		nodes, err := cluster.ParseSpec(c.Cluster, checks)
		if err != nil {
			return nil, fail(exitUsage, "--cluster %w", err)
		}
		return nodes, nil
	}
	if !from.nodes.IsGiven() {
		return nil, fail(exitUsage, "which cluster? Give --cluster NODESxCPUS, --nodes FILE with what pbsnodes -av prints, or a snapshot that has that")
	}
	const most = 1 << 30
	text, err := from.nodes.Text(most)
	if err != nil {
		return nil, s.failed(err)
	}
	nodes, err := cluster.Parse(text, checks, c.AllNodes)
	if err != nil {
		return nil, unreadable(from.nodes.Name, err)
	}
	if n := len(nodes.LeftOut); n > 0 {
		s.diag.Note("%s down or offline when pbsnodes was asked, which do not count (--all-nodes): %s", report.Count(n, "vnode"), strings.Join(nodes.LeftOut[:min(n, 5)], ", "))
	}
	return nodes, nil
}

// options returns how to replay, and says what was estimated.
func (c *replayCmd) options(s *session, from *replaySource, w *replay.Work, zone *time.Location) (replay.Options, error) {
	o := replay.Options{Lag: replay.DefaultLag(w), Window: replay.DefaultWindow, KeepVnodes: c.Output == "starts", Watch: -1}
	if c.ReportLag != nil {
		o.Lag = *c.ReportLag
	}
	if window, err := strconv.ParseFloat(from.site.Sched.Scheduler["opt_backfill_fuzzy"], 64); err == nil && window >= 0 {
		o.Window = window
	}
	o.Latency = replay.EstimateLatency(w)
	if c.StartLatency != nil {
		o.Latency = replay.Latency{First: *c.StartLatency}
	} else {
		o.Own = replay.OwnLatencies(w, o.Latency)
	}
	if c.At != nil {
		if o.Until = float64(c.At.in(zone).Unix()); o.Until < float64(w.First) {
			return o, fail(exitUsage, "--at is before the first time of the logs, %s", time.Unix(w.First, 0).In(zone).Format(timeLayout))
		}
	}
	if c.Explain != "" {
		at := slices.IndexFunc(w.Jobs, func(j *replay.Job) bool { return j.ID == c.Explain || strings.HasPrefix(j.ID, c.Explain+".") })
		if at < 0 {
			return o, fail(exitUsage, "the logs have no job %s that could run", c.Explain)
		}
		o.Watch = int32(at)
	}
	if c.Cycles != "" {
		in, err := os.Open(c.Cycles)
		if err != nil {
			return o, failure{exitUnreadable, err}
		}
		defer in.Close()
		plain, err := file.Plain(in)
		if err != nil {
			return o, unreadable(c.Cycles, err)
		}
		if o.Recorded, err = replay.ReadCycles(plain); err != nil {
			return o, unreadable(c.Cycles, err)
		}
	}
	return o, c.beginUsage(s, from, w, &o)
}

// beginUsage sets the usage at the begin: as given, rebuilt from that of the end, or
// as that where the logs do not tell.
func (c *replayCmd) beginUsage(s *session, from *replaySource, w *replay.Work, o *replay.Options) error {
	if !from.site.Policy().FairShare {
		return nil
	}
	priv := from.site.SchedPriv
	if priv.Usage != nil {
		o.LastDecay = priv.Usage.LastDecay
	}
	if c.Usage != "" {
		var err error
		if o.Begin, err = s.readUsage(c.Usage); err != nil {
			return err
		}
		if o.Begin.LastDecay > 0 {
			o.LastDecay = o.Begin.LastDecay
		}
		return nil
	}
	if priv.Usage == nil {
		s.diag.Note("nobody's usage is known: everybody begins with 1 (--usage FILE)")
		return nil
	}
	if !accrual.IsInLogs(from.site.Entity()) {
		s.diag.Note("the usage at the begin is taken as it is in the end (--usage FILE)")
		return nil
	}
	until := w.Last
	if !from.taken.IsZero() {
		until = max(until, from.taken.Unix())
	}
	begin, ok, err := accrual.Begin(w.Trace, accrual.Options{Config: priv.Config, LastDecay: o.LastDecay, Lag: int64(o.Lag), Interval: int64(replay.Interval(from.site)), Until: until}, priv.Usage)
	switch {
	case err != nil:
		return failure{exitUnreadable, err}
	case ok:
		o.Begin = begin
		s.diag.Note("the usage at the begin is rebuilt from that of the end (--usage FILE)")
	default:
		s.diag.Note("the usage at the begin is taken as it is in the end, which tells no more of it (--usage FILE)")
	}
	return nil
}

// run replays all policies, several at a time. An interrupt ends them early.
func (c *replayCmd) run(s *session, policies []*policy, w *replay.Work, nodes *cluster.Cluster, o replay.Options) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	shown := newProgress(s)
	var mutex sync.Mutex
	progress := make([]int, len(policies))
	errs := make([]error, len(policies))
	var group sync.WaitGroup
	for i, p := range policies {
		own := o
		own.Progress = func(done, all int) {
			mutex.Lock()
			defer mutex.Unlock()
			progress[i] = done
			sum := 0
			for _, n := range progress {
				sum += n
			}
			shown.part(sum, all*len(policies))
		}
		group.Go(func() { p.result, errs[i] = replay.Run(ctx, w, p.plan, nodes, own) })
	}
	group.Wait()
	shown.end()
	for i, err := range errs {
		var impossible *replay.ImpossibleError
		var limit *replay.LimitError
		switch {
		case errors.As(err, &limit) && len(c.Set) > 0:
			return failure{exitUsage, err}
		case errors.As(err, &impossible), errors.As(err, &limit):
			return failure{exitUnreadable, err}
		case err != nil:
			return err
		case policies[i].result.IsCut:
			s.partly = true
			s.diag.Warning("interrupted: policy %d is replayed until %s only", i+1, time.Unix(int64(policies[i].result.Until), 0).UTC().Format(timeLayout))
		}
	}
	return nil
}

// describeOptions says what a replay goes by.
func describeOptions(o replay.Options) string {
	text := fmt.Sprintf("starts are logged %.1f s after their cycle", o.Latency.First)
	if o.Latency.Most > 0 {
		text += fmt.Sprintf(" and up to %.1f s later with many jobs waiting", o.Latency.Most)
	}
	if o.Own != nil {
		text += ", each as the log shows it"
	}
	return text + fmt.Sprintf("; reports of use are %.0f s old", o.Lag)
}
