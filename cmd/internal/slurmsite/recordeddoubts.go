package slurmsite

import (
	"strings"

	"fairshare/cmd/internal/slurm"
)

// mostExpanded is how many names of nodes are expanded in all: lists that come later are not looked at.
const mostExpanded = 1 << 26

// doubt notes what of a row a replay cannot follow, or has to put right.
func (r *recordReader) doubt(x *Recorded, row record) {
	if x.Start > 0 && x.Start < x.Submit {
		x.Submit, x.Eligible = x.Start, x.Start
		x.notes = append(x.notes, "started before they could run, as their times say: they come when they started")
	}
	if suspended, err := slurm.Duration(row["suspended"]); err == nil && suspended > 0 {
		x.notes = append(x.notes, "suspended for some time, which is not modelled: they keep their CPUs meanwhile")
	}
	if x.Start > 0 && !r.hasNodes(x.NodeList) {
		x.notes = append(x.notes, "ran on nodes that the site does not have: it had others then, or is another one")
	}
}

// hasNodes reports whether the site has all nodes of a list, as far as this can be told.
func (r *recordReader) hasNodes(list string) bool {
	if list == "" || strings.HasPrefix(list, "None") || r.nodes.Has(list) {
		return true
	}
	has, isKnown := r.lists[list]
	if !isKnown {
		has = true
		for _, name := range r.hosts(list) {
			has = has && r.nodes.Has(name)
		}
		r.lists[list] = has
	}
	return has
}

// hosts expands a list of nodes; nil if it cannot be read, or if those before it had too many names.
func (r *recordReader) hosts(list string) []string {
	if r.expanded > mostExpanded {
		return nil
	}
	names, err := slurm.Hostlist(list)
	if r.expanded += len(names); err != nil {
		return nil
	}
	return names
}
