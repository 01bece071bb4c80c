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
// for a number that is NaN, which is unknown; where nothing tells weights and factors, they have no columns.
func Print(to *report.Printer, list []Term, priority float64, factor func(float64) string) error {
	isWeighted := slices.ContainsFunc(list, Term.isWeighted)
	table := [][]string{slices.Concat([]string{"TERM"}, weighted(isWeighted, "WEIGHT", "FACTOR"), []string{"POINTS"})}
	for _, t := range list {
		table = append(table, t.cells(isWeighted, factor))
	}
	return printSums(to, append(table, slices.Concat([]string{"priority"}, weighted(isWeighted, "", ""), []string{report.Fixed(priority, 0)})))
}

// PrintPairs prints the terms of a job beside those of another, and both priorities.
func PrintPairs(to *report.Printer, list []Pair, priority float64, otherID string, other float64, factor func(float64) string) error {
	isWeighted := slices.ContainsFunc(list, func(p Pair) bool { return p.isWeighted() })
	table := [][]string{slices.Concat([]string{"TERM"}, weighted(isWeighted, "WEIGHT", "FACTOR"), []string{"POINTS", "JOB " + otherID, "DIFFERENCE"})}
	for _, p := range list {
		table = append(table, slices.Concat(p.cells(isWeighted, factor), []string{report.Decimals(float64(p.Other), 2), report.Decimals(float64(p.Difference), 2)}))
	}
	sums := []string{report.Fixed(priority, 0), report.Fixed(other, 0), report.Fixed(priority-other, 0)}
	return printSums(to, append(table, slices.Concat([]string{"priority"}, weighted(isWeighted, "", ""), sums)))
}

func (t Term) isWeighted() bool { return !t.Weight.IsNaN() }

// weighted returns the cells of weight and factor in a table that has their columns, none in another.
func weighted(isWeighted bool, weight, factor string) []string {
	if !isWeighted {
		return nil
	}
	return []string{weight, factor}
}

func (t Term) cells(isWeighted bool, factor func(float64) string) []string {
	weight, of := report.Plain(float64(t.Weight)), factor(float64(t.Factor))
	if !t.isWeighted() {
		weight, of = "-", "-"
	}
	return slices.Concat([]string{report.Printable(t.Name)}, weighted(isWeighted, weight, of), []string{report.Decimals(float64(t.Points), 2)})
}

func printSums(to *report.Printer, table [][]string) error {
	fmt.Fprintln(to)
	return to.Table(report.Table{Rows: table, Right: func(column int) bool { return column > 0 }})
}

// Ahead returns how many jobs are ahead of one of a rank and by what, to follow its place: "; 15 ahead: 1 by tier, 14
// by priority". It is "" where none is. keys are in the order in which they are looked at.
func Ahead(rank int, by map[string]int, keys []string) string {
	if sum := Sum(by, keys); sum != "" {
		return fmt.Sprintf("; %d ahead: %s", rank-1, sum)
	}
	return ""
}

// Sum returns how many there are by what: "1 by tier, 14 by priority". It is "" where there are none.
func Sum(by map[string]int, keys []string) string {
	var parts []string
	for _, key := range keys {
		if by[key] > 0 {
			parts = append(parts, strconv.Itoa(by[key])+" by "+key)
		}
	}
	return strings.Join(parts, ", ")
}
