package cli

import (
	"errors"
	"fmt"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

type collectCmd struct {
	Output string `arg:"" name:"snapshot" help:"The snapshot to write: a new directory, or an archive (.tgz)."`
	siteFlags
	Slurm     bool `help:"Take the Slurm site where there is a PBS site as well."`
	Flux      bool `help:"Take the site of flux where there is another one as well."`
	Logs      int  `for:"pbs slurm" flux:"flux jobs -a prints what it has of the past" placeholder:"DAYS" help:"Also take the jobs of the last DAYS days, which reports and a replay need. PBS: the accounting logs, and what the server's logs tell of vnodes; without this flag, all logs of a site that --snapshot names are taken, and none of a complex. Slurm: what sacct prints of them in all columns, with steps (give it time: --timeout 10m); without this flag, the last day in the columns of a forecast."`
	Obfuscate bool `help:"Replace users, groups, accounts, projects, job names, hosts, paths, queues and the site's own resources, and leave out environments, comments and submit arguments. Orders, values and replays stay the same."`
	Shift     bool `help:"With --obfuscate: move all times by a secret number of weeks, and the numbers of all jobs by another secret number."`
}

// rules implements ruled.
func (c *collectCmd) rules() []rule {
	return []rule{
		{of: "shift", needs: "obfuscate", says: "--shift changes nothing without --obfuscate"},
		{of: "slurm", not: "flux", says: "--slurm and --flux both say whose site it is, give one of them"},
		{of: "live server", not: "snapshot", says: "--live or --server and --snapshot both say where to take it from, give one of them"},
	}
}

func (c *collectCmd) Run(s *session) error {
	names := c.names("")
	switch {
	case c.Logs < 0:
		return fail(exitUsage, "--logs needs a number of days that is not negative")
	case file.IsOtherArchive(c.Output):
		return fail(exitUsage, "%s would be a folder: an archive is written where the name ends in .tgz or .tar.gz", c.Output)
	case c.Snapshot == "":
		names.Live, names.WantsJobs, names.Vnodes = true, true, true
	}
	switch {
	case c.Slurm:
		names.Only = "slurm"
	case c.Flux:
		names.Only = "flux"
	}
	at, err := openAs[site.Collector](s, names)
	if isA[*site.NoHostError](err) {
		return fail(exitUsage, "%w: run formula collect where they are, with --slurm or --flux for a site of these, or name files of a site with --snapshot SITE", snapshot.ErrNoPBS)
	}
	if err != nil {
		return err
	}
	asks := site.Collecting{Days: c.Logs, Obfuscate: c.Obfuscate}
	if c.Shift {
		asks.Shift = obfuscate.RandomShift()
	}
	snap, err := at.Collect(s.ctx, asks)
	if err != nil {
		return err
	}
	err = snap.Write(c.Output)
	if errors.Is(err, file.ErrExists) {
		return failure{exitUsage, err}
	}
	if err != nil {
		return fail(exitUnreadable, "cannot write the snapshot: %w", err)
	}
	if err := file.GiveToCaller(c.Output); err != nil {
		s.diag.Warning("%s: %v", c.Output, err)
	}
	if c.Obfuscate {
		c.checkCopy(s, names)
	}
	fmt.Fprintln(s.out, report.Printable(fmt.Sprintf("%s is written: formula sort %s", c.Output, c.Output)))
	return nil
}
