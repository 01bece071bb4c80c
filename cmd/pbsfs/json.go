package main

import (
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// The forms of --json. Percentages are fractions of 1; numbers that JSON
// lacks are "inf", "-inf" and "nan".

type entityJSON struct {
	Name       string        `json:"name"`
	Depth      *int          `json:"depth,omitempty"`
	Resgroup   int32         `json:"resgroup"`
	Cresgroup  int32         `json:"cresgroup"`
	Shares     int32         `json:"shares"`
	Usage      report.Number `json:"usage"`
	Percentage report.Number `json:"tree_percentage"`
	TreeUsage  report.Number `json:"fairshare_tree_usage"`
	Factor     report.Number `json:"fairshare_factor"`
	PerShare   report.Number `json:"usage_per_share"`
	Units      string        `json:"usage_units,omitempty"`
	Path       []entityJSON  `json:"path,omitempty"` // from the root, -g only
}

type nameJSON struct {
	Name      string `json:"name"`
	Cresgroup int32  `json:"cresgroup"`
	Depth     int    `json:"depth"` // 0 is the root
}

type winnerJSON struct {
	A      string  `json:"a"`
	B      string  `json:"b"`
	Winner *string `json:"winner"` // null when neither goes first
}

func newEntityJSON(e fstree.Entity) entityJSON {
	return entityJSON{
		Name:       e.Name,
		Resgroup:   e.Resgroup,
		Cresgroup:  e.Cresgroup,
		Shares:     e.Shares,
		Usage:      report.Number(e.Usage),
		Percentage: report.Number(e.TreePercentage),
		TreeUsage:  report.Number(e.TreeUsage),
		Factor:     report.Number(e.Factor()),
		PerShare:   report.Number(e.PerShare()),
	}
}

// encode prints one object on a line. Nothing in the types above can fail to
// encode, and run reports a failing writer.
func (p *program) encode(v any) { report.WriteLine(p.out, v) }

// encodeTree prints an array with one node a line, in the order of the text.
func (p *program) encodeTree(node func(id fstree.ID, depth int) any) {
	report.WriteArray(p.out, func(yield func(any) bool) {
		for id, depth := range p.data.Tree.Preorder() {
			if !yield(node(id, depth)) {
				return
			}
		}
	})
}
