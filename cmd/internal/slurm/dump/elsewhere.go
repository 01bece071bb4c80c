package dump

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
)

// A list of jobs and what is printed of partitions and nodes may be of two clusters, of which no two lists of jobs tell it: then jobs are in
// partitions, and run on nodes, that the other prints lack.

// whereabouts are the partitions of the jobs of a list, by how many jobs are in each, and the nodes on which some run.
type whereabouts struct {
	partitions map[string]int
	nodes      map[string]bool
}

// add adds what a list has of a job: its partitions, and its nodes, "" for one that has none. Lists of nodes that are cut off tell nothing.
func (w *whereabouts) add(partition, nodes string) {
	for name := range strings.SplitSeq(partition, ",") {
		if name != "" {
			w.partitions[name]++
		}
	}
	if strings.HasPrefix(nodes, "(") || nodes == "" || nodes == "n/a" || nodes == "N/A" {
		return
	}
	if names, err := slurm.Hostlist(nodes); err == nil {
		for _, name := range names {
			w.nodes[name] = true
		}
	}
}

// whereaboutsIn returns where the jobs of a list are, of JSON nothing.
func whereaboutsIn(p Part) (w whereabouts) {
	w = whereabouts{map[string]int{}, map[string]bool{}}
	if slurm.IsJSON(p.Text) {
		return w
	}
	if p.Kind == KindJobs {
		partition := ""
		for line := range strings.Lines(p.Text) {
			for key, into := range map[string]func(string){" Partition=": func(name string) { partition = name }, " NodeList=": func(nodes string) { w.add(partition, nodes) }} {
				if at := strings.Index(line, key); at >= 0 && strings.TrimSpace(line[:at]) == "" {
					value, _, _ := strings.Cut(line[at+len(key):], " ")
					into(strings.TrimSpace(value))
				}
			}
		}
		return w
	}
	lines := linesOf(p.Text)
	l, ok := layoutOf(lines)
	if !ok {
		return w
	}
	partition := slices.Index(l.Names, "partition")
	if partition < 0 {
		return w
	}
	nodes := max(slices.Index(l.Names, "nodelist"), slices.Index(l.Names, "nodelist(reason)"))
	l.each(slices.Values(lines[1:]), func(cells []string) {
		on := ""
		if nodes >= 0 {
			on = strings.TrimSpace(cells[nodes])
		}
		w.add(strings.TrimSpace(cells[partition]), on)
	})
	return w
}

// findElsewhere looks for jobs that are elsewhere than in the partitions and on the nodes that are printed. It returns a *StrangersError where
// no job runs on any of these nodes and most are in none of the partitions, or the other way round, or where partitions alone are told and no
// job is in any of several; and otherwise a warning where nothing of one kind agrees: a user may see some partitions alone, and name the nodes
// of some.
func (d *Dump) findElsewhere() (remarks []diag.Remark, err error) {
	named := func(k Kind, key string) map[string]bool {
		names := map[string]bool{}
		for _, row := range d.Records(k) {
			if row[key] != "" {
				names[row[key]] = true
			}
		}
		return names
	}
	partitions, nodes := named(KindPartitions, "partitionname"), named(KindNodes, "nodename")
	if len(partitions)+len(nodes) == 0 {
		return nil, nil
	}
	const fewest = 2 // of names, which tell nothing where they are fewer
	for _, p := range d.Parts {
		if p.Kind != KindJobs && p.Kind != KindQueue {
			continue
		}
		w := whereaboutsIn(p)
		jobs, apart := 0, 0
		var lacking []string
		for name, n := range w.partitions {
			jobs += n
			if !isAmong(partitions, name) {
				apart, lacking = apart+n, append(lacking, name)
			}
		}
		slices.Sort(lacking)
		on := slices.Sorted(maps.Keys(w.nodes))
		others := slices.DeleteFunc(slices.Clone(on), func(name string) bool { return nodes[name] })
		isApart := len(partitions) > 0 && jobs > 0 && apart == jobs
		areApart := len(nodes) >= fewest && len(on) >= fewest && len(others) == len(on)
		inPartitions := fmt.Sprintf("%d of %s are in partitions that it lacks (%s)", apart, report.Count(jobs, "job"), report.First(lacking))
		onNodes := "none of the nodes that run jobs is there (" + report.First(others) + ")"
		switch {
		case areApart && len(partitions) > 0 && 2*apart >= jobs, isApart && len(nodes) > 0 && len(on) > 0 && 2*len(others) >= len(on):
			return nil, &StrangersError{First: p.Name, Second: d.All(KindPartitions)[0].Name, Places: inPartitions + ", and of those of " + d.All(KindNodes)[0].Name + " " + onNodes}
		case isApart && len(lacking) >= fewest && len(partitions) >= fewest && len(nodes) == 0:
			return nil, &StrangersError{First: p.Name, Second: d.All(KindPartitions)[0].Name, Places: inPartitions}
		case areApart:
			remarks = append(remarks, diag.Warningf("%s and %s may be of two clusters: %s", p.Name, d.All(KindNodes)[0].Name, onNodes))
		case isApart:
			remarks = append(remarks, diag.Warningf("%s and %s may be of two clusters, or some partitions are hidden (scontrol -a shows them): %s", p.Name, d.All(KindPartitions)[0].Name, inPartitions))
		}
	}
	return remarks, nil
}

// isAmong reports whether a name is one of some, or is the begin of one that the width of its column has cut off.
func isAmong(names map[string]bool, name string) bool {
	const narrow = 8 // columns: no list has a narrower one
	if names[name] {
		return true
	}
	for of := range names {
		if len(name) >= narrow && strings.HasPrefix(of, name) {
			return true
		}
	}
	return false
}
