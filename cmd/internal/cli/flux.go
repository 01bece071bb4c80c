package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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
	if c.User != nil {
		jobs = slices.DeleteFunc(jobs, func(j accounts.FluxJob) bool { return !slices.Contains(c.User, j.User) })
	}
	if c.Top > 0 {
		jobs = jobs[:min(c.Top, len(jobs))]
	}
	return c.printFlux(s, jobs)
}

// fluxLine is a job of flux in JSON.
type fluxLine struct {
	Job           string         `json:"job"`
	User          string         `json:"user"`
	Bank          string         `json:"bank"`
	Queue         string         `json:"queue"`
	Urgency       int            `json:"urgency"`
	Fairshare     float64        `json:"fairshare"`
	QueuePriority float64        `json:"queue_priority"`
	BankPriority  float64        `json:"bank_priority"`
	Priority      report.Number  `json:"priority"`
	FluxPriority  *report.Number `json:"flux_priority"` // null where the list has none
}

func (c *priorityCmd) printFlux(s *session, jobs []accounts.FluxJob) error {
	header := []string{"job", "user", "bank", "queue", "urgency", "fairshare", "queue_priority", "bank_priority", "priority", "flux_priority"}
	rows := [][]string{{"JOB", "USER", "BANK", "QUEUE", "URGENCY", "FAIRSHARE", "QUEUE PRIORITY", "BANK PRIORITY", "PRIORITY", "IN FLUX"}}
	csv := [][]string{header}
	var lines []fluxLine
	for _, j := range jobs {
		lines = append(lines, fluxLine{j.ID, j.User, j.Bank, j.Queue, j.Urgency, j.Fairshare, j.QueuePriority, j.BankPriority, report.Number(j.Priority), report.Optional(j.Stored)})
		cells := []string{j.ID, j.User, j.Bank, j.Queue, strconv.Itoa(j.Urgency), report.Plain(j.Fairshare), report.Plain(j.QueuePriority), report.Plain(j.BankPriority), report.Fixed(j.Priority, 0), report.OrEmpty(report.Optional(j.Stored))}
		csv = append(csv, cells)
		row := slices.Clone(cells)
		row[5] = fmt.Sprintf("%.6f", j.Fairshare)
		if math.IsNaN(j.Stored) {
			row[9] = "-"
		}
		rows = append(rows, row)
	}
	switch c.Output {
	case "json":
		return report.WriteArray(s.out, sliceOf(lines))
	case "csv":
		w := report.NewCSV(s.out)
		for _, cells := range csv {
			w.Write(cells...)
		}
		return w.Flush()
	}
	return s.print(report.Table{Rows: rows, Right: func(column int) bool { return column > 3 }})
}
