package cli

import (
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/witness"
)

type witnessCmd struct {
	logFlags
	Set []string `sep:"none" placeholder:"NAME=VALUE" help:"Judge other rules: what if this setting were another one? As for replay. May be given more than once."`
	rulesFlag
	SchedPriv string   `for:"pbs" slurm:"a Slurm site is one folder or archive" placeholder:"DIR" help:"The scheduler's sched_priv, or any copy of it."`
	Queues    string   `for:"pbs" slurm:"a Slurm site is one folder or archive" placeholder:"FILE" help:"Queues, as qstat -Qf prints them (text, JSON or DSV), or commands for qmgr to try, as for --sched."`
	Sched     []string `for:"pbs" slurm:"a Slurm site is one folder or archive" sep:"none" placeholder:"FILE" help:"Attributes of the server or the scheduler, as for replay. May be given more than once."`
	Resources string   `for:"pbs" slurm:"a Slurm site is one folder or archive" placeholder:"FILE" help:"The site's own resources, as qmgr -c 'list resource' prints them."`
	Nodes     string   `for:"pbs" slurm:"the nodes of a Slurm site are those of scontrol show node" placeholder:"FILE" help:"The cluster as pbsnodes -av prints it. Without it: the snapshot's."`
	AllNodes  bool     `for:"pbs" slurm:"the nodes of a Slurm site are those of scontrol show node" help:"Count nodes that are down or offline too."`
	Events    string   `name:"node-events" placeholder:"FILE" help:"What happened to nodes, as for replay."`
	Usage     string   `placeholder:"FILE" help:"Usage as it was at the beginning of the logs, as for replay."`
	Jobs      string   `for:"pbs" slurm:"sacct tells all that a replay reads of jobs" placeholder:"FILE" help:"A list of jobs with what the logs do not have, as for replay."`
	Calibrate bool     `help:"Also print what the record shows of what the site does not say, as replay --calibrate."`
	Output    string   `short:"o" enum:"table,csv,json" default:"table" placeholder:"FORM" help:"What to print (${enum}). CSV has a row for each start."`
	Top       int      `default:"10" of:"table" placeholder:"N" help:"How many queues and groups the table shows (0: all)."`
}

func (c *witnessCmd) Run(s *session) error {
	if c.Top < 0 {
		return fail(exitUsage, "--top needs a number that is not negative")
	}
	at, err := openAs[site.Witnesser](s, site.Names{Logs: c.Logs, Zone: c.TZ, WantsReplay: true, Judges: true})
	if err != nil {
		return err
	}
	zone, err := zoneOf(at, c.TZ)
	if err != nil {
		return err
	}
	q := site.Replaying{
		Zone: zone, Settings: c.settings(c.Set), Queues: c.Queues, Sched: c.Sched, Resources: c.Resources,
		Jobs: c.Jobs, Usage: c.Usage, Nodes: c.Nodes, Events: c.Events, AllNodes: c.AllNodes,
	}
	if c.SchedPriv != "" {
		q.SchedPriv = []string{c.SchedPriv}
	}
	record, calibrated, err := c.record(s, at, q)
	if err != nil {
		return err
	}
	s.keepsMuch() // of a long record much is kept
	if c.Output == "csv" {
		return c.printStarts(s, record)
	}
	found, err := witness.Judge(s.ctx, record)
	s.progress.end()
	if err == nil {
		s.say(found.Remarks()...)
	}
	switch {
	case err != nil:
		return err
	case calibrated != nil && !found.IsCut:
		return c.printBoth(s, found, calibrated)
	case c.Output == "json":
		return s.encode(found.Line())
	}
	return found.Print(s.printer(), c.Top)
}

// rules implements ruled.
func (c *witnessCmd) rules() []rule {
	return []rule{{of: "calibrate", not: "set rules output=csv", says: "--calibrate is of the policy in force, as a table or JSON, without --set and --rules"}}
}

// record returns the record of a site, and with --calibrate what infers from it what the site does not say.
func (c *witnessCmd) record(s *session, at site.Witnesser, q site.Replaying) (witness.Record, *site.Study, error) {
	replayer, isAble := at.(site.Replayer)
	if !c.Calibrate || !isAble {
		record, err := at.Witness(s.ctx, q)
		return record, nil, err
	}
	q.Calibrate, q.Top = true, c.Top
	on, err := replayer.Replay(s.ctx, q)
	if err != nil {
		return nil, nil, err
	}
	if err := on.Use(); err != nil {
		return nil, nil, err
	}
	s.progress.plan(.1, .9)
	on.Progress = s.progress.begin("events of the record")
	return on.Record(), on, nil
}

// printBoth prints a judgement, and what is inferred from the same record.
func (c *witnessCmd) printBoth(s *session, found *witness.Judgement, on *site.Study) error {
	inferred, err := on.Calibrate(s.ctx)
	switch {
	case err != nil:
		return err
	case c.Output == "json":
		return s.encode(struct {
			witness.Line
			Calibration any `json:"calibration"`
		}{found.Line(), inferred.JSON})
	}
	if err := found.Print(s.printer(), c.Top); err != nil {
		return err
	}
	s.out.WriteString("\nWhat the record shows of what the site does not say\n\n")
	return inferred.Print(s.printer())
}

// printStarts prints each start as it comes.
func (c *witnessCmd) printStarts(s *session, record witness.Record) error {
	var failed error
	sheet := witness.Starts(func(yield func(*witness.Start) bool) {
		goesOn := true
		failed = witness.EachStart(s.ctx, record, func(start *witness.Start) { goesOn = goesOn && yield(start) })
	})
	if err := sheet.WriteCSV(s.out); err != nil {
		return err
	}
	if s.ctx.Err() != nil {
		s.say(site.Interrupted(s.ctx, "printed are the starts that were judged by then")...)
		return nil
	}
	return failed
}
