package cli

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurmsite"
	"fairshare/cmd/internal/snapshot"
)

// slurmInstead returns the Slurm site at a place that is no PBS site, or that of this host where no
// PBS is on it, as an error says. It returns the error as it is where it is another one, or there is
// no Slurm site either.
func (s *session) slurmInstead(name string, flags siteFlags, err error) (*slurmsite.Site, error) {
	var at *slurmsite.Site
	var wrong error
	var none *snapshot.Error
	switch run, isHere := slurmsite.Here(flags.Timeout); {
	case errors.Is(err, snapshot.ErrNoPBS) && isHere && flags.Server == "":
		dump, err := slurmsite.AskOrder(s.ctx, run, time.Now)
		if err != nil {
			return nil, s.failed(err)
		}
		at, wrong = dump.Site()
	case !errors.As(err, &none) || name == "" || name == "-":
		return nil, err
	default:
		if at, wrong = slurmsite.Open(name); slurmsite.IsMissing(wrong) {
			return nil, err
		}
	}
	s.say(at.Remarks...)
	if wrong != nil {
		return nil, s.failed(wrong)
	}
	return at, nil
}

// onlyPBS returns the error of a command that knows PBS alone: where the place that it names is a
// Slurm site, one that says so, and what can be asked there instead.
func onlyPBS(err error, name, instead string) error {
	switch is, wrong := isOfSlurm(err, name); {
	case wrong != nil:
		return failure{exitUnreadable, wrong}
	case !is:
		return err
	}
	return fail(exitUsage, "%s is a Slurm site: %s", name, strings.ReplaceAll(instead, "SITE", name))
}

// isOfSlurm reports whether an error is of a place that is no PBS site but a Slurm site. It is an error
// if a file of it cannot be read.
func isOfSlurm(err error, name string) (bool, error) {
	var none *snapshot.Error
	if !errors.As(err, &none) || name == "" || name == "-" {
		return false, nil
	}
	return slurmsite.IsSite(name)
}

// sortSlurm prints the jobs of a Slurm site in the order in which Slurm considers them.
func (c *sortCmd) sortSlurm(s *session, at *slurmsite.Site) error {
	if err := c.refuseOfPBS(); err != nil {
		return err
	}
	var rows []slurmsite.Row
	for _, r := range at.Rows() {
		if (r.Rank > 0 || c.All) && c.has(r.Job.User, r.Partition) && (c.Top == 0 || len(rows) < c.Top) {
			rows = append(rows, r)
		}
	}
	s.say(at.Differences()...)
	s.say(at.NoJobOf(c.User, c.Queue)...)
	switch c.Output {
	case "ids":
		for _, r := range rows {
			s.out.WriteString(report.Printable(r.Job.ID) + "\n")
		}
		return nil
	case "json":
		var lines []slurmsite.Line
		for _, r := range rows {
			lines = append(lines, r.Line())
		}
		return report.WriteArray(s.out, sliceOf(lines))
	case "csv":
		return printSlurmCSV(s, rows)
	}
	return printSlurmTable(s, rows, c.All)
}

// refuseOfPBS returns an error if a flag asks for what only PBS has.
func (c *sortCmd) refuseOfPBS() error {
	switch {
	case c.Formula != "" || c.File != "" || c.NoFormula || c.Threshold != nil:
		return fail(exitUsage, "Slurm has no job_sort_formula: leave out -f, -F, --no-formula and --threshold")
	case len(c.Set) > 0:
		return fail(exitUsage, "formula compare shows what --set changes at a Slurm site")
	case c.Output == "jobs":
		return fail(exitUsage, "-o jobs is for a list of PBS: the records of a Slurm site stand in several files")
	case c.Why:
		return fail(exitUsage, "--why is for PBS: formula explain JOB --vs ahead says what puts a job behind another")
	}
	return nil
}

// sliceOf yields the elements of a list.
func sliceOf[T any](list []T) func(func(T) bool) {
	return func(yield func(T) bool) {
		for _, x := range list {
			if !yield(x) {
				return
			}
		}
	}
}

func printSlurmCSV(s *session, rows []slurmsite.Row) error {
	w := report.NewCSV(s.out)
	header := []string{"rank", "id", "value", "computed", "user", "account", "partition", "tier", "qos", "state", "considered", "reason", "limit", "difference"}
	w.Write(append(header, slurmsite.TermNames...)...)
	for _, r := range rows {
		l := r.Line()
		cells := []string{report.Rank(l.Rank), l.ID, report.Fixed(r.Value, 0), report.OrEmpty(l.Computed), l.User, l.Account, l.Partition, report.Plain(r.Tier), l.QOS, l.State,
			strconv.FormatBool(l.Considered), l.Reason, l.Limit, l.Difference}
		for _, x := range r.Points() {
			cells = append(cells, report.OrEmpty(report.Optional(x)))
		}
		w.Write(cells...)
	}
	return w.Flush()
}

func printSlurmTable(s *session, rows []slurmsite.Row, withReasons bool) error {
	header := []string{"RANK", "JOB", "PRIORITY", "", "USER", "ACCOUNT", "PARTITION", "TIER"}
	for _, name := range slurmsite.TermNames {
		header = append(header, strings.ToUpper(strings.ReplaceAll(name, "_", " ")))
	}
	header = append(header, "REASON")
	isHeld := slices.ContainsFunc(rows, func(r slurmsite.Row) bool { return r.Limit != nil })
	if isHeld {
		header = append(header, "LIMIT")
	}
	table := [][]string{header}
	for _, r := range rows {
		mark := ""
		if r.Difference() != "" {
			mark = "*"
		}
		rank := "-"
		if r.Rank > 0 {
			rank = strconv.Itoa(r.Rank)
		}
		cells := []string{rank, r.Job.ID, report.Fixed(r.Value, 0), mark, r.Job.User, r.Job.Account, r.Partition, report.Plain(r.Tier)}
		for _, x := range r.Points() {
			cells = append(cells, report.Fixed(x, 0))
		}
		cells = append(cells, r.Reason)
		if isHeld {
			cells = append(cells, strings.TrimPrefix(r.Limit.String(), r.Reason+": "))
		}
		table = append(table, cells)
	}
	last := slices.Index(header, "REASON")
	return s.print(report.Table{Rows: table, Right: func(column int) bool { return column == 0 || column == 2 || column > 6 && column < last }})
}
