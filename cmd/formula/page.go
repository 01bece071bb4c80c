package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/google/renameio/v2"

	"fairshare/cmd/internal/page"
	"fairshare/fstree"
)

// writePage renders a page and replaces a file with it, whole or not at all.
// A link's target is replaced, and what is no file, such as a pipe, written to.
func writePage(name string, d page.Data) error {
	text, err := page.Render(d)
	if err == nil {
		err = replaceFile(name, text)
	}
	if err != nil {
		return fail(exitUnreadable, "cannot write the page: %w", err)
	}
	return nil
}

func replaceFile(name string, text []byte) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.Write(text)
		return errors.Join(err, f.Close())
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	return renameio.WriteFile(name, text, 0o644)
}

// comparePage is what compare --html shows.
func comparePage(d *difference, before, after *ranking) page.Data {
	l := before.list
	c := &page.Compare{Old: d.Old, New: d.New, Users: l.users.list, Groups: l.entities.list, Queues: l.queues.list}
	c.Summary = []page.Figure{
		{ID: "jobs", Label: "jobs in both orders", Value: strconv.Itoa(d.Jobs)},
		{ID: "moved", Label: "of them move", Value: strconv.Itoa(d.Moved)},
	}
	figure := func(id, label string, value string) {
		c.Summary = append(c.Summary, page.Figure{ID: id, Label: label, Value: value})
	}
	if d.TauB != nil {
		figure("tau", "Kendall's tau-b", strconv.FormatFloat(float64(*d.TauB), 'f', 3, 64))
	}
	for _, o := range d.Overlap {
		if o.First >= d.Jobs {
			break
		}
		figure(fmt.Sprintf("first%d", o.First), fmt.Sprintf("of the first %d stay among them", o.First), strconv.Itoa(o.Shared))
	}
	for _, f := range []struct {
		id, label string
		number    int
	}{
		{"entered", "newly considered", d.Entered}, {"under", "newly under the threshold", len(d.NewlyUnder)},
		{"left", "newly left out otherwise", len(d.NewlyLeftOut)}, {"fail", "newly failing to evaluate", len(d.NewlyFail)},
		{"tie", "newly tied with another", len(d.NewlyTie)},
	} {
		if f.number > 0 {
			figure(f.id, f.label, strconv.Itoa(f.number))
		}
	}
	for row, m := range d.Moves {
		if m.OldRank == nil && m.NewRank == nil {
			continue
		}
		if len(c.Jobs) == page.MaxJobs {
			c.Omitted++
			continue
		}
		r := l.row(row)
		c.Jobs = append(c.Jobs, page.Job{
			ID: m.ID, User: int(r.user), Group: int(r.entity), Queue: int(r.queue),
			Old: rankOf(m.OldRank), New: rankOf(m.NewRank), OldValue: short(m.OldValue), NewValue: short(m.NewValue),
		})
	}
	c.Shifts, c.ByQueue = bars(d.Entities, l.entities), bars(d.Queues, l.queues)
	for _, group := range d.groups() {
		if len(group.ids) > 0 {
			c.Lists = append(c.Lists, page.List{Label: group.what, Count: len(group.ids), IDs: group.ids[:min(len(group.ids), 500)]})
		}
	}
	out := page.Data{Title: "What a change does to the order of jobs", Compare: c}
	switch {
	case before.plan.priv == nil && after.plan.priv == nil:
	case before.plan.priv == after.plan.priv:
		out.Trees = []page.Tree{pbsPageTree("Fairshare tree: width is shares, colour is use", before.tree)}
	default:
		out.Trees = []page.Tree{
			pbsPageTree("Old fairshare tree: width is shares, colour is use", before.tree),
			pbsPageTree("New fairshare tree", after.tree),
		}
	}
	return out
}

// bars are mean shifts as a page draws them.
func bars(lines []shiftLine, in names) []page.GroupBar {
	var list []page.GroupBar
	for _, s := range lines {
		list = append(list, page.GroupBar{Group: int(in.index[s.Name]), Jobs: s.Jobs, Mean: math.Round(float64(s.Mean)*100) / 100})
	}
	return list
}

// rankOf is a rank, 0 for none.
func rankOf(rank *int) int {
	if rank == nil {
		return 0
	}
	return *rank
}

// pbsPageTree is PBS's tree: percentages, and tree usage of them.
func pbsPageTree(title string, tree *fstree.Tree) page.Tree {
	a := tree.Associations()
	pbs, _ := fstree.AlgorithmNamed("pbs")
	return newShareTable(a, []fstree.Algorithm{pbs}, fstree.Options{}).pageTree(title)
}

// pageTree is a tree as a page draws it: as wide as shares, siblings with the
// most first.
func (t *shareTable) pageTree(title string) page.Tree {
	out := page.Tree{Title: title}
	for _, a := range t.algorithms {
		out.Colors = append(out.Colors, page.Color{Name: a.Name})
	}
	width := t.widths()
	order := t.widestFirst(width)
	place := make([]int, len(order))
	for i, at := range order {
		place[at] = i
		x := t.tree.At(at)
		text := fmt.Sprintf("usage %s", plain(math.Round(x.Usage)))
		if at != 0 {
			text = fmt.Sprintf("%s shares, %s", t.shares(at), text)
		}
		out.Nodes = append(out.Nodes, page.Node{Name: x.Name, Parent: place[max(0, x.Parent)], Width: math.Round(width[at]*1e6) / 1e6, Text: text})
		for k := range t.algorithms {
			out.Colors[k].Used = append(out.Colors[k].Used, page.Ratio(t.ofTarget(k, at)))
		}
	}
	return out
}

// widths are the associations' parts of all shares; one without shares of its
// own is drawn as one share.
func (t *shareTable) widths() []float64 {
	n := t.tree.Len()
	drawn := func(i int) float64 {
		if x := t.tree.At(i); !x.FromParent {
			return x.Shares
		}
		return 1
	}
	level, width := make([]float64, n), make([]float64, n)
	for i := 1; i < n; i++ {
		level[t.tree.At(i).Parent] += drawn(i)
	}
	width[0] = 1
	for i := 1; i < n; i++ {
		if parent := t.tree.At(i).Parent; level[parent] > 0 {
			width[i] = drawn(i) / level[parent] * width[parent]
		}
	}
	return width
}

// widestFirst orders the associations, parents before children.
func (t *shareTable) widestFirst(width []float64) []int {
	order := make([]int, t.tree.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if c := cmp.Compare(t.depth[a], t.depth[b]); c != 0 {
			return c
		}
		return cmp.Compare(width[b], width[a])
	})
	return order
}
