// Package metrics says what a PBS site looks like now, as metrics.
package metrics

import (
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/metrics"
	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/fstree"
)

// The labels of nodes of the fairshare tree: kind is group or entity.
var nodeLabels = []string{"name", "parent", "kind"}

// All are the families in the order in which they are written.
var All = slices.Concat([]metrics.Metric[*source]{
	{Name: "pbs_fairshare_shares", Help: "Shares of a resgroup or an entity within its group.", Labels: nodeLabels, Samples: ofNodes(func(e fstree.Entity) float64 { return float64(e.Shares) })},
	{Name: "pbs_fairshare_usage", Help: "Accrued fairshare usage, in units of fairshare_usage_res.", Labels: nodeLabels, Samples: ofNodes(func(e fstree.Entity) float64 { return e.Usage })},
	{Name: "pbs_fairshare_tree_percentage_ratio", Help: "Part of all shares (fairshare_perc).", Unit: "ratio", Labels: nodeLabels, Samples: ofNodes(func(e fstree.Entity) float64 { return float64(e.TreePercentage) })},
	{Name: "pbs_fairshare_tree_usage_ratio", Help: "Usage as PBS weighs it along the tree (fairshare_tree_usage).", Unit: "ratio", Labels: nodeLabels, Samples: ofNodes(func(e fstree.Entity) float64 { return float64(e.TreeUsage) })},
	{Name: "pbs_fairshare_factor_ratio", Help: "2 to the power of -(tree usage / tree percentage) (fairshare_factor).", Unit: "ratio", Labels: nodeLabels, Samples: ofNodes(fstree.Entity.Factor)},
	{Name: "pbs_queue_jobs_waiting", Help: "Jobs that the scheduler considers, each waiting subjob of an array for itself.", Labels: []string{"queue"}, Samples: ofParties(queues, nameTally.count)},
	{Name: "pbs_queue_best_rank", Help: "Place of the queue's first job in the order in which the scheduler considers jobs, from 1.", Labels: []string{"queue"}, Samples: ofParties(queues, nameTally.rank)},
	{Name: "pbs_queue_longest_wait_seconds", Help: "Longest eligible_time of a job of the queue that is considered.", Unit: "seconds", Labels: []string{"queue"}, Samples: ofParties(queues, nameTally.wait)},
	{Name: "pbs_entity_jobs_waiting", Help: "Jobs that the scheduler considers, each waiting subjob of an array for itself.", Labels: []string{"entity"}, Samples: ofParties(entities, nameTally.count)},
	{Name: "pbs_entity_best_rank", Help: "Place of the entity's first job in the order in which the scheduler considers jobs, from 1.", Labels: []string{"entity"}, Samples: ofParties(entities, nameTally.rank)},
	{Name: "pbs_entity_longest_wait_seconds", Help: "Longest eligible_time of a job of the entity that is considered.", Unit: "seconds", Labels: []string{"entity"}, Samples: ofParties(entities, nameTally.wait)},
	{Name: "pbs_jobs_left_out", Help: "Jobs of the list that the scheduler does not consider: held, waiting for a time, running, finished, or in a queue that is not started.", Samples: leftOut},
	{Name: "pbs_snapshot_timestamp_seconds", Help: "When this was true, in seconds since 1970.", Unit: "seconds", Samples: func(s *source, add func(value float64, labels ...string)) {
		if !s.at.IsZero() {
			add(float64(s.at.Unix()))
		}
	}},
}, nodes.Metrics("pbs", "vnode", func(s *source) *nodes.Machine { return s.nodes }))

// source is what metrics are made of.
type source struct {
	tree    *fstree.Tree
	order   *order.Order
	at      time.Time
	nodes   *nodes.Machine        // nil where they are not known
	parties map[party][]nameTally // once they were asked for
}

