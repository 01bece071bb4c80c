package cli

import (
	"fmt"
	"math"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/accrual"
	pbsdoor "fairshare/cmd/internal/pbs/door"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/trace"
)

// defaultAhead is that of --ahead.
const defaultAhead = 168 * time.Hour

type usageCmd struct {
	logFlags
	Under string `for:"pbs" slurm:"the usage of a Slurm site is printed as it stands" placeholder:"DIR" help:"Another sched_priv, whose entities, fairshare_usage_res and decay are used. Without it: the snapshot's."`
	partitionFlag
	Usage     string        `for:"pbs" slurm:"the usage of a Slurm site is printed as it stands" placeholder:"FILE" help:"The usage database as it was at the beginning of the logs."`
	ReportLag *int64        `for:"pbs" slurm:"the usage of a Slurm site is printed as it stands" placeholder:"SECONDS" help:"How old mom's reports of use are when the scheduler adds up usage. Without it: as old as one mom makes them that has run all jobs, else ${lag}."`
	Interval  time.Duration `default:"${interval}" placeholder:"TIME" help:"scheduler_iteration, the longest time between two cycles (${default})."`
	At        *momentFlag   `for:"pbs" slurm:"the usage of a Slurm site is printed as it stands" placeholder:"TIME" help:"Give the usage at TIME. Without it: at the end of the logs."`
	Write     string        `for:"pbs" slurm:"the usage of a Slurm site is printed as it stands" placeholder:"FILE" help:"Write a usage file, as PBS keeps it."`
	Force     bool          `help:"With --write: replace a file that exists, and write even if logs are missing."`
	Fairness  bool          `for:"pbs" slurm:"the usage of a Slurm site is printed as it stands" help:"Print how far everybody is from the target that the shares set, and how that will change."`
	Ahead     time.Duration `default:"${ahead}" placeholder:"TIME" help:"With --fairness: also print the usage that somebody will have after TIME if no job of theirs runs from now on (${default})."`
	Output    string        `short:"o" enum:"table,json,csv" default:"table" placeholder:"FORM" help:"What to print (${enum})."`
	Top       int           `placeholder:"N" help:"Print only the first N."`
}

// rules implements ruled.
func (c *usageCmd) rules() []rule {
	return []rule{
		{of: "force", needs: "write", says: "--force is for --write FILE"},
		{of: "ahead", needs: "fairness", says: "--ahead changes nothing without --fairness"},
		{of: "fairness", not: "write", says: "--fairness writes no usage file"},
	}
}

func (c *usageCmd) Run(s *session) error {
	if c.ReportLag != nil && *c.ReportLag < 0 || c.Interval < time.Second {
		return fail(exitUsage, "--report-lag needs a number that is not negative, --interval a second or more")
	}
	if c.Ahead < 0 {
		return fail(exitUsage, "--ahead needs a time that is not negative")
	}
	at, err := s.open(site.Names{Logs: c.Logs, Zone: c.TZ})
	if err != nil {
		return err
	}
	if a, ok := at.Able.(site.Accountant); ok {
		sheet, err := a.Usage(s.ctx, c.Top)
		if err != nil {
			return err
		}
		return s.printSheet(c.Output, sheet)
	}
	p, err := able[*pbsdoor.Site](s, at)
	if err != nil {
		return err
	}
	logs, err := p.Logs()
	if err != nil {
		return err
	}
	return c.rebuild(s, logs)
}

