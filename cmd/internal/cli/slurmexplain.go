package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurmsite"
)

// explainSlurm explains the place of a job of a Slurm site.
func (c *explainCmd) explainSlurm(s *session, at *slurmsite.Site) error {
	if c.Formula != "" || c.File != "" || len(c.Set) > 0 {
		return fail(exitUsage, "Slurm has no job_sort_formula: leave out -f, -F and --set")
	}
	rows := at.Rows()
	row, err := c.slurmRow(rows)
	if err != nil {
		return failure{exitUsage, err}
	}
	if c.Output == "json" {
		return s.encode(newSlurmLine(row))
	}
	c.printSlurmHeading(s, rows, row)
	if math.IsNaN(row.Priority) {
		return nil
	}
	other, err := c.slurmOther(rows, row)
	if err != nil {
		return failure{exitUsage, err}
	}
	return printSlurmTerms(s, at, row, other)
}

// slurmRow returns the row to explain.
func (c *explainCmd) slurmRow(rows []slurmsite.Row) (slurmsite.Row, error) {
	if c.User == "" {
		return slurmsite.Find(rows, c.Job)
	}
	for _, r := range rows {
		if r.Job.User == c.User {
			return r, nil
		}
	}
	return slurmsite.Row{}, fmt.Errorf("%s has no job", c.User)
}

// slurmOther returns the row that --vs names, nil for none.
func (c *explainCmd) slurmOther(rows []slurmsite.Row, row slurmsite.Row) (*slurmsite.Row, error) {
	switch {
	case c.Vs == "":
		return nil, nil
	case c.Vs == "first":
		return &rows[0], nil
	case c.Vs == "ahead" && row.Rank > 1:
		return &rows[row.Rank-2], nil // those that are considered come first
	case c.Vs == "ahead":
		return nil, fmt.Errorf("there is no job ahead of %s", row.Job.ID)
	}
	other, err := slurmsite.Find(rows, c.Vs)
	return &other, err
}

// printSlurmHeading says whose job it is, where it stands and what put it there.
func (c *explainCmd) printSlurmHeading(s *session, rows []slurmsite.Row, row slurmsite.Row) {
	considered := 0
	ahead := map[string]int{}
	for _, r := range rows {
		if r.Rank == 0 {
			continue
		}
		considered++
		if r.Rank < row.Rank {
			ahead[slurmsite.Ahead(r, row)]++
		}
	}
	fmt.Fprintf(s.out, "job %s of %s, account %s, partition %s, QOS %s\n", report.Printable(row.Job.ID), report.Printable(row.Job.User), report.Printable(row.Job.Account), report.Printable(row.Partition), report.Printable(row.Job.QOS))
	if row.Rank == 0 {
		fmt.Fprintf(s.out, "Slurm does not consider it: %s\n", report.Printable(row.Reason))
		return
	}
	fmt.Fprintf(s.out, "rank %d of %d, priority %s in a partition of tier %s", row.Rank, considered, report.Fixed(row.Value, 0), report.Plain(row.Tier))
	var parts []string
	for _, key := range []string{"reservation", "tier", "priority", "number"} {
		if ahead[key] > 0 {
			parts = append(parts, strconv.Itoa(ahead[key])+" by "+key)
		}
	}
	if parts != nil {
		fmt.Fprintf(s.out, "; %d ahead: %s", row.Rank-1, strings.Join(parts, ", "))
	}
	fmt.Fprintln(s.out)
	if row.Reason != "" {
		fmt.Fprintf(s.out, "it waits for: %s\n", report.Printable(row.Reason))
	}
	if row.Limit != nil {
		fmt.Fprintf(s.out, "a limit holds it: %s\n", report.Printable(row.Limit.String()))
	}
	if text := row.Difference(); text != "" {
		fmt.Fprintf(s.out, "the priorities differ: %s\n", text)
	}
}

// printSlurmTerms prints what makes up a priority, beside that of another job.
func printSlurmTerms(s *session, at *slurmsite.Site, row slurmsite.Row, other *slurmsite.Row) error {
	table := [][]string{{"TERM", "WEIGHT", "FACTOR", "POINTS"}}
	terms, points := at.Terms(row), map[string]float64{}
	if other != nil {
		table[0] = append(table[0], "JOB "+other.Job.ID, "DIFFERENCE")
		for _, t := range at.Terms(*other) {
			points[t.Name] = t.Points
			if !slices.ContainsFunc(terms, func(own slurmsite.Term) bool { return own.Name == t.Name }) {
				terms = append(terms, slurmsite.Term{Name: t.Name, Weight: t.Weight})
			}
		}
	}
	for _, t := range terms {
		cells := []string{t.Name, report.Plain(t.Weight), report.Fixed(t.Factor, 6), report.Fixed(t.Points, 2)}
		if other != nil {
			cells = append(cells, report.Fixed(points[t.Name], 2), report.Fixed(t.Points-points[t.Name], 2))
		}
		table = append(table, cells)
	}
	total := []string{"priority", "", "", report.Fixed(row.Priority, 0)}
	if other != nil {
		total = append(total, report.Fixed(other.Priority, 0), report.Fixed(row.Priority-other.Priority, 0))
	}
	fmt.Fprintln(s.out)
	if err := s.print(report.Table{Rows: append(table, total), Right: func(column int) bool { return column > 0 }}); err != nil {
		return err
	}
	if other != nil && row.Rank > 0 && other.Rank > 0 {
		first, second := row, *other
		if second.Rank < first.Rank {
			first, second = second, first
		}
		fmt.Fprintf(s.out, "\njob %s goes first: by %s\n", report.Printable(first.Job.ID), slurmsite.Ahead(first, second))
	}
	return nil
}
