package pbssite

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/snapshot"
	"fairshare/fstree"
)

// TreeNames are what a person names a fairshare tree with.
type TreeNames struct {
	Argument, Snapshot, SchedPriv string
	From                          string   // how it is written: "auto", "sched-priv", or one of accounts' formats
	Settings                      []string // that change it

	Complex *site.Names // whose complex has it; nil for none
}

// Tree is a fairshare tree.
type Tree struct {
	*fstree.Associations
	Format accounts.Format // that it was written in, "" for PBS's
	Taken  time.Time       // when the snapshot was that has it, zero if it is not known
}

// errNotPBS is for settings of a tree of another scheduler.
var errNotPBS = diag.Requestf("--set changes the tree of a sched_priv, and no other one")

// Tree returns the fairshare tree that names lead to, standard input's where they name none.
func (n TreeNames) Tree(ctx context.Context, in *site.Input) (Tree, []diag.Remark, error) {
	name := ""
	named := 0
	for _, given := range []string{n.Argument, n.Snapshot, n.SchedPriv} {
		if given != "" {
			named++
			name = given
		}
	}
	isPriv := n.From == "sched-priv" || n.SchedPriv != ""
	if n.Complex != nil {
		return n.ofComplex(ctx, named)
	}
	switch {
	case named > 1:
		return Tree{}, nil, diag.Requestf("the tree is named twice: leave out the argument, --snapshot or --sched-priv")
	case (n.Snapshot != "" || n.SchedPriv != "") && n.From != "auto" && n.From != "sched-priv":
		return Tree{}, nil, diag.Requestf("--from %s is not what --snapshot and --sched-priv name", n.From)
	case len(n.Settings) > 0 && n.From != "auto" && n.From != "sched-priv":
		return Tree{}, nil, errNotPBS
	case name == "" && isPriv:
		return Tree{}, nil, diag.Requestf("--from sched-priv needs a directory")
	case name == "" && in.IsTerminal():
		return Tree{}, nil, diag.Requestf("which tree? Give a snapshot, a sched_priv or a file")
	case name == "":
		name = "-"
	}
	if isPriv {
		return n.ofPriv(name, file.DirAt(name))
	}
	snap, err := openSnapshot(name, in, "the tree")
	if err != nil {
		return Tree{}, nil, err
	}
	switch {
	case !snap.IsFile():
		tree, remarks, err := n.ofPriv(name, snap.Files().SchedPriv)
		tree.Taken, _ = snap.Taken()
		return tree, append(snap.Remarks, remarks...), err
	case n.Snapshot != "":
		return Tree{}, snap.Remarks, diag.Requestf("--snapshot %s is a single file and no snapshot", name)
	case len(n.Settings) > 0:
		return Tree{}, snap.Remarks, errNotPBS
	}
	tree, format, err := accounts.ReadTree(snap.File(), accounts.Format(n.From))
	if err != nil {
		return Tree{}, snap.Remarks, err
	}
	return Tree{Associations: tree, Format: format}, snap.Remarks, nil
}

// ofComplex returns the tree of a complex.
func (n TreeNames) ofComplex(ctx context.Context, named int) (Tree, []diag.Remark, error) {
	if named > 0 || n.From != "auto" && n.From != "sched-priv" {
		return Tree{}, nil, diag.Requestf("--live or --server and another one both name the tree, give one of them")
	}
	snap, err := ask(ctx, *n.Complex, []snapshot.Part{snapshot.SchedPriv})
	if err != nil {
		return Tree{}, nil, err
	}
	tree, remarks, err := n.ofPriv(snap.Name, snap.Files().SchedPriv)
	return tree, append(snap.Remarks, remarks...), err
}

// ofPriv returns the tree of a sched_priv, with what settings change.
func (n TreeNames) ofPriv(name string, dir file.Dir) (Tree, []diag.Remark, error) {
	for _, setting := range n.Settings {
		if strings.HasPrefix(setting, "queue.") || strings.HasPrefix(setting, "server.") {
			return Tree{}, nil, diag.Requestf("--set %s: a tree depends on shares and usage alone", setting)
		}
	}
	read, remarks, err := pbs.Files{SchedPriv: dir}.Read()
	if err != nil {
		return Tree{}, nil, err
	}
	if !read.HasTree() {
		return Tree{}, remarks, fmt.Errorf("%s has no fairshare tree (sched_priv/resource_group)", name)
	}
	changed, more, err := WhatIf(read, n.Settings)
	if err != nil {
		return Tree{}, remarks, err
	}
	return Tree{Associations: changed.SchedPriv.Tree.Associations()}, append(remarks, more...), nil
}
