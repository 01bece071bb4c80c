package slurm

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
)

// nodeFigures are what decides which jobs a node has room for and which of several it is taken for, by their names in slurm.conf.
var nodeFigures = []struct {
	name string
	of   func(n *node) string
}{
	{"CPUs", func(n *node) string { return report.Plain(n.cpus) }},
	{"CoresPerSocket", func(n *node) string { return report.Plain(n.cores) }},
	{"ThreadsPerCore", func(n *node) string { return report.Plain(n.threads) }},
	{"RealMemory", func(n *node) string { return report.Plain(n.memory) }},
	{"MemSpecLimit", func(n *node) string { return report.Plain(n.spared) }},
	{"Weight", func(n *node) string { return report.Plain(n.weight) }},
	{"Gres", func(n *node) string {
		var list []string
		for _, a := range n.gres {
			list = append(list, strings.TrimPrefix(a.Name, "gres/")+":"+report.Plain(a.Count))
		}
		return strings.Join(slices.Sorted(slices.Values(list)), ",")
	}},
	{"Features", func(n *node) string {
		return strings.ToLower(strings.Join(slices.Sorted(slices.Values(n.features)), ","))
	}},
}

// NodesOtherThan says which attributes some nodes have otherwise than in another configuration, of nodes that both have: in one sentence
// for each attribute, nil for none.
func (c *Conf) NodesOtherThan(was *Conf) (list []string) {
	names := slices.Sorted(maps.Keys(c.nodes))
	for _, figure := range nodeFigures {
		others, example := 0, ""
		for _, name := range names {
			line, isThere := was.nodes[name]
			if !isThere {
				continue
			}
			is, had := figure.of(&c.nodeLines[c.nodes[name]]), figure.of(&was.nodeLines[line])
			if is == had {
				continue
			}
			if others++; others == 1 {
				example = fmt.Sprintf("%s (%s, now %s)", name, cmp.Or(is, "none"), cmp.Or(had, "none"))
			}
		}
		if others > 0 {
			list = append(list, fmt.Sprintf("%s of %s, such as %s", figure.name, report.Count(others, "node"), example))
		}
	}
	return list
}
