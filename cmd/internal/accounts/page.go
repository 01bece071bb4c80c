package accounts

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// PBSPage returns PBS's tree as a page draws it: percentages, and the tree usage
// of them.
func PBSPage(title string, tree *fstree.Tree) page.Tree {
	pbs, _ := fstree.AlgorithmNamed("pbs")
	return NewTable(tree.Associations(), []fstree.Algorithm{pbs}, fstree.Options{}).Page(title)
}

// Page returns the table as a page draws it: as wide as shares, siblings with
// the most of them first.
func (t *Table) Page(title string) page.Tree {
	out := page.Tree{Title: title}
	for _, a := range t.Algorithms {
		out.Colors = append(out.Colors, page.Color{Name: a.Name})
	}
	width := t.Widths()
	order := t.widestFirst(width)
	place := make([]int, len(order))
	for i, at := range order {
		place[at] = i
		x := t.Tree.At(at)
		text := fmt.Sprintf("usage %s", report.Fixed(t.Tree.Counted(at), 0))
		if at != 0 {
			text = fmt.Sprintf("%s shares, %s", t.AppendShares(nil, at), text)
		}
		out.Nodes = append(out.Nodes, page.Node{Name: x.Name, Parent: place[max(0, x.Parent)], Width: math.Round(width[at]*1e6) / 1e6, Text: text})
		for k := range t.Algorithms {
			out.Colors[k].Used = append(out.Colors[k].Used, page.Ratio(t.OfTarget(k, at)))
		}
	}
	return out
}

// Widths returns the associations' parts of all shares; one without shares of
// its own is drawn as one share.
func (t *Table) Widths() []float64 {
	n := t.Tree.Len()
	drawn := func(at int) float64 {
		if x := t.Tree.At(at); !x.FromParent {
			return x.Shares
		}
		return 1
	}
	level, width := make([]float64, n), make([]float64, n)
	for at := 1; at < n; at++ {
		level[t.Tree.At(at).Parent] += drawn(at)
	}
	width[0] = 1
	for at := 1; at < n; at++ {
		if parent := t.Tree.At(at).Parent; level[parent] > 0 {
			width[at] = drawn(at) / level[parent] * width[parent]
		}
	}
	return width
}

// widestFirst returns the associations' places, parents before children.
func (t *Table) widestFirst(width []float64) []int {
	order := make([]int, t.Tree.Len())
	for at := range order {
		order[at] = at
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(t.depth[a], t.depth[b]), cmp.Compare(width[b], width[a]))
	})
	return order
}
