package accounts

import (
	"math"
	"slices"

	"fairshare/cmd/internal/report"
)

// CutRow is a row of a table of sshare that lacks others, as it is printed.
type CutRow struct {
	Account   string        `json:"account"`
	User      string        `json:"user"` // "" for an account
	Shares    float64       `json:"raw_shares"`
	Usage     float64       `json:"raw_usage"`
	Due       report.Number `json:"norm_shares"`
	Used      report.Number `json:"effectv_usage"`
	OfShare   report.Number `json:"of_share"`  // how often it has used its share
	Fairshare report.Number `json:"fairshare"` // of a user
}

// Sheet returns the rows that are there, with Printed.
func (e *CutError) Sheet() report.Sheet {
	printed := e.Printed.ByName()
	var rows []CutRow
	for i, x := range e.list.nodes {
		of := e.list.notes[i]
		if of.number == 0 || x.Parent < 0 {
			continue
		}
		r := CutRow{Account: x.Name, Shares: x.Shares, Usage: x.Usage, Due: report.CFloat(of.due), Used: report.CFloat(float32(of.used)), OfShare: report.Number(math.NaN()), Fairshare: report.Number(math.NaN())}
		if x.User {
			r.Account, r.User = e.list.nodes[x.Parent].Name, x.Name
			if x, ok := printed[[2]string{r.Account, r.User}]; ok {
				r.Fairshare = report.Number(x)
			}
		}
		if of.due > 0 {
			r.OfShare = r.Used / r.Due
		}
		rows = append(rows, r)
	}
	name := func(title, name string, of func(CutRow) string) report.Column[CutRow] {
		return report.Column[CutRow]{Title: title, Text: of, Name: name, Cell: of}
	}
	number := func(title, name string, digits int, of func(CutRow) float64) report.Column[CutRow] {
		return report.Column[CutRow]{Title: title, Right: true, Name: name,
			Text: func(r CutRow) string { return report.DashIfEmpty(fixed(of(r), digits)) },
			Cell: func(r CutRow) string { return fixed(of(r), 6) }}
	}
	return &report.Listing[CutRow]{
		Columns: []report.Column[CutRow]{
			name("ACCOUNT", "account", func(r CutRow) string { return r.Account }),
			name("USER", "user", func(r CutRow) string { return r.User }),
			number("SHARES", "raw_shares", 0, func(r CutRow) float64 { return r.Shares }),
			number("USAGE", "raw_usage", 0, func(r CutRow) float64 { return r.Usage }),
			number("NORM SHARES", "norm_shares", 6, func(r CutRow) float64 { return float64(r.Due) }),
			number("EFFECTIVE", "effectv_usage", 6, func(r CutRow) float64 { return float64(r.Used) }),
			number("OF SHARE", "of_share", 2, func(r CutRow) float64 { return float64(r.OfShare) }),
			number("FAIRSHARE", "fairshare", 6, func(r CutRow) float64 { return float64(r.Fairshare) }),
		},
		Rows: slices.Values(rows),
		Line: func(r CutRow) any { return r },
	}
}

// fixed returns a number with some decimals, "" for one that is not known.
func fixed(x float64, decimals int) string {
	if math.IsNaN(x) {
		return ""
	}
	return report.Fixed(x, decimals)
}
