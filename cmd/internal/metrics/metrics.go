// Package metrics says what a site looks like now as OpenMetrics text, which
// node_exporter's textfile collector and Prometheus read.
package metrics

import (
	"io"
	"math"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"fairshare/cmd/internal/order"
	"fairshare/fstree"
)

// Metric is one of the families that are written, all of them gauges.
type Metric struct {
	Name   string
	Help   string
	Unit   string
	Labels []string
}

// The labels of nodes of the fairshare tree: kind is group or entity.
var nodeLabels = []string{"name", "parent", "kind"}

// All are the families in the order in which they are written.
var All = []Metric{
	{"pbs_fairshare_shares", "Shares of a resgroup or an entity within its group.", "", nodeLabels},
	{"pbs_fairshare_usage", "Accrued fairshare usage, in units of fairshare_usage_res.", "", nodeLabels},
	{"pbs_fairshare_tree_percentage_ratio", "Part of all shares (fairshare_perc).", "ratio", nodeLabels},
	{"pbs_fairshare_tree_usage_ratio", "Usage as PBS weighs it along the tree (fairshare_tree_usage).", "ratio", nodeLabels},
	{"pbs_fairshare_factor_ratio", "2 to the power of -(tree usage / tree percentage) (fairshare_factor).", "ratio", nodeLabels},
	{"pbs_queue_jobs_waiting", "Jobs that the scheduler considers, each waiting subjob of an array for itself.", "", []string{"queue"}},
	{"pbs_queue_best_rank", "Place of the queue's first job in the order in which the scheduler considers jobs, from 1.", "", []string{"queue"}},
	{"pbs_queue_longest_wait_seconds", "Longest eligible_time of a job of the queue that is considered.", "seconds", []string{"queue"}},
	{"pbs_entity_jobs_waiting", "Jobs that the scheduler considers, each waiting subjob of an array for itself.", "", []string{"entity"}},
	{"pbs_entity_best_rank", "Place of the entity's first job in the order in which the scheduler considers jobs, from 1.", "", []string{"entity"}},
	{"pbs_entity_longest_wait_seconds", "Longest eligible_time of a job of the entity that is considered.", "seconds", []string{"entity"}},
	{"pbs_jobs_left_out", "Jobs of the list that the scheduler does not consider.", "", nil},
	{"pbs_snapshot_timestamp_seconds", "When this was true, in seconds since 1970.", "seconds", nil},
}

// Write writes what a site and the order of its jobs say. The tree of an order has the
// entities of all its jobs; without an order it is that of the site. Both may be nil.
func Write(w io.Writer, tree *fstree.Tree, o *order.Order, at time.Time) error {
	families, labelsOf := map[string]*dto.MetricFamily{}, map[string][]string{}
	for _, m := range All {
		kind := dto.MetricType_GAUGE
		labelsOf[m.Name] = m.Labels
		families[m.Name] = &dto.MetricFamily{Name: &m.Name, Help: &m.Help, Type: &kind}
		if m.Unit != "" {
			families[m.Name].Unit = &m.Unit
		}
	}
	seen := map[string]bool{}
	add := func(name string, value float64, labels ...string) {
		for i := range labels {
			labels[i] = strings.ToValidUTF8(labels[i], "\uFFFD") // else nobody reads any of it
		}
		series := name + "\x00" + strings.Join(labels, "\x00")
		if seen[series] {
			return
		}
		seen[series] = true
		m := &dto.Metric{Gauge: &dto.Gauge{Value: &value}}
		for i, label := range labelsOf[name] {
			m.Label = append(m.Label, &dto.LabelPair{Name: &label, Value: &labels[i]})
		}
		families[name].Metric = append(families[name].Metric, m)
	}
	if tree != nil {
		addTree(tree, add)
	}
	if o != nil {
		addJobs(o, add)
	}
	if !at.IsZero() {
		add("pbs_snapshot_timestamp_seconds", float64(at.Unix()))
	}
	for _, m := range All {
		if len(families[m.Name].Metric) == 0 {
			continue
		}
		if _, err := expfmt.MetricFamilyToOpenMetrics(w, families[m.Name], expfmt.WithUnit()); err != nil {
			return err
		}
	}
	_, err := expfmt.FinalizeOpenMetrics(w)
	return err
}

// addTree adds the nodes below the root.
func addTree(tree *fstree.Tree, add func(name string, value float64, labels ...string)) {
	var path []string // to the node before
	for id, depth := range tree.Preorder() {
		e := tree.Entity(id)
		if path = append(path[:depth], e.Name); id == fstree.Root {
			continue
		}
		kind := "entity"
		if tree.IsGroup(id) || id == fstree.Unknown {
			kind = "group"
		}
		labels := []string{e.Name, path[depth-1], kind}
		add("pbs_fairshare_shares", float64(e.Shares), labels...)
		add("pbs_fairshare_usage", e.Usage, labels...)
		add("pbs_fairshare_tree_percentage_ratio", float64(e.TreePercentage), labels...)
		add("pbs_fairshare_tree_usage_ratio", float64(e.TreeUsage), labels...)
		add("pbs_fairshare_factor_ratio", e.Factor(), labels...)
	}
}

// waiting is what the jobs of one name come to.
type waiting struct {
	jobs, best int
	longest    float64 // NaN where no job tells
}

// addJobs adds the jobs that are considered, by queue and entity.
func addJobs(o *order.Order, add func(name string, value float64, labels ...string)) {
	l := o.List
	for _, party := range []struct {
		label string
		names []string
		of    func(row int) int32
	}{
		{"queue", l.Queues.List, func(row int) int32 { return l.Job(row).Queue }},
		{"entity", l.Entities.List, func(row int) int32 { return l.Job(row).Entity }},
	} {
		found := make([]waiting, len(party.names))
		for rank, row := range o.Rows {
			w := &found[party.of(int(row))]
			if w.jobs == 0 {
				w.best, w.longest = rank+1, math.NaN()
			}
			w.jobs += int(max(1, l.Job(int(row)).Subjobs))
			if x, ok := eligible(o, int(row)); ok && !(x < w.longest) {
				w.longest = x
			}
		}
		for i, w := range found {
			if w.jobs == 0 {
				add("pbs_"+party.label+"_jobs_waiting", 0, party.names[i])
				continue
			}
			add("pbs_"+party.label+"_jobs_waiting", float64(w.jobs), party.names[i])
			add("pbs_"+party.label+"_best_rank", float64(w.best), party.names[i])
			if !math.IsNaN(w.longest) {
				add("pbs_"+party.label+"_longest_wait_seconds", w.longest, party.names[i])
			}
		}
	}
	leftOut := 0
	for _, n := range o.LeftOut() {
		leftOut += n
	}
	add("pbs_jobs_left_out", float64(leftOut))
}

// Column is the amount of jobs that a list has to be read with.
const Column = "eligible_time"

// eligible returns a job's eligible_time in seconds.
func eligible(o *order.Order, row int) (seconds float64, ok bool) {
	for i, column := range o.List.Columns {
		if column == Column && o.List.HasColumn[i] {
			return o.List.Amount(row, i), true
		}
	}
	return 0, false
}
