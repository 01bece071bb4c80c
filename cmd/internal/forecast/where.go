package forecast

import (
	"cmp"
	"slices"
)

// Target is what a run is for.
type Target struct {
	Jobs  []int32 // whose starts are wanted, by their numbers in the work
	Until float64 // the time at which the run may end
	Nodes bool    // whether Starts.Nodes is wanted
}

// Starts are what a run comes to, in the order of Target.Jobs.
type Starts struct {
	At     []float64  // infinity for a job that does not start by Target.Until
	Nodes  [][]string // on which nodes each starts, none for one that does not; nil unless wanted
	Queues []string   // in which queue each starts, "" for one that has named one queue alone; nil where all have
	Late   int        // how many of those that do not may start later
}

// Node is a node on which a job may start.
type Node struct {
	Name string
	Part float64 // of the runs in which the job starts
}

// nodeCounts are in how many runs each job has started on each node, by its place among those awaited.
type nodeCounts []map[string]int

// add counts the nodes of a run.
func (c nodeCounts) add(nodes [][]string) {
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
func (c nodeCounts) of(i, runs int) (list []Node) {
	for name, n := range c[i] {
		list = append(list, Node{name, float64(n) / float64(runs)})
	}
	slices.SortFunc(list, func(a, b Node) int { return cmp.Or(cmp.Compare(b.Part, a.Part), cmp.Compare(a.Name, b.Name)) })
	return list
}
