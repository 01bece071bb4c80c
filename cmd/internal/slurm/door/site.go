// Package door is Slurm behind the front door: it finds sites of Slurm, and answers what commands ask of one.
package door

import (
	"context"
	"errors"
	"time"

	"fairshare/cmd/internal/command"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	slurmforecast "fairshare/cmd/internal/slurm/forecast"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/trace"
)

// Scheduler returns Slurm.
func Scheduler() *site.Scheduler {
	return &site.Scheduler{
		Name: "Slurm", Key: "slurm", Formats: []trace.Format{formatOfTables()}, Find: find, Owns: dump.IsOfSite, Piece: dump.Alone, HasRecord: dump.HasTables, LooksLikeJob: order.LooksLikeJob,
		Here: func() string { return command.Place("scontrol") },
		Claims: func(n site.Names, in *site.Input) bool {
			return n.WantsConf && (isFile(n.Argument, in, dump.IsConf) || isFile(n.Argument, in, dump.IsChecked)) || isFile(n.Argument, in, dump.IsEnough) || n.WantsReplay && (hasTable(n.Logs, in) || n.Judges && isTable(n, in)) || !n.WantsReplay && len(n.Logs) > 1 && findRecord(n, &site.Console{Input: in}) != nil
		},
		Instead: map[string]string{
			"eval": "it has no job_sort_formula; formula explain JOB SITE shows a priority term by term",
			"test": "expectations are of a job_sort_formula, which it does not have; formula sort SITE says whether the priorities computed are Slurm's",
			"vars": "it has no job_sort_formula, and so no names of one; formula priority SITE shows the terms of its priorities",
		},
	}
}

// formatOfTables returns the form of tables of sacct, which are told from what other commands print.
func formatOfTables() trace.Format {
	f := sacct.Format()
	f.Piece, f.Among = dump.PieceOf, dump.Accounting
	return f
}

// isTable reports whether the only log is a table of sacct by itself.
func isTable(n site.Names, in *site.Input) bool {
	return len(n.Logs) == 1 && isFile(n.Logs[0], in, func(t *file.Tree) bool { return t.FS == nil && dump.IsSacct(t) })
}

// isFile reports whether an argument names something that is of a kind.
func isFile(argument string, in *site.Input, isOf func(*file.Tree) bool) bool {
	if argument == "" {
		return false
	}
	t, err := in.Tree(argument, "")
	return err == nil && isOf(t)
}

// Site is a Slurm site.
type Site struct {
	dump *dump.Dump // nil for that of this host
	run  dump.Runner
	own  ownOrder
	to   *site.Console
	zone string // that is named, "" for none

	forecast *slurmforecast.Site // the one that was asked for last; nil for none
}

// quiet returns the site without anybody to whom it says something.
func (s *Site) quiet() *Site {
	console := *s.to
	console.Say = func(...diag.Remark) {}
	return &Site{dump: s.dump, run: s.run, to: &console, zone: s.zone}
}

// find returns the Slurm site that names lead to, or that of this host.
func find(_ context.Context, names site.Names, to *site.Console) (any, error) {
	name := names.Site()
	switch {
	case names.WantsReplay && names.Judges && isTable(names, to.Input):
		return nil, diag.Requestf("%[1]s is a table of sacct: name the site beside it, as in: formula witness SITE %[1]s", names.Logs[0])
	case names.WantsReplay && names.Judges:
		return findPast(names, "witness", to)
	case names.WantsReplay:
		return findPast(names, "replay", to)
	case len(names.Logs) > 1:
		if r := findRecord(names, to); r != nil {
			return r, nil
		}
		return nil, &site.NothingError{Err: dump.ErrNoSlurm}
	case names.Server != "" || names.AsksHost() && name != "" || !names.AsksHost() && name == "":
		return nil, &site.NothingError{Err: dump.ErrNoSlurm}
	case names.AsksHost():
		run, ok := dump.Here(names.Timeout)
		if !ok {
			return nil, &site.NothingError{Err: dump.ErrNoSlurm}
		}
		return &Site{run: run, to: to, zone: names.Zone}, nil
	}
	t, err := to.Input.Tree(name, "")
	switch {
	case err != nil && len(names.Logs) > 0:
		return nil, &site.NothingError{Err: err}
	case err != nil:
		return nil, err
	case len(names.Logs) > 0:
		if _, _, err := dump.Accounting(t); dump.IsMissing(err) {
			return nil, &site.NothingError{Err: err}
		}
		return newRecord(t, nil, names.Zone, to), nil
	}
	read := dump.Find
	if names.WantsConf && dump.IsChecked(t) {
		read = dump.FindChecked
	}
	found, err := read(t)
	var none *dump.NotSiteError
	switch {
	case errors.As(err, &none):
		return nil, &site.NothingError{Err: err, Lacks: "what Slurm's commands print, such as scontrol show job and sprio -l"}
	case err != nil:
		to.Say(found.Remarks...)
		return nil, err
	}
	if err := names.CheckOne(); err != nil {
		return nil, err
	}
	found.Remarks = dated(found)
	return &Site{dump: found, to: to, zone: names.Zone}, nil
}

// dated returns the remarks of what a site has printed, with one line that says of when it is.
func dated(d *dump.Dump) []diag.Remark {
	taken := d.Taken()
	if taken.IsZero() {
		return d.Remarks
	}
	return diag.Placed(d.Remarks, d.Name, taken.Format("2006-01-02 15:04"), "as of "+taken.Format(time.DateTime)+" by its own clock")
}

// printed returns what the site prints: of this host no more than is asked for.
func (s *Site) printed(ctx context.Context, most int) (*dump.Dump, error) {
	if s.dump != nil {
		return s.dump, nil
	}
	return dump.Ask(ctx, s.run, time.Now, most, 0)
}

// read returns the site, and says what there is to say of it.
func (s *Site) read(ctx context.Context) (*order.Site, error) {
	printed, err := s.printed(ctx, dump.ForNow)
	if err != nil {
		return nil, err
	}
	return s.order(printed)
}

// order returns the site of what it printed, and says what there is to say of it.
func (s *Site) order(printed *dump.Dump) (*order.Site, error) {
	at, err := s.orderOf(printed)
	s.to.Say(at.Remarks...)
	return at, err
}

// ownOrder is the site that was read last, of what it printed then.
type ownOrder struct {
	of *dump.Dump
	at *order.Site
}

// orderOf returns the site of what it printed, which is read once: a command that asks it for several things shares it.
func (s *Site) orderOf(printed *dump.Dump) (*order.Site, error) {
	if s.own.of == printed {
		return s.own.at, nil
	}
	at, err := order.New(printed)
	if err == nil {
		s.own = ownOrder{printed, at}
	}
	return at, err
}

// now does as order.ReadNow.
func (s *Site) now(printed *dump.Dump, on slurm.Answers, zone *time.Location) (*setup.Site, []diag.Remark, error) {
	if !printed.HasJobs() {
		return order.ReadNow(printed, on, zone) // which says so
	}
	at, err := s.orderOf(printed)
	if err != nil {
		return nil, at.Remarks, err
	}
	return at.Now(printed, on, zone)
}
