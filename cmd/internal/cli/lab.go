package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbsforecast"
	"fairshare/cmd/internal/pbssite"
	"fairshare/cmd/internal/slurmlab"
	"fairshare/cmd/internal/snapshot"
)

type labCmd struct {
	Site      string `arg:"" optional:"" help:"A snapshot (.tgz or directory), a sched_priv, a Slurm site, or a job list (- is standard input). Without it: standard input, or if that is a terminal, the PBS or Slurm site of this host."`
	HTTP      string `name:"http" default:"localhost:0" placeholder:"ADDR" help:"Where to serve the page (${default}). If other machines can reach this address, everybody who knows the page's address can use it."`
	NoBrowser bool   `help:"Open no browser."`
	queueFlags
	Logs  []string `sep:"none" placeholder:"LOGS" help:"Accounting logs to replay, as formula replay takes them. Without it: the snapshot's."`
	Usage string   `placeholder:"FILE" help:"The usage database as it was at the beginning of the logs."`
	TZ    string   `name:"tz" placeholder:"ZONE" help:"The time zone of the logs, such as Europe/Berlin. Without it: the zone that the records of the logs tell, or else this machine's."`
}

func (c *labCmd) Run(s *session) error {
	if err := c.check(); err != nil {
		return err
	}
	if len(c.Set) > 0 {
		return fail(exitUsage, "settings are tried in the page, not with --set")
	}
	listeners, err := lab.Listen(c.HTTP)
	if err != nil {
		return fail(exitUsage, "--http %w", err)
	}
	for _, listener := range listeners {
		defer listener.Close()
	}
	l, err := c.load(s)
	if err != nil {
		return err
	}
	return c.serve(s, l, listeners)
}

// load reads the site that the page asks.
func (c *labCmd) load(s *session) (lab.Site, error) {
	names := c.names(c.Site)
	names.Vnodes = true
	p, err := s.find(names, true)
	if err != nil {
		name := cmp.Or(c.Site, c.Snapshot)
		at, err := s.slurmInstead(name, c.siteFlags, err)
		if err != nil {
			return nil, err
		}
		if err := c.refuseOfPBS(); err != nil {
			return nil, err
		}
		s.say(at.Differences()...)
		return slurmlab.New(at, cmp.Or(name, "--live")), nil
	}
	return c.loadPBS(s, p)
}

// refuseOfPBS returns an error if a flag is given that a Slurm site has no use for.
func (c *labCmd) refuseOfPBS() error {
	switch {
	case c.Formula != "" || c.File != "" || c.NoFormula || c.Threshold != nil:
		return fail(exitUsage, "Slurm has no job_sort_formula: leave out -f, -F, --no-formula and --threshold")
	case len(c.Logs) > 0 || c.Usage != "" || c.TZ != "":
		return fail(exitUsage, "the lab replays logs of PBS: formula replay SITE SACCT --set replays what Slurm has recorded; leave out --logs, --usage and --tz")
	case c.Jobs != "" || c.Queues != "" || c.Resources != "" || len(c.Sched) > 0 || c.SchedPriv != "" || c.Static || c.NonPrime:
		return fail(exitUsage, "a Slurm site is one argument: leave out --jobs, --queues, --resources, --sched, --sched-priv, --static and --non-prime, which are for PBS")
	}
	return nil
}

