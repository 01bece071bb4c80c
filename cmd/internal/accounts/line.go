package accounts

import (
	"io"
	"iter"
	"strconv"

	"fairshare/cmd/internal/report"
)

// associationLine is what JSON says of an association whatever the algorithm.
type associationLine struct {
	Account   string        `json:"account"`
	User      string        `json:"user"`
	RawShares any           `json:"raw_shares"` // a number, "parent", or null for the root
	RawUsage  report.Number `json:"raw_usage"`
}

// plainLine is an association under one algorithm.
type plainLine struct {
	associationLine
	Standing
}

// comparedLine is an association under several algorithms.
type comparedLine struct {
	associationLine
	Change     int                 `json:"change"`
	Ranks      map[string]*int     `json:"ranks"`
	Algorithms map[string]Standing `json:"algorithms"`
}

func (t *Table) associationLine(at int) associationLine {
	x := t.Tree.At(at)
	account, user := t.Names(at)
	l := associationLine{Account: account, User: user, RawUsage: report.Number(t.Tree.Counted(at))}
	switch {
	case at == 0:
	case x.FromParent:
		l.RawShares = "parent"
	default:
		l.RawShares = report.Number(x.Shares)
	}
	return l
}

// Lines yields the rows as JSON has them.
func (t *Table) Lines() iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, row := range t.Rows {
			var one any
			at := int(row.At)
			if association := t.associationLine(at); len(t.Algorithms) == 1 {
				one = plainLine{association, t.Standing(0, at)}
			} else {
				all := comparedLine{association, t.Change(at), map[string]*int{}, map[string]Standing{}}
				for k, a := range t.Algorithms {
					standing := t.Standing(k, at)
					all.Algorithms[a.Name], all.Ranks[a.Name] = standing, standing.Rank
				}
				one = all
			}
			if !yield(one) {
				return
			}
		}
	}
}

// WriteCSV writes the rows as CSV. Of several algorithms, each has columns of its own.
func (t *Table) WriteCSV(w io.Writer) error {
	out := report.NewCSV(w)
	header := report.Keys(associationLine{})
	if len(t.Algorithms) == 1 {
		header = append(header, report.Keys(Standing{})...)
	} else {
		header = append(header, "change")
		for _, a := range t.Algorithms {
			for _, key := range report.Keys(Standing{}) {
				header = append(header, a.Name+" "+key)
			}
		}
	}
	out.Write(header...)
	for _, row := range t.Rows {
		at := int(row.At)
		cells := report.Cells(t.associationLine(at))
		if len(t.Algorithms) > 1 {
			cells = append(cells, strconv.Itoa(t.Change(at)))
		}
		for k := range t.Algorithms {
			cells = append(cells, report.Cells(t.Standing(k, at))...)
		}
		out.Write(cells...)
	}
	return out.Flush()
}
