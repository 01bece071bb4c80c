package cli

import (
	"strconv"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/flux"
	"fairshare/cmd/internal/report"
)

// ofFlux prints the priorities of flux's jobs.
func (c *priorityCmd) ofFlux(s *session) error {
	if t, err := s.in.Tree(c.List, ""); c.List != "" && err == nil && t.FS != nil {
		if len(c.Set) > 0 {
			return fail(exitUsage, "%s is a whole site: formula compare %s --set shows what changes", c.List, c.List)
		}
		return c.ofSite(s)
	}
	if c.SlurmConf != "" || c.QOS != "" || c.At != nil {
		return fail(exitUsage, "--flux needs jobs, --shares and --set only: leave out --slurm-conf, --qos and --at")
	}
	at, err := flux.NewSite(c.Set)
	if err != nil {
		return err
	}
	if c.Shares != "" {
		if at.Tree, _, err = accounts.ReadTree(file.At(c.Shares), accounts.Auto); err != nil {
			return s.failed(err)
		}
	}
	from, err := c.jobs(s)
	if err != nil {
		return err
	}
	jobs, err := flux.ReadJobs(from)
	if err != nil {
		return s.failed(err)
	}
	ranked, remarks := at.Rank(jobs)
	s.say(remarks...)
	lines := flux.Lines(ranked, c.User, c.Top)
	return printLines(s, c.Output, lines, func() error { return printFlux(s, lines) })
}

func printFlux(s *session, lines []flux.Line) error {
	rows := [][]string{{"JOB", "USER", "BANK", "QUEUE", "URGENCY", "FAIRSHARE", "QUEUE PRIORITY", "BANK PRIORITY", "PRIORITY", "IN FLUX"}}
	for _, l := range lines {
		rows = append(rows, []string{l.Job, l.User, l.Bank, l.Queue, strconv.Itoa(l.Urgency), report.Fixed(l.Fairshare, 6), report.Plain(l.QueuePriority), report.Plain(l.BankPriority),
			report.Fixed(float64(l.Priority), 0), report.DashIfEmpty(report.OrEmpty(l.FluxPriority))})
	}
	return s.print(report.Table{Rows: rows, Right: func(column int) bool { return column > 3 }})
}