// loadPBS reads a PBS site and its jobs, with all that a formula can name.
func (c *labCmd) loadPBS(s *session, p *pbssite.Place) (lab.Site, error) {
	at, err := c.siteOf(s, p)
	if errors.Is(err, pbssite.ErrUnknownFormula) {
		at, err = c.siteWithout(s, p)
	}
	if err != nil {
		return nil, err
	}
	plan, err := c.plan(s, at)
	if err != nil {
		return nil, err
	}
	options := order.ListOptions(plan)
	options.Groups, options.Comments = true, true
	first, err := p.Requested(options)
	if err != nil {
		return nil, s.failed(err)
	}
	options.Columns = lab.Columns(at, first)
	judge, err := c.judge(s, p)
	if err != nil {
		return nil, err
	}
	list, err := c.readListWith(s, p, options)
	if err != nil {
		return nil, err
	}
	o := lab.Options{Options: order.Options{Static: c.Static, Workers: c.Workers}, From: p.Describe(), Judge: judge}
	for _, n := range order.Names(at) {
		if n.Usable {
			o.Names = append(o.Names, lab.Name{Name: n.Name, Kind: n.Kind, Unit: n.Unit, Meaning: n.Meaning})
		}
	}
	if priv := at.SchedPriv; priv != nil {
		const most = 1 << 30
		o.ResourceGroup, _ = priv.Dir.Read("resource_group", most)
	}
	if o.Replay, err = c.replayer(s, at, p); err != nil {
		return nil, err
	}
	return lab.New(at, list, o)
}

// judge returns what says what stops each job now, nil where the vnodes or the time are not known.
func (c *labCmd) judge(s *session, p *pbssite.Place) (lab.Judge, error) {
	zone, err := moment.Zone(c.TZ)
	if err != nil || !p.Nodes.IsGiven() || p.Taken.IsZero() {
		return nil, err
	}
	if err := keepAlone(p); err != nil {
		return nil, s.failed(err)
	}
	logs, _ := s.logsOf(p, c.TZ)
	return func(ctx context.Context, at *pbs.Site) (map[string]forecast.Standing, error) {
		cycle := *at
		cycle.NonPrime, cycle.Closed = c.NonPrime, nil // the cycle knows the hours itself
		standing, _, err := pbsforecast.Judge(ctx, p, &cycle, logs, order.Options{Static: c.Static, Workers: c.Workers}, zone)
		return standing, err
	}, nil
}

// siteWithout returns a site of which nothing says which formula is in force: none is.
func (c *labCmd) siteWithout(s *session, p *pbssite.Place) (*pbs.Site, error) {
	s.diag.Note("which formula is in force is not known: none is taken to be")
	without := c.queueFlags
	without.NoFormula = true
	return without.siteOf(s, p)
}

// replayer returns what replays the logs, nil where there are none.
func (c *labCmd) replayer(s *session, at *pbs.Site, p *pbssite.Place) (lab.Replayer, error) {
	flags := logFlags{Logs: c.Logs, TZ: c.TZ}
	if len(flags.Logs) == 0 {
		for _, name := range []string{c.Site, c.Snapshot} {
			if name == "" || name == "-" {
				continue
			}
			if t, err := s.in.Tree(name, ""); err == nil && snapshot.HasLogs(t) {
				flags.Logs = []string{name}
			}
		}
	}
	zone, err := moment.Zone(c.TZ)
	if err != nil || len(flags.Logs) == 0 {
		return nil, err
	}
	logs, err := flags.find(s)
	if err != nil {
		return nil, err
	}
	logs.Beside(p)
	always := *at // not as at the time of the list
	always.NonPrime, always.Closed = c.NonPrime, nil
	return lab.Recording{Site: &always, Place: p, Logs: logs, Usage: c.Usage, Zone: zone}.Replayer(), nil
}

// serve serves a lab until it is interrupted.
func (c *labCmd) serve(s *session, l lab.Site, listeners []net.Listener) error {
	host, _, _ := net.SplitHostPort(c.HTTP)
	service := lab.NewService(l, host, listeners)
	s.say(service.Remarks...)
	fmt.Fprintln(s.out, service.Address)
	if err := s.out.Flush(); err != nil {
		return err
	}
	if !c.NoBrowser && lab.HasDesktop() {
		end, err := lab.OpenBrowser(service.Address)
		if err != nil {
			s.diag.Note("no browser could be opened: %v", err)
		}
		defer end()
	}
	if err := service.Run(s.ctx, s.diag.W); err != nil {
		return fail(exitUnreadable, "the page cannot be served: %w", err)
	}
	return nil
}
