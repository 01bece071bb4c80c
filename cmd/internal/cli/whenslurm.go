package cli

import (
	"errors"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/slurmforecast"
)

// whenSlurm forecasts when the waiting jobs of a Slurm site start.
func (c *whenCmd) whenSlurm(s *session, name string, o forecast.Options, zone *time.Location) error {
	if err := c.refuseOfPBS(); err != nil {
		return err
	}
	var table *file.Source
	if len(c.Logs) == 1 {
		from := s.in.Source(c.Logs[0], "--logs")
		table = &from
	}
	of, remarks, err := slurmforecast.Read(name, table, zone)
	s.say(remarks...)
	var other *slurmforecast.OtherClusterError
	switch {
	case errors.As(err, &other):
		return fail(exitUsage, "%v", err)
	case err != nil:
		return s.failed(err)
	}
	o.Wants = c.wants
	f, err := forecast.MakeOf(s.ctx, of.State, of, o)
	if err != nil {
		return err
	}
	s.say(f.Remarks()...)
	return c.print(s, f, of.Over, of.Users, zone)
}

// refuseOfPBS returns an error if a flag asks for what forecasts of a Slurm site do not have.
func (c *whenCmd) refuseOfPBS() error {
	for _, f := range []struct {
		isGiven bool
		name    string
	}{
		{c.isAdvice(), "--submit and --try yet: sbatch --test-only says what Slurm itself expects of a job that is not there"},
		{c.Check || c.Calibrated || c.Usage != "", "--check, --calibrated and --usage yet: docs/when.md says how far off forecasts of recorded sites were"},
		{c.Formula != "" || c.File != "" || c.NoFormula, "-f, -F and --no-formula: Slurm has weights in place of a formula"},
		{len(c.Logs) > 1, "more than one --logs: give one table of sacct, or put the tables into the folder of the site"},
		{len(c.Set) > 0 || c.Threshold != nil || c.NonPrime || c.Static, "--set, --threshold, --non-prime and --static yet: formula replay SITE sacct.txt --set shows what a setting changes"},
		{c.SchedPriv != "" || c.Jobs != "" || c.Queues != "" || len(c.Sched) > 0 || c.Resources != "", "--sched-priv, --jobs, --queues, --sched and --resources: its site is one folder or archive"},
		{c.Metrics != "", "--metrics yet: it is of jobs that are not there, as --submit is"},
		{c.Nodes != "" || c.At != nil, "--nodes and --at: its nodes and its time are those of scontrol show node and config"},
	} {
		if f.isGiven {
			return fail(exitUsage, "a forecast of a Slurm site does not have %s", f.name)
		}
	}
	return nil
}
