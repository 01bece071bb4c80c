package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurmsite"
)

// explainSlurm explains the place of a job of a Slurm site.
func (c *explainCmd) explainSlurm(s *session, at *slurmsite.Site) error {
	if c.Formula != "" || c.File != "" {
		return fail(exitUsage, "Slurm has no job_sort_formula: leave out -f and -F")
	}
	rows := at.Rows()
	if len(c.Set) > 0 {
		changed, changes, err := at.With(c.Set)
		if err != nil {
			return err
		}
		after, remarks := at.After(rows, changed, changes)
		changed.FindLimits(after)
		s.say(remarks...)
		at, rows = changed, after
	}
	row, err := c.slurmRow(rows)
	if err != nil {
		return failure{exitUsage, err}
	}
	if c.Vs == "" {
		e := at.Explain(rows, row)
		if c.Output == "json" {
			return s.encode(e)
		}
		printSlurmHeading(s, e)
		return printSlurmTerms(s, e)
	}
	other, err := slurmsite.Other(rows, row, c.Vs)
	if err != nil {
		return failure{exitUsage, err}
	}
	v := at.Compare(rows, row, other)
	if c.Output == "json" {
		return s.encode(v)
	}
	printSlurmHeading(s, v.Job)
	return printSlurmVersus(s, v)
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

// printSlurmHeading says whose job it is, where it stands and what put it there.
func printSlurmHeading(s *session, e slurmsite.Explanation) {
	fmt.Fprintf(s.out, "job %s of %s, account %s, partition %s, QOS %s\n", report.Printable(e.ID), report.Printable(e.User), report.Printable(e.Account), report.Printable(e.Partition), report.Printable(e.QOS))
	if e.Rank == nil {
		fmt.Fprintf(s.out, "Slurm does not consider it: %s\n", report.Printable(e.Reason))
		return
	}
	fmt.Fprintf(s.out, "rank %d of %d, priority %s in a partition of tier %s", *e.Rank, e.Of, report.Fixed(float64(e.Value), 0), report.Plain(float64(e.Tier)))
	var parts []string
	for _, key := range slurmsite.Keys {
		if e.Ahead[key] > 0 {
			parts = append(parts, strconv.Itoa(e.Ahead[key])+" by "+key)
		}
	}
	if parts != nil {
		fmt.Fprintf(s.out, "; %d ahead: %s", *e.Rank-1, strings.Join(parts, ", "))
	}
	fmt.Fprintln(s.out)
	if e.Reason != "" {
		fmt.Fprintf(s.out, "it waits for: %s\n", report.Printable(e.Reason))
	}
	if e.Limit != "" {
		fmt.Fprintf(s.out, "a limit holds it: %s\n", report.Printable(e.Limit))
	}
	if e.Difference != "" {
		fmt.Fprintf(s.out, "the priorities differ: %s\n", e.Difference)
	}
}

// termCells are the cells of a term in a table.
func termCells(t slurmsite.Term) []string {
	return []string{t.Name, report.Plain(float64(t.Weight)), report.Fixed(float64(t.Factor), 6), report.Fixed(float64(t.Points), 2)}
}

// printSlurmTerms prints what makes up a priority.
func printSlurmTerms(s *session, e slurmsite.Explanation) error {
	if e.Computed == nil {
		return nil
	}
	table := [][]string{{"TERM", "WEIGHT", "FACTOR", "POINTS"}}
	for _, t := range e.Parts {
		table = append(table, termCells(t))
	}
	return printSlurmSums(s, append(table, []string{"priority", "", "", report.Fixed(float64(*e.Computed), 0)}))
}

// printSlurmVersus prints what makes up two priorities, and which of the jobs goes first.
func printSlurmVersus(s *session, v slurmsite.Versus) error {
	if len(v.Pairs) == 0 {
		if err := printSlurmTerms(s, v.Job); err != nil {
			return err
		}
		return printSlurmFirst(s, v)
	}
	table := [][]string{{"TERM", "WEIGHT", "FACTOR", "POINTS", "JOB " + v.Other.ID, "DIFFERENCE"}}
	for _, p := range v.Pairs {
		table = append(table, slices.Concat(termCells(p.Term), []string{report.Fixed(float64(p.Other), 2), report.Fixed(float64(p.Difference), 2)}))
	}
	own, other := float64(*v.Job.Computed), float64(*v.Other.Computed)
	if err := printSlurmSums(s, append(table, []string{"priority", "", "", report.Fixed(own, 0), report.Fixed(other, 0), report.Fixed(own-other, 0)})); err != nil {
		return err
	}
	return printSlurmFirst(s, v)
}

// printSlurmFirst prints which of two jobs goes first, or that Slurm does not consider the other one.
func printSlurmFirst(s *session, v slurmsite.Versus) error {
	text := ""
	switch {
	case v.First != "":
		text = fmt.Sprintf("job %s goes first: by %s", v.First, v.By)
	case v.Other.Rank == nil:
		text = fmt.Sprintf("Slurm does not consider job %s: %s", v.Other.ID, v.Other.Reason)
	default:
		return nil // the heading says that it does not consider the job
	}
	_, err := fmt.Fprintf(s.out, "\n%s\n", report.Printable(text))
	return err
}

func printSlurmSums(s *session, table [][]string) error {
	fmt.Fprintln(s.out)
	return s.print(report.Table{Rows: table, Right: func(column int) bool { return column > 0 }})
}
