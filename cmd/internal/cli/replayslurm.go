package cli

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/search"
	slurmdump "fairshare/cmd/internal/slurm/dump"
	slurmrecord "fairshare/cmd/internal/slurm/record"
	slurmsetup "fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/slurmdoor"
	"fairshare/cmd/internal/slurmsched"
	"fairshare/cmd/internal/slurmstudy"
	"fairshare/cmd/internal/snapshot"
	"fairshare/cmd/internal/study"
)

// slurmArguments returns the site and the tables of sacct among the arguments, no tables where they
// are not those of a Slurm site. A directory may hold both.
func (c *replayCmd) slurmArguments(s *session) (site string, tables []file.Source, err error) {
	if len(c.Logs) == 1 {
		name := c.Logs[0]
		if slurmdump.IsEmpty(name) {
			return "", nil, fail(exitUnreadable, "%s is empty", name)
		}
		table, isAlone := slurmdump.FindSacct(name)
		switch {
		case table == "" && name != "-" && c.isSiteAlone(s, name):
			return "", nil, withoutSacct(name)
		case table == "":
			return "", nil, nil
		case !isAlone:
			return "", nil, fail(exitUsage, "%[1]s has folders: name the one with what the site printed when %[2]s begins, as in: formula replay %[1]s/FOLDER %[2]s", name, table)
		}
		tables, err = tablesWithin(s, name)
		return name, tables, err
	}
	for _, name := range c.Logs {
		if slurmdump.IsSacct(name) {
			tables = append(tables, s.in.Source(name, "the table of sacct"))
		} else {
			site = name
		}
	}
	if len(tables) != len(c.Logs)-1 {
		return "", nil, nil
	}
	return site, tables, nil
}

// isSiteAlone reports whether a folder is a Slurm site without a record of its jobs, whose files are no logs.
func (c *replayCmd) isSiteAlone(s *session, name string) bool {
	t, err := s.in.Tree(name, "")
	if err != nil || t.FS == nil || t.IsArchive() {
		return false
	}
	if _, err := snapshot.In(t); err == nil {
		return false
	}
	dump, err := slurmdump.Find(t)
	if err != nil {
		return false
	}
	_, _, err = slurmsetup.Past(dump)
	return err == nil
}

// withoutSacct returns the error for a Slurm site without a record of its jobs.
func withoutSacct(name string) error {
	return fail(exitUsage, "%[1]s is a Slurm site: give its jobs too, as in: formula replay %[1]s sacct.txt, where sacct.txt is what sacct -aPD --format=ALL printed", name)
}

// tablesWithin returns the tables of sacct that a Slurm site has within it.
func tablesWithin(s *session, site string) ([]file.Source, error) {
	if site == "-" {
		return nil, &slurmdump.NotSiteError{Name: file.StandardInput}
	}
	t, err := s.in.Tree(site, "")
	if err != nil {
		return nil, err
	}
	tables, remarks, err := slurmdump.Accounting(t)
	if len(tables) == 1 { // which of them is no question
		remarks = slices.DeleteFunc(remarks, func(r diag.Remark) bool { return r.IsGeneral })
	}
	s.say(remarks...)
	return tables, err
}

// slurmInstead returns the error of a replay of a PBS site. Where there is none of PBS, but a Slurm site
// that has tables of sacct within it, it replays those; where something of a Slurm site is lacking,
// the error says what.
func (c *replayCmd) slurmInstead(s *session, err error) error {
	var none *snapshot.Error
	names := c.Logs
	if len(names) < 1 || len(names) > 2 || !errors.As(err, &none) {
		return err
	}
	if len(names) == 2 { // one of them may be the site of the other
		for i, name := range names {
			other := names[1-i]
			if _, wrong := slurmdump.Open(name); slurmdump.IsMissing(wrong) {
				continue
			}
			if other == "-" {
				return c.replaySlurm(s, name, []file.Source{s.in.Source(other, "the table of sacct")})
			}
			if _, lost := os.Stat(other); lost != nil {
				return unreadable(other, lost)
			}
			return fail(exitUnreadable, "%s is a Slurm site, and %s is no table of sacct with a line of column names (sacct -aPD --format=ALL)", name, other)
		}
		return err
	}
	tables, wrong := tablesWithin(s, names[0])
	var lacks *slurmdump.MissingError
	switch {
	case errors.As(wrong, &lacks):
		return withoutSacct(names[0])
	case slurmdump.IsMissing(wrong):
		return err
	case wrong != nil:
		return failure{exitUnreadable, wrong}
	}
	return c.replaySlurm(s, names[0], tables)
}

// replaySlurm replays the jobs of a Slurm site.
func (c *replayCmd) replaySlurm(s *session, site string, tables []file.Source) error {
	if err := s.refuse(slurmdoor.Scheduler()); err != nil {
		return err
	}
	grid, err := c.search(s, func(string) bool { return true })
	if err != nil {
		return err
	}
	if c.EmitJobArray {
		return c.emitJobArray(s, grid, search.Sbatch)
	}
	conditions, err := c.conditions()
	if err != nil {
		return err
	}
	zone, err := moment.Zone(c.TZ)
	if err != nil {
		return err
	}
	past, remarks, err := slurmsetup.OpenPast(site)
	s.say(remarks...)
	if err != nil {
		return s.failed(err)
	}
	setup := past.Setup
	debug.SetMemoryLimit(800 << 20) // of a long record much is kept
	record, err := slurmrecord.Read(setup, tables, zone)
	if err != nil {
		return s.failed(err)
	}
	s.say(record.Remarks...)
	var events *file.Source
	if c.Events != "" {
		from := s.in.Source(c.Events, "--node-events")
		events = &from
	}
	remarks, err = slurmrecord.ReadWorld(past, events, record, zone)
	s.say(remarks...)
	if err != nil {
		return s.failed(err)
	}
	if len(record.Jobs) == 0 {
		return failure{exitUnreadable, fmt.Errorf("%s has no job of this site that could run", tables[0].Name)}
	}
	if c.Calibrate {
		return c.calibrateSlurm(s, setup, record, zone)
	}
	on, err := c.slurmStudy(s, setup, record, zone) // the record, which is large, is not needed any more
	if err != nil {
		return err
	}
	if grid != nil {
		return c.runSearch(s, grid, &on.Study, on, true)
	}
	policies := []*study.Changes{nil} // the one in force
	if len(c.Set) > 0 {
		policies = append(policies, &study.Changes{Settings: c.Set})
	}
	for _, name := range c.Policy {
		change, err := study.ReadPolicy(s.in.Source(name, "--policy"))
		if err != nil {
			return err
		}
		policies = append(policies, &change)
	}
	remarks, err = on.Use(policies)
	s.say(remarks...)
	if err != nil {
		return err
	}
	return c.compare(s, &on.Study, conditions, zone)
}

// slurmStudy returns the study of a record, as flags ask for it.
func (c *replayCmd) slurmStudy(s *session, setup *slurmsched.Setup, record *slurmrecord.Record, zone *time.Location) (*slurmstudy.Study, error) {
	on, how := slurmstudy.New(setup, record)
	s.say(how)
	c.chance(&on.Study)
	return on, c.ask(s, &on.Study, zone)
}
