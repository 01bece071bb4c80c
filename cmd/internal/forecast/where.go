package forecast

import (
	"cmp"
	"slices"
)

// Asked is what a run is for.
type Asked struct {
	Jobs  []int32 // whose starts are wanted, by their numbers in the work
	Until float64 // the time at which the run may end
	Nodes bool    // whether Started.Nodes is wanted
}

// Started is what a run comes to, in the order of Asked.Jobs.
type Started struct {
	At     []float64  // infinity for a job that does not start by Asked.Until
	Nodes  [][]string // on which nodes each starts, none for one that does not; nil unless wanted
	Queues []string   // in which queue each starts, "" for one that has named one queue alone; nil where all have
	Late   int        // how many of those that do not may start later
}

// Node is a node on which a job may start.
type Node struct {
	Name string
	Part float64 // of the runs in which the job starts
}

// counted are in how many runs each job has started on each node, by its place among those awaited.
type counted []map[string]int

// add counts the nodes of a run.
func (c counted) add(nodes [][]string) {
	for i, names := range nodes {
		if c[i] == nil {
			c[i] = map[string]int{}
		}
		for _, name := range names {
			c[i][name]++
		}
	}
}

// of returns the nodes of a job that starts in some runs, the most frequent first.
func (c counted) of(i, runs int) (list []Node) {
	for name, n := range c[i] {
		list = append(list, Node{name, float64(n) / float64(runs)})
	}
	slices.SortFunc(list, func(a, b Node) int { return cmp.Or(cmp.Compare(b.Part, a.Part), cmp.Compare(a.Name, b.Name)) })
	return list
}
