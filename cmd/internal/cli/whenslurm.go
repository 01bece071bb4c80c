package cli

import (
	"errors"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/slurmforecast"
	"fairshare/cmd/internal/slurmsite"
)

// readSlurm returns a Slurm site as it is now and under --set, which is nil without it: that of this host
// without a name. For --check, only its past is wanted.
func (c *whenCmd) readSlurm(s *session, name string, zone *time.Location) (is, under forecast.Subject, err error) {
	if err := c.refuseOfPBS(); err != nil {
		return nil, nil, err
	}
	var tables []file.Source
	for _, name := range c.Logs {
		tables = append(tables, s.in.Source(name, "--logs"))
	}
	read := slurmforecast.Read
	var now *slurmsite.Now
	var remarks []diag.Remark
	switch {
	case name == "":
		run, _ := slurmsite.Here(c.Timeout)
		now, remarks, err = slurmsite.AskNow(s.ctx, run, zone)
	case c.Check:
		read = slurmforecast.ReadPast
		now, remarks, err = slurmsite.OpenPast(name)
	default:
		now, remarks, err = slurmsite.OpenNow(name, zone)
	}
	s.say(remarks...)
	if err != nil {
		return nil, nil, s.failed(err)
	}
	of, remarks, err := read(now, tables, zone)
	s.say(remarks...)
	var other *slurmforecast.OtherClusterError
	switch {
	case errors.As(err, &other):
		return nil, nil, fail(exitUsage, "%v", err)
	case err != nil:
		return nil, nil, s.failed(err)
	case len(c.Set) == 0:
		return of, nil, nil
	}
	changed, remarks, err := of.Under(c.Set)
	s.say(remarks...)
	if err != nil {
		return nil, nil, s.failed(err)
	}
	return of, changed, nil
}

// refuseOfPBS returns an error if a flag asks for what forecasts of a Slurm site do not have.
func (c *whenCmd) refuseOfPBS() error {
	for _, f := range []struct {
		isGiven bool
		name    string
	}{
		{c.Formula != "" || c.File != "" || c.NoFormula, "-f, -F and --no-formula: Slurm has weights in place of a formula"},
		{c.Threshold != nil || c.NonPrime || c.Static, "--threshold, --non-prime and --static, which are of PBS"},
		{c.SchedPriv != "" || c.Jobs != "" || c.Queues != "" || len(c.Sched) > 0 || c.Resources != "", "--sched-priv, --jobs, --queues, --sched and --resources: its site is one folder or archive"},
		{c.Nodes != "" || c.At != nil, "--nodes and --at: its nodes and its time are those of scontrol show node and config"},
	} {
		if f.isGiven {
			return fail(exitUsage, "a forecast of a Slurm site does not have %s", f.name)
		}
	}
	return nil
}