// Write writes what a site and the order of its jobs say. The tree of an order has the
// entities of all its jobs; without an order it is that of the site. Each of them, and the vnodes, may be nil. Of an order
// that is none, there are no ranks. Names that are alike but for bytes that no text has are
// one series, that of the first.
func Write(w io.Writer, tree *fstree.Tree, o *order.Order, vnodes *nodes.Machine, at time.Time) error {
	from := &source{tree, o, at, vnodes, map[party][]nameTally{}}
	families := All
	if o != nil && o.Plan.Unordered {
		families = slices.DeleteFunc(slices.Clone(All), func(m metrics.Metric[*source]) bool { return strings.HasSuffix(m.Name, "_rank") })
	}
	return metrics.Write(w, families, from)
}

// ofNodes returns a family of the nodes below the root.
func ofNodes(value func(fstree.Entity) float64) func(*source, func(float64, ...string)) {
	return func(s *source, add func(value float64, labels ...string)) {
		if s.tree == nil {
			return
		}
		var path []string // to the node before
		for id, depth := range s.tree.Preorder() {
			e := s.tree.Entity(id)
			if path = append(path[:depth], e.Name); id == fstree.Root {
				continue
			}
			kind := "entity"
			if s.tree.IsGroup(id) || id == fstree.Unknown {
				kind = "group"
			}
			add(value(e), e.Name, path[depth-1], kind)
		}
	}
}

// party is by what jobs are counted.
type party int

const (
	queues party = iota
	entities
)

// nameTally is what the jobs of one name come to.
type nameTally struct {
	name       string
	jobs, best int
	longest    float64 // NaN where no job tells
}

func (w nameTally) count() float64 { return float64(w.jobs) }

// rank is NaN where there is no job: no number would be right.
func (w nameTally) rank() float64 {
	if w.jobs == 0 {
		return math.NaN()
	}
	return float64(w.best)
}

func (w nameTally) wait() float64 { return w.longest }

// ofParties returns a family of queues or entities, of those whose value is a number.
func ofParties(by party, value func(nameTally) float64) func(*source, func(float64, ...string)) {
	return func(s *source, add func(value float64, labels ...string)) {
		if s.order == nil {
			return
		}
		if s.parties[by] == nil {
			s.parties[by] = s.count(by)
		}
		for _, w := range s.parties[by] {
			if x := value(w); !math.IsNaN(x) {
				add(x, w.name)
			}
		}
	}
}

// count counts the jobs that are considered, by queue or entity. Of queues there are all that
// the site has.
func (s *source) count(by party) []nameTally {
	o, l := s.order, s.order.List
	names, of := l.Queues.List, func(row int) int32 { return l.Job(row).Queue }
	if by == entities {
		names, of = l.Entities.List, func(row int) int32 { return l.Job(row).Entity }
	}
	found := make([]nameTally, len(names))
	for i, name := range names {
		found[i].name = name
	}
	for rank, row := range o.Rows {
		w := &found[of(int(row))]
		if w.jobs == 0 {
			w.best, w.longest = rank+1, math.NaN()
		}
		w.jobs += int(max(1, l.Job(int(row)).Subjobs))
		if x, ok := eligible(o, int(row)); ok && !(x < w.longest) {
			w.longest = x
		}
	}
	for _, q := range o.Queues {
		if by == queues && !slices.Contains(names, q.Name) {
			found = append(found, nameTally{name: q.Name})
		}
	}
	return found
}

func leftOut(s *source, add func(value float64, labels ...string)) {
	if s.order == nil {
		return
	}
	sum := 0
	for _, n := range s.order.LeftOut() {
		sum += n
	}
	add(float64(sum))
}

// eligible returns a job's eligible_time in seconds, where the list is read with that column.
func eligible(o *order.Order, row int) (seconds float64, ok bool) {
	for i, column := range o.List.Columns {
		if column == order.EligibleTime && o.List.HasColumn[i] {
			return o.Amount(row, i), true
		}
	}
	return 0, false
}
