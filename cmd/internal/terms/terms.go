// Package terms has priorities that are sums of terms: what each term comes to beside that of another job, and how
// they are printed.
package terms

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/report"
)

// Term is one of those that make up a priority.
type Term struct {
	Name   string        `json:"name"`
	Weight report.Number `json:"weight"`
	Factor report.Number `json:"factor"`
	Points report.Number `json:"points"` // the weight times the factor
}

// Pair is a term of one job beside that of another.
type Pair struct {
	Term
	Other      report.Number `json:"other"` // the points of the other job
	Difference report.Number `json:"difference"`
}

// Print prints the terms of a job and the priority that they make, with factors as factor returns them. A dash stands
// for weights and factors that are NaN, which is unknown.
func Print(to *report.Printer, list []Term, priority float64, factor func(float64) string) error {
	table := [][]string{{"TERM", "WEIGHT", "FACTOR", "POINTS"}}
	for _, t := range list {
		table = append(table, t.cells(factor))
	}
	return printSums(to, append(table, []string{"priority", "", "", report.Fixed(priority, 0)}))
}

// PrintPairs prints the terms of a job beside those of another, and both priorities.
func PrintPairs(to *report.Printer, list []Pair, priority float64, otherID string, other float64, factor func(float64) string) error {
	table := [][]string{{"TERM", "WEIGHT", "FACTOR", "POINTS", "JOB " + otherID, "DIFFERENCE"}}
	for _, p := range list {
		table = append(table, slices.Concat(p.cells(factor), []string{report.Fixed(float64(p.Other), 2), report.Fixed(float64(p.Difference), 2)}))
	}
	return printSums(to, append(table, []string{"priority", "", "", report.Fixed(priority, 0), report.Fixed(other, 0), report.Fixed(priority-other, 0)}))
}

func (t Term) cells(factor func(float64) string) []string {
	weight, of := report.Plain(float64(t.Weight)), factor(float64(t.Factor))
	if t.Weight.IsNaN() {
		weight, of = "-", "-"
	}
	return []string{report.Printable(t.Name), weight, of, report.Fixed(float64(t.Points), 2)}
}

func printSums(to *report.Printer, table [][]string) error {
	fmt.Fprintln(to)
	return to.Table(report.Table{Rows: table, Right: func(column int) bool { return column > 0 }})
}

// Ahead returns how many jobs are ahead of one of a rank and by what, to follow its place: "; 15 ahead: 1 by tier, 14
// by priority". It is "" where none is. keys are in the order in which they are looked at.
func Ahead(rank int, by map[string]int, keys []string) string {
	var parts []string
	for _, key := range keys {
		if by[key] > 0 {
			parts = append(parts, strconv.Itoa(by[key])+" by "+key)
		}
	}
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("; %d ahead: %s", rank-1, strings.Join(parts, ", "))
}
