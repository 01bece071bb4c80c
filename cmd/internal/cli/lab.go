package cli

import (
	"fmt"
	"net"

	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/site"
)

type labCmd struct {
	Site      string `arg:"" optional:"" help:"A snapshot (.tgz or directory), a sched_priv, a Slurm site, or a job list (- is standard input). Without it: standard input, or if that is a terminal, the site of this host."`
	HTTP      string `name:"http" default:"localhost:0" placeholder:"ADDR" help:"Where to serve the page (${default}). If other machines can reach this address, everybody who knows the page's address can use it."`
	NoBrowser bool   `help:"Open no browser."`
	queueFlags
	partitionFlag
	Logs  []string `sep:"none" placeholder:"LOGS" help:"Accounting logs or tables of sacct to replay, as formula replay takes them. Without it: those of the site."`
	Usage string   `for:"pbs" slurm:"formula replay SITE SACCT --set replays what Slurm has recorded" placeholder:"FILE" help:"The usage database as it was at the beginning of the logs."`
	TZ    string   `name:"tz" placeholder:"ZONE" help:"The time zone of what is printed and typed, such as Europe/Berlin, and of local times of the logs where their records tell none. Without it: the zone that they tell, or else this machine's."`
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
	names := c.of(c.names(c.Site))
	names.Vnodes, names.Beside, names.Zone = true, c.Logs, c.TZ
	at, policy, err := queueOf[site.Experimenter](s, &c.queueFlags, names)
	if err != nil {
		return nil, err
	}
	l, err := at.Lab(s.ctx, site.Experiment{Policy: policy, Logs: c.Logs, TZ: c.TZ, Usage: c.Usage})
	if err != nil {
		return nil, err
	}
	return l, nil
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
