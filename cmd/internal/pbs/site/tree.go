package site

import (
	"fmt"
	"strings"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/site"
)

// Tree returns the fairshare tree of a place with what settings change, or that of a single file, which is written
// in a format.
func (p *Place) Tree(from accounts.Format, settings []string) (site.Tree, []diag.Remark, error) {
	if p.Files.SchedPriv.Name == "" && len(p.Jobs) > 0 && p.Jobs[0].Member == "" {
		return readTree(p.Jobs[0], from, settings)
	}
	for _, setting := range settings {
		if strings.HasPrefix(setting, "queue.") || strings.HasPrefix(setting, "server.") {
			return site.Tree{}, p.remarks, diag.Requestf("--set %s: a tree depends on shares and usage alone", setting)
		}
	}
	at, remarks, err := p.Files.OfTree(p.Files.Partition)
	if err != nil {
		return site.Tree{}, p.remarks, err
	}
	remarks = append(p.remarks, remarks...)
	if !at.HasTree() {
		name := p.Name
		if name == "" {
			name = p.Files.SchedPriv.Name
		}
		return site.Tree{}, remarks, fmt.Errorf("%s has %sno fairshare tree (sched_priv/resource_group)", name, p.holds())
	}
	changed, more, err := WhatIf(at, settings)
	if err != nil {
		return site.Tree{}, remarks, err
	}
	return site.Tree{Associations: changed.SchedPriv.Tree.Associations(), Taken: p.Taken}, append(remarks, more...), nil
}

// readTree reads the tree of a file.
func readTree(from file.Source, format accounts.Format, settings []string) (site.Tree, []diag.Remark, error) {
	if len(settings) > 0 {
		return site.Tree{}, nil, diag.Requestf("--set changes the tree of a sched_priv, and no other one")
	}
	tree, format, err := accounts.ReadTree(from, format)
	return site.Tree{Associations: tree, Format: format}, nil, err
}