// rebuild prints the usage that logs make.
func (c *usageCmd) rebuild(s *session, logs *pbssite.Logs) error {
	priv, remarks, err := pbssite.PrivOf(c.Under, c.Partition, logs)
	s.say(remarks...)
	if err != nil {
		return s.failed(err)
	}
	zone, err := logs.Zone()
	if err != nil {
		return err
	}
	options, err := c.options(s, priv.SchedPriv, zone)
	if err != nil {
		return err
	}
	options.Has = priv.Has
	resources, err := accrual.Resources(options.Config)
	if err != nil {
		return failure{exitUnreadable, err}
	}
	t, err := s.readLogs(logs, trace.Keep{Used: resources, Hosts: true})
	if err == nil {
		err = s.ctx.Err() // the usage of a part would be compared with that of the whole
	}
	if err != nil {
		return err
	}
	if t.Begin() == trace.Unknown {
		s.say(diag.Warningf("there is no job in the logs: what is rebuilt is the usage of their begin"))
	}
	options.IsSampled = c.ReportLag == nil && accrual.IsSampled(t)
	end := max(t.Last, priv.Taken)
	if options.Until == trace.Unknown {
		options.Until = end
	} else {
		remarks, err := moment.Check(options.Until, moment.DayOf(t.Begin(), zone), end, zone)
		s.say(remarks...)
		if err != nil {
			return err
		}
	}
	isBroken := logs.IsBroken()
	if c.At == nil && t.EndsBefore(options.Until) {
		isBroken = true
		clock := func(at int64) string { return moment.Clock(at, zone) }
		s.say(diag.Damagef("the logs end at %s, and the usage is that of %s: what ran between is not in any figure (--at)", clock(t.Last), clock(options.Until)))
	}
	if options.Begin != nil {
		remarks, err := accrual.CheckBegin(c.Usage, options.Begin, priv.Tree, options.Config.Entity, t, zone)
		s.say(remarks...)
		if err != nil {
			return s.failed(err)
		}
	}
	db, err := accrual.Compute(t, options)
	if err != nil {
		return failure{exitUnreadable, err}
	}
	if c.Fairness {
		return c.fairness(s, db, priv, options.Until, zone)
	}
	all := db.Beside(priv.Recorded(), isBroken)
	if isRecorded := slices.ContainsFunc(all, func(l accrual.Line) bool { return l.Recorded != nil }); isRecorded && options.Until < end {
		clock := func(at int64) string { return moment.Clock(at, zone) }
		s.say(diag.Warningf("what is recorded is the usage of the end, %s, and what is rebuilt that of %s: their difference is that of the two times, and no error", clock(end), clock(options.Until)))
	}
	lines := all
	if c.Top > 0 {
		lines = all[:min(c.Top, len(all))]
	}
	err = printLines(s, c.Output, lines, func() error { return printUsage(s, append(slices.Clip(lines), accrual.Total(all))) })
	for _, name := range db.Untold {
		s.say(diag.Warningf("no record tells how much of %s a job has used, which fairshare_usage_res goes by: it counts as 0", name))
	}
	if db.Lost > 0 && db.Untold == nil {
		s.diag.Note("%s charged nothing: no report of what it used came before it ended", report.Count(db.Lost, "run"))
	}
	if err != nil || c.Write == "" {
		return err
	}
	if isBroken && !c.Force {
		return fail(exitUnreadable, "nothing is written: the logs are not whole, and the usage is wrong by what is missing (--force writes it all the same)")
	}
	remarks, err = db.Save(c.Write, c.Force, func() {
		s.diag.Release()
		s.diag.Note("waiting for another program")
	})
	s.say(remarks...)
	return err
}

// options returns how usage accrues.
func (c *usageCmd) options(s *session, priv *pbs.SchedPriv, zone *time.Location) (accrual.Options, error) {
	o := accrual.Options{Config: priv.Config, Lag: accrual.DefaultLag, Interval: int64(c.Interval / time.Second), Until: trace.Unknown}
	if c.ReportLag != nil {
		o.Lag = *c.ReportLag
	}
	if c.At != nil {
		at, err := c.At.In(zone)
		if err != nil {
			return o, err
		}
		o.Until = at.Unix()
	}
	if priv.Usage != nil {
		o.LastDecay = priv.Usage.LastDecay
	}
	if c.Usage == "" {
		s.diag.Note("the usage at the begin of the logs is not known (--usage FILE): everybody begins with 1")
		return o, nil
	}
	begin, remarks, err := pbssite.ReadUsage(c.Usage)
	s.say(remarks...)
	if err != nil {
		return o, s.failed(err)
	}
	o.Begin = begin
	if o.Begin.LastDecay > 0 {
		o.LastDecay = o.Begin.LastDecay
	}
	return o, nil
}

// printUsage prints entities, and what differs from the database.
func printUsage(s *session, lines []accrual.Line) error {
	table := [][]string{{"ENTITY", "RECORDED", "REBUILT", "DIFFERENCE", "", "LOW", "HIGH"}}
	for _, l := range lines {
		was, difference, part := "-", "", ""
		if by, ratio := l.Difference(); l.Recorded != nil {
			was, difference = report.Fixed(float64(*l.Recorded), 0), fmt.Sprintf("%+.0f", by)
			if !math.IsNaN(ratio) {
				part = fmt.Sprintf("%+.2f%%", 100*ratio)
			}
		}
		table = append(table, []string{l.Entity, was, report.Fixed(float64(l.Rebuilt), 0), difference, part, report.Decimals(float64(l.Low), 0), report.Decimals(float64(l.High), 0)})
	}
	if err := s.print(report.Table{Rows: table, Right: func(column int) bool { return column > 0 }}); err != nil {
		return err
	}
	_, err := fmt.Fprintln(s.out, "\nLOW is the usage if the last report of each job was 120 s old at its end, HIGH if all that it used was reported; at decays it is the other way round. Logs do not tell which.")
	return err
}
