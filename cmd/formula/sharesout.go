package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/report"
)

// associationLine is what does not depend on the algorithm, in JSON.
type associationLine struct {
	Account   string        `json:"account"`
	User      string        `json:"user"`
	RawShares any           `json:"raw_shares"` // a number, "parent", or null for the root
	RawUsage  report.Number `json:"raw_usage"`
}

// shareLine is an association under one algorithm.
type shareLine struct {
	associationLine
	standingLine
}

// sharesLine is an association under several algorithms.
type sharesLine struct {
	associationLine
	Change     int                     `json:"change"`
	Ranks      map[string]*int         `json:"ranks"`
	Algorithms map[string]standingLine `json:"algorithms"`
}

func (t *shareTable) association(i int) associationLine {
	x := t.tree.At(i)
	account, user := t.names(i)
	line := associationLine{Account: account, User: user, RawUsage: report.Number(x.Usage)}
	switch {
	case i == 0:
	case x.FromParent:
		line.RawShares = "parent"
	default:
		line.RawShares = report.Number(x.Shares)
	}
	return line
}

func (s *session) printSharesJSON(t *shareTable) error {
	return printArray(s, t.rows, func(row shareRow) any {
		association := t.association(row.at)
		if len(t.algorithms) == 1 {
			return shareLine{association, t.standing(0, row.at)}
		}
		all := sharesLine{association, row.change, map[string]*int{}, map[string]standingLine{}}
		for k, a := range t.algorithms {
			standing := t.standing(k, row.at)
			all.Algorithms[a.Name], all.Ranks[a.Name] = standing, standing.Rank
		}
		return all
	})
}

func (s *session) printSharesCSV(t *shareTable) error {
	w := csv.NewWriter(s.out)
	header := []string{"account", "user", "raw_shares", "raw_usage"}
	standing := []string{"norm_shares", "effective_usage", "fairshare", "level_fs", "rank", "of_target", "reading"}
	if len(t.algorithms) == 1 {
		header = append(header, standing...)
	} else {
		header = append(header, "change")
		for _, a := range t.algorithms {
			for _, column := range standing {
				header = append(header, a.Name+" "+column)
			}
		}
	}
	w.Write(header)
	for _, row := range t.rows {
		a := t.association(row.at)
		record := []string{a.Account, a.User, t.shares(row.at), plain(float64(a.RawUsage))}
		if len(t.algorithms) > 1 {
			record = append(record, strconv.Itoa(row.change))
		}
		for k := range t.algorithms {
			l := t.standing(k, row.at)
			for _, x := range []*report.Number{l.NormShares, l.EffectiveUsage, l.Fairshare, l.LevelFS} {
				record = append(record, known(x))
			}
			record = append(record, rankText(l.Rank), known(l.OfTarget), l.Reading)
		}
		w.Write(record)
	}
	w.Flush()
	return w.Error()
}

// shares are an association's raw shares as Slurm prints them.
func (t *shareTable) shares(i int) string {
	switch x := t.tree.At(i); {
	case i == 0:
		return ""
	case x.FromParent:
		return "parent"
	default:
		return plain(x.Shares)
	}
}

func (s *session) printShares(t *shareTable) {
	if len(t.algorithms) > 1 {
		s.printManyShares(t)
		return
	}
	a := t.algorithms[0]
	header := []string{"ACCOUNT", "USER", "SHARES", "USAGE", "RANK", "FAIRSHARE", "LEVEL FS", "READING", "NORM SHARES", "EFFECTIVE"}
	table := [][]string{header}
	for _, row := range t.rows {
		const most = 40 // columns of indent
		account, user := t.names(row.at)
		l := t.standing(0, row.at)
		table = append(table, []string{
			strings.Repeat(" ", min(row.indent, most)) + account, user, t.shares(row.at), usageText(t.tree.At(row.at).Usage), rankText(l.Rank),
			sixDecimals(l.Fairshare), sixDecimals(l.LevelFS), l.Reading, sixDecimals(l.NormShares), sixDecimals(l.EffectiveUsage),
		})
	}
	if !a.ByRank { // there is no level FS
		for i := range table {
			table[i] = slices.Delete(table[i], 6, 7)
		}
	}
	reading := slices.Index(table[0], "READING")
	s.printCells(table, func(column int) bool { return column >= 2 && column != reading })
	fmt.Fprintf(s.out, "\n%s. ", a.Title)
	if a.ByRank {
		fmt.Fprintf(s.out, "The rank decides; level FS above 1 means less used than due at its level.\n")
	} else {
		fmt.Fprintf(s.out, "Fairshare 0.5 is on target, above it less was used than is due.\n")
	}
}

// printManyShares shows users' ranks side by side. Where a terminal is too
// narrow for what was used beside each, the ranks stand alone.
func (s *session) printManyShares(t *shareTable) {
	wide := s.manyShares(t, true)
	table := wide
	if width := s.terminalWidth(); width > 0 && tableWidth(wide) > width {
		table = s.manyShares(t, false)
	}
	step := (len(table[0]) - 5) / len(t.algorithms)
	s.printCells(table, func(column int) bool { return column >= 2 && (column < 5 || (column-5)%step == 0) })
	if step == 1 {
		return
	}
	fmt.Fprint(s.out, `
Each rank with what was used of the target: below 1.00x is under target, above
it over, = on it; - has no shares. In Fair Tree and the walk it is the target
within the level, and "top" is Fairshare=parent.
`)
}

func (s *session) manyShares(t *shareTable, marks bool) [][]string {
	header := []string{"ACCOUNT", "USER", "SHARES", "USAGE", "CHANGE"}
	for _, a := range t.algorithms {
		header = append(header, strings.ToUpper(a.Name))
		if marks {
			header = append(header, "")
		}
	}
	table := [][]string{header}
	for _, row := range t.rows {
		x := t.tree.At(row.at)
		if !x.User {
			break // accounts have no ranks
		}
		account, user := t.names(row.at)
		cells := []string{account, user, t.shares(row.at), usageText(x.Usage), strconv.Itoa(row.change)}
		for k := range t.algorithms {
			cells = append(cells, strconv.Itoa(int(t.ranks[k][row.at])))
			if marks {
				cells = append(cells, t.mark(k, row.at))
			}
		}
		table = append(table, cells)
	}
	return table
}

// mark is a reading in a few letters.
func (t *shareTable) mark(k, i int) string {
	used := t.ofTarget(k, i)
	switch {
	case math.IsNaN(used) && t.tree.At(i).FromParent:
		return "top"
	case math.IsNaN(used):
		return "-"
	case onTarget(used):
		return "="
	}
	return times(used)
}
