package cli

import (
	"errors"
	"fmt"
	"time"

	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/pbssite"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurmsite"
	"fairshare/cmd/internal/snapshot"
)

type collectCmd struct {
	Output string `arg:"" name:"snapshot" help:"The snapshot to write: a new directory, or an archive (.tgz)."`
	siteFlags
	Slurm     bool `help:"Write a snapshot of a Slurm site: that of this host or, with --snapshot, one that was written before."`
	Logs      int  `placeholder:"DAYS" help:"Also take the accounting logs of the last DAYS days, and what the server's logs tell of vnodes. A replay needs both. Without this flag, all logs of a site that --snapshot names are taken, and none of a complex."`
	Obfuscate bool `help:"Replace users, groups, accounts, projects, job names, hosts, paths, queues and the site's own resources, and leave out environments, comments and submit arguments. Orders, values and replays stay the same."`
	Shift     bool `help:"With --obfuscate: move all times by a secret number of weeks, and the numbers of all jobs by another secret number."`
}

func (c *collectCmd) Run(s *session) error {
	if c.Shift && !c.Obfuscate {
		return fail(exitUsage, "--shift changes nothing without --obfuscate")
	}
	if c.Logs < 0 {
		return fail(exitUsage, "--logs needs a number of days that is not negative")
	}
	if c.Slurm && c.Logs > 0 {
		return fail(exitUsage, "--logs changes nothing with --slurm, which takes the output of sacct along")
	}
	if c.Slurm {
		return c.collectSlurm(s)
	}
	snap, remarks, err := pbssite.Collect(s.ctx, c.names(""), s.in, c.Logs)
	s.say(remarks...)
	if _, isSlurm := slurmsite.Here(c.Timeout); isSlurm && errors.Is(err, snapshot.ErrNoPBS) && c.Server == "" {
		return fail(exitUsage, "this host has the commands of Slurm and not those of PBS: formula collect --slurm %s", c.Output)
	}
	if err != nil {
		return onlyPBS(s.failed(err), c.Snapshot, "formula collect --slurm takes it")
	}
	if c.Obfuscate {
		shift := obfuscate.Shift{}
		if c.Shift {
			shift = obfuscate.RandomShift()
		}
		if snap, err = obfuscate.Snapshot(snap, shift); err != nil {
			return failure{exitUnreadable, err}
		}
	}
	s.say(snap.Remarks...)
	return c.written(s, snap.Write(c.Output))
}

// written says what was written.
func (c *collectCmd) written(s *session, err error) error {
	if errors.Is(err, snapshot.ErrExists) {
		return failure{exitUsage, err}
	}
	if err != nil {
		return fail(exitUnreadable, "cannot write the snapshot: %w", err)
	}
	fmt.Fprintln(s.out, report.Printable(fmt.Sprintf("%s is written: formula sort %s", c.Output, c.Output)))
	return nil
}

// collectSlurm writes what a Slurm site prints.
func (c *collectCmd) collectSlurm(s *session) error {
	if c.Server != "" || c.Shift {
		return fail(exitUsage, "--server and --shift are for PBS: leave them out with --slurm")
	}
	dump, err := c.dump(s)
	if err == nil && c.Obfuscate {
		dump, err = dump.Obfuscated()
	}
	if err != nil {
		return s.failed(err)
	}
	s.say(dump.Remarks...)
	return c.written(s, dump.Write(c.Output))
}

// dump returns what a Slurm site prints.
func (c *collectCmd) dump(s *session) (*slurmsite.Dump, error) {
	if c.Snapshot != "" {
		return slurmsite.OpenDump(c.Snapshot)
	}
	run, isHere := slurmsite.Here(c.Timeout)
	if !isHere {
		return nil, slurmsite.ErrNoSlurm
	}
	return slurmsite.Ask(s.ctx, run, time.Now)
}
