package cli

import (
	"cmp"
	"strconv"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

// ofFlux prints the priorities of flux's jobs.
func (c *priorityCmd) ofFlux(s *session) error {
	if c.SlurmConf != "" || c.QOS != "" || c.At != nil || c.AsFormula {
		return fail(exitUsage, "--flux needs jobs, --shares and --set only: leave out --slurm-conf, --qos, --at and --as-formula")
	}
	at, err := accounts.NewFluxSite(c.Set)
	if err != nil {
		return err
	}
	if c.Shares != "" {
		text, err := file.ReadText(c.Shares, maxTree)
		if err != nil {
			return failure{exitUnreadable, err}
		}
		if at.Tree, _, err = accounts.Parse(text, accounts.Auto); err != nil {
			return unreadable(c.Shares, err)
		}
	}
	name := cmp.Or(c.List, c.Jobs, "-")
	text, err := s.in.Source(name, site.JobList).Text(maxTree)
	if err != nil {
		return failure{exitUnreadable, err}
	}
	jobs, err := accounts.ParseFluxJobs(text)
	if err != nil {
		return unreadable(name, err)
	}
	s.say(at.Rank(jobs)...)
	lines := accounts.FluxLines(jobs, c.User, c.Top)
	return printLines(s, c.Output, lines, func() error { return printFlux(s, lines) })
}

func printFlux(s *session, lines []accounts.FluxLine) error {
	rows := [][]string{{"JOB", "USER", "BANK", "QUEUE", "URGENCY", "FAIRSHARE", "QUEUE PRIORITY", "BANK PRIORITY", "PRIORITY", "IN FLUX"}}
	for _, l := range lines {
		rows = append(rows, []string{l.Job, l.User, l.Bank, l.Queue, strconv.Itoa(l.Urgency), report.Fixed(l.Fairshare, 6), report.Plain(l.QueuePriority), report.Plain(l.BankPriority),
			report.Fixed(float64(l.Priority), 0), report.DashIfEmpty(report.OrEmpty(l.FluxPriority))})
	}
	return s.print(report.Table{Rows: rows, Right: func(column int) bool { return column > 3 }})
}
