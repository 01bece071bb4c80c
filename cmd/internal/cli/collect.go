package cli

import (
	"errors"
	"fmt"

	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/snapshot"
)

type collectCmd struct {
	Output string `arg:"" name:"snapshot" help:"The snapshot to write: a new directory, or an archive (.tgz). It is taken from the complex of this host, or from the site that the flags name."`
	siteFlags
	Logs      int  `placeholder:"DAYS" help:"Take the accounting logs of the last DAYS days along, and what the server's logs tell of vnodes: a replay needs them. Of a site that is a snapshot all its logs are kept without it."`
	Obfuscate bool `help:"Replace users, groups, accounts, projects, job names, hosts, paths, queues and the site's own resources, and leave out environments, comments and submit arguments. Orders, values and replays stay the same."`
	Shift     bool `help:"With --obfuscate: move all times by a secret number of weeks, and the numbers of all jobs by another secret number."`
}

func (c *collectCmd) Run(s *session) error {
	if c.Shift && !c.Obfuscate {
		return fail(exitUsage, "--shift changes nothing without --obfuscate")
	}
	if c.Logs < 0 {
		return fail(exitUsage, "--logs needs a number of days")
	}
	snap, remarks, err := site.Collect(s.ctx, c.names(""), s.in, c.Logs)
	s.say(remarks...)
	if err != nil {
		return s.failed(err)
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
	err = snap.Write(c.Output)
	if errors.Is(err, snapshot.ErrExists) {
		return failure{exitUsage, err}
	}
	if err != nil {
		return fail(exitUnreadable, "cannot write the snapshot: %w", err)
	}
	fmt.Fprintln(s.out, report.Printable(fmt.Sprintf("%s is written: formula sort %s", c.Output, c.Output)))
	return nil
}
