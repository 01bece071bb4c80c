package record

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// Capacity returns what the nodes of a site had between two times, less those that were down or drained as far as its
// events tell, or since the Reason of a node was set, until a job of some tables of sacct starts there. Nil is for a site that does not
// print its nodes.
func Capacity(d *dump.Dump, tables []file.Source, first, last int64, zone *time.Location) (*history.Capacity, []diag.Remark, error) {
	if len(d.Records(dump.KindNodes)) == 0 {
		return nil, nil, nil
	}
	of := d.Only(dump.KindConfig, dump.KindConf, dump.KindNodes, dump.KindEvents)
	remarks := of.Cut()
	s, said, err := setup.Nodes(of)
	if remarks = append(remarks, said...); err != nil {
		return nil, remarks, err
	}
	r, said := newEvents(s, of.All(dump.KindEvents), of.ReasonTimes(), zone)
	remarks = append(remarks, said...)
	starts, err := r.startsOf(tables, zone)
	if err != nil {
		return nil, remarks, err
	}
	_, said, _ = r.end(slices.Values(starts), of, zone)
	remarks = append(remarks, said...)
	spans := map[int][]history.Span{} // by node, when it was away
	for _, b := range slices.SortedFunc(maps.Keys(r.away), func(a, b eventBegin) int { return cmp.Compare(a.from, b.from) }) {
		spans[b.node] = append(spans[b.node], history.Span{Begin: b.from, End: r.away[b]})
	}
	always := map[string]float64{}
	c := history.NewCapacity(always, history.Words{Nodes: "nodes", Away: "down or drained", Closed: "drained"})
	c.IsLess = len(of.All(dump.KindEvents)) > 0 || len(spans) > 0
	away, seconds := map[int]bool{}, int64(0)
	for i := range s.Nodes {
		amounts := amountsOf(s.Cluster, &s.Nodes[i])
		for name, amount := range amounts {
			always[name] += amount
		}
		until := history.Forever.Begin // up to which it is told already that the node was away
		for _, in := range spans[i] {
			in.Begin = max(in.Begin, until)
			if in.Begin >= in.End {
				continue
			}
			until = in.End
			less := map[string]float64{}
			for name, amount := range amounts {
				less[name] = -amount
			}
			c.Add(in, less)
			if within := min(in.End, last) - max(in.Begin, first); within > 0 {
				away[i] = true
				seconds += within
			}
		}
	}
	if len(away) > 0 {
		remarks = append(remarks, diag.Notef("%s down or drained for some of the record, %s of %s node hours: these are no part of what the site has", report.Count(len(away), "node"),
			report.Fixed(float64(seconds)/hour, 1), report.Fixed(float64(len(s.Nodes))*float64(last-first)/hour, 1)))
	}
	return c, remarks, nil
}

// CPUs returns how many the nodes of a site have in all, 0 where it prints none that can be read.
func CPUs(d *dump.Dump) (sum int64) {
	s, _, err := setup.Nodes(d)
	if err != nil {
		return 0
	}
	for i, n := range s.Nodes {
		sum += int64(n.CPUs + s.Down[i])
	}
	return sum
}

// startsOf returns the starts that tables of sacct tell of, where there are events that nothing ends.
func (r *eventReader) startsOf(tables []file.Source, zone *time.Location) (list []placed, err error) {
	if !slices.Contains(slices.Collect(maps.Values(r.away)), sched.ForGood) {
		return nil, nil
	}
	names := map[string]string{} // held once
	reader := sacct.Reader{
		Zone: zone, Columns: []sacct.Column{sacct.JobID, sacct.Submit, sacct.Start, sacct.NodeList, sacct.Cluster}, MostTasks: math.MaxInt,
		Header: func(string, int, *sacct.Header) error { return nil }, Damaged: func(string, int, string) {}, // which is said of the record
		Row: func(row *sacct.Row) error {
			cluster := string(row.Text(sacct.Cluster))
			if row.Start <= 0 || cluster != "" && r.cluster != "" && !strings.EqualFold(cluster, r.cluster) {
				return nil
			}
			text := row.Text(sacct.NodeList)
			name, isKnown := names[string(text)]
			if !isKnown {
				name = string(text)
				names[name] = name
			}
			list = append(list, placed{name, row.Start})
			return nil
		},
	}
	err = reader.Read(tables...)
	return list, err
}

// giveBack ends events that nothing ends, of nodes that were up when the site was asked later.
func (r *eventReader) giveBack(taken int64) []diag.Remark {
	n := 0
	for b, to := range r.away {
		if to == sched.ForGood && r.isUp[b.node] && b.from < taken {
			r.away[b] = taken
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []diag.Remark{diag.Warningf("%s without an end of nodes that scontrol show node has as up: they are taken to be back when it was asked", report.Count(n, "event"))}
}

// amountsOf returns what a node has, by the names under which jobs have it: those of PBS and of Slurm.
func amountsOf(c *sched.Cluster, n *sched.Node) map[string]float64 {
	const kb = 1024 // of a MB, in which Slurm counts memory
	cpus := float64(n.CPUs)
	amounts := map[string]float64{"ncpus": cpus, "cpu": cpus, "mem": float64(n.Memory) * kb, "nodes": 1, "node": 1, "nodect": 1}
	for i, kind := range c.GRES {
		amount := float64(n.GRES[i])
		amounts[kind], amounts["gres/"+kind] = amount, amount
		if kind == "gpu" {
			amounts["ngpus"] = amount
		}
	}
	return amounts
}
