package setup

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// readTopology reads the switches of topology/tree, and says which topology is not modelled.
func (r *reader) readTopology() {
	plugin := r.dump.Config("topologyplugin")
	switch is := strings.ToLower(plugin); {
	case is == "" || is == "(null)" || is == "none" || slices.Contains([]string{"topology/none", "topology/default", "topology/flat"}, is):
		return
	case is == "topology/tree":
		if r.setup.Switches = switchesOf(r.dump.Records(dump.KindTopology), r.setup.Nodes); r.setup.Switches == nil {
			r.ignore(slurm.OnRoom, sched.Everybody, "topology (TopologyPlugin=%s, of which topology.conf or scontrol show topology tells the switches)", plugin)
			return
		}
		for word := range strings.SplitSeq(r.dump.Config("topologyparam"), ",") {
			if slices.Contains([]string{"dragonfly", "topooptional", "switchasnoderank"}, strings.ToLower(word)) {
				r.ignore(slurm.OnRoom, sched.Everybody, "%s of TopologyParam (here all jobs are placed by a tree of switches)", word)
			}
		}
		r.say(diag.Notef("nodes are taken by the switches of topology.conf, as topology/tree does"))
	default:
		r.ignore(slurm.OnRoom, sched.Everybody, "topology (TopologyPlugin=%s)", plugin)
	}
}

// switchesOf returns the switches of a topology.conf over some nodes, nil where it has none.
func switchesOf(rows []dump.Row, nodes []sched.Node) (list []sched.Switch) {
	places, switches := map[string]int{}, map[string]int{}
	for i := range nodes {
		places[nodes[i].Name] = i
	}
	for _, row := range rows {
		s := sched.Switch{Name: row["switchname"], Parent: -1, Nodes: sched.NewSet(len(nodes))}
		if below, err := slurm.Hostlist(row["switches"]); err == nil && len(below) > 0 && row["switches"] != "(null)" {
			s.Level = 1
		} else if names, err := slurm.Hostlist(row["nodes"]); err == nil {
			for _, name := range names {
				if i, ok := places[name]; ok {
					s.Nodes.Add(i)
				}
			}
		}
		switches[s.Name] = len(list)
		list = append(list, s)
	}
	for i, row := range rows {
		if list[i].Level == 0 {
			continue
		}
		below, _ := slurm.Hostlist(row["switches"])
		for _, name := range below {
			if k, ok := switches[name]; ok && k != i && list[k].Parent < 0 {
				list[k].Parent = i
			}
		}
	}
	for i := range list {
		leaf := list[i].Nodes
		if list[i].Level > 0 {
			continue
		}
		up := list[i].Parent
		for level := 1; up >= 0 && level <= len(list); level++ { // no more levels than switches, even where they go round
			list[up].Level = max(list[up].Level, level)
			list[up].Nodes.Join(leaf)
			up = list[up].Parent
		}
		if up >= 0 {
			return nil
		}
	}
	return list
}
