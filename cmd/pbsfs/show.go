package main

import (
	"fmt"
	"strings"

	"fairshare/fstree"
)

// show runs a mode that prints. Each computes from the tree and the operands;
// its JSON has the same content as its text.
func (p *program) show() int {
	switch p.cli.mode {
	case 't':
		p.showNames()
	case 'g':
		id, ok := p.find(p.cli.Operands[0])
		if !ok {
			return 1
		}
		p.showEntity(id)
	case 'c':
		a, ok := p.find(p.cli.Operands[0])
		if !ok {
			return 1
		}
		b, ok := p.find(p.cli.Operands[1])
		if !ok {
			return 1
		}
		p.showWinner(a, b)
	default:
		p.showTree()
	}
	return 0
}

func (p *program) showTree() {
	tree := p.data.Tree
	if p.cli.JSON {
		p.encodeTree(func(id fstree.ID, depth int) any {
			j := newEntityJSON(tree.Entity(id))
			j.Depth = &depth
			return j
		})
		return
	}
	fmt.Fprintf(p.out, "Fairshare usage units are in: %s\n", p.data.Config.UsageRes)
	for id := range tree.Preorder() {
		e := tree.Entity(id)
		fmt.Fprintf(p.out, "%s: Grp: %-5d  cgrp: %-5dShares: %-6d Usage: %-6s Perc: %6.3f%%\n",
			column(e.Name), e.Resgroup, e.Cresgroup, e.Shares, whole(e.Usage), percent(e))
	}
}

func (p *program) showNames() {
	tree := p.data.Tree
	if p.cli.JSON {
		p.encodeTree(func(id fstree.ID, depth int) any {
			e := tree.Entity(id)
			return nameJSON{Name: e.Name, Cresgroup: e.Cresgroup, Depth: depth}
		})
		return
	}
	for id, depth := range tree.Preorder() {
		e := tree.Entity(id)
		fmt.Fprintf(p.out, "%s%s(%d)\n", strings.Repeat(" ", max(1, depth*5)), e.Name, e.Cresgroup)
	}
}

func (p *program) showEntity(id fstree.ID) {
	tree := p.data.Tree
	e := tree.Entity(id)
	path := tree.Path(id)
	if p.cli.JSON {
		j := newEntityJSON(e)
		j.Units = p.data.Config.UsageRes
		for _, id := range path {
			j.Path = append(j.Path, newEntityJSON(tree.Entity(id)))
		}
		p.encode(j)
		return
	}
	fmt.Fprintf(p.out, "fairshare entity: %s\n", e.Name)
	fmt.Fprintf(p.out, "Resgroup\t\t: %d\n", e.Resgroup)
	fmt.Fprintf(p.out, "cresgroup\t\t: %d\n", e.Cresgroup)
	fmt.Fprintf(p.out, "Shares\t\t\t: %d\n", e.Shares)
	fmt.Fprintf(p.out, "Percentage\t\t: %s%%\n", sixDecimals(float64(percent(e))))
	fmt.Fprintf(p.out, "fairshare_tree_usage\t: %s\n", sixDecimals(float64(e.TreeUsage)))
	fmt.Fprintf(p.out, "usage\t\t\t: %s (%s)\n", whole(e.Usage), p.data.Config.UsageRes)
	fmt.Fprintf(p.out, "usage/perc\t\t: %s\n", whole(e.PerShare()))
	fmt.Fprintf(p.out, "Path from root: \n")
	for _, id := range path {
		e := tree.Entity(id)
		fmt.Fprintf(p.out, "%s: %5d %10s / %5.3f = %s\n",
			column(e.Name), e.Cresgroup, whole(e.Usage), e.TreePercentage, whole(e.PerShare()))
	}
}

func (p *program) showWinner(a, b fstree.ID) {
	order := p.data.Tree.Compare(a, b)
	names := p.cli.Operands
	if p.cli.JSON {
		j := winnerJSON{A: names[0], B: names[1]}
		switch {
		case order < 0:
			j.Winner = &names[0]
		case order > 0:
			j.Winner = &names[1]
		}
		p.encode(j)
		return
	}
	switch {
	case order < 0:
		fmt.Fprintln(p.out, names[0])
	case order > 0:
		fmt.Fprintln(p.out, names[1])
	default:
		fmt.Fprintf(p.out, "%s == %s\n", names[0], names[1])
	}
}
