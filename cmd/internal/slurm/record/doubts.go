package record

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/slurm/sched"
)

// mostExpanded is how many names of nodes are expanded in all: lists that come later are not looked at.
const mostExpanded = 1 << 26

// doubt notes what of a row a replay cannot follow, or has to put right.
func (r *reader) doubt(x *Job, row *sacct.Row) {
	if x.Start > 0 && x.Start < x.Submit {
		x.Submit, x.Eligible = x.Start, x.Start
		x.Notes = append(x.Notes, "started before they could run, as their times say: they come when they started")
	}
	if x.Start > 0 && row.Given == nil && row.HasColumn(sacct.AllocTRES) {
		x.Notes = append(x.Notes, "have no AllocTRES that can be read, and are taken to have got what they asked for")
	}
	if x.Start > 0 && row.Eligible == sacct.Unknown && row.HasColumn(sacct.Eligible) {
		x.Notes = append(x.Notes, "have no Eligible, and are taken to have been able to run as soon as they came")
	}
	if row.Suspended > 0 && !r.suspends {
		x.Notes = append(x.Notes, "suspended for some time, as by an administrator, which is not modelled: they run without a break")
	}
	if ran := r.maker.Place(x.Job, x.Partition, x.QOS); x.Start > 0 && ran.Partition >= 0 && ran.QOS >= 0 {
		if rule := r.setup.Contradicts(r.setup.EntryOf(x.Job, ran)); rule != "" {
			x.Notes = append(x.Notes, "started though "+rule+" keeps them out as the site is now: it was another one then, or an administrator let them in, as the replay does")
			x.Job.Partition, x.Job.Partitions, x.Job.QOS, x.Job.AnyQOS = ran.Partition, nil, ran.QOS, nil
		}
	}
	if x.Start > 0 && !r.hasNodes(x.NodeList) {
		x.Notes = append(x.Notes, "ran on nodes that the site does not have: it had others then, or is another one")
	}
}

// noteOptions notes what a job asked for that is not modelled.
func (r *reader) noteOptions(x *Job, row *sacct.Row, options []sched.Option, amounts map[string]float64) {
	note := func(text string) { x.Notes = append(x.Notes, text) }
	isDependent := func(o sched.Option) bool { return o.Name == "d" }
	if x.reservation == "" && (bytes.Contains(row.Text(sacct.SubmitLine), []byte("dependency")) || slices.ContainsFunc(options, isDependent)) {
		note("had dependencies, which are not modelled: they are replayed from when they became eligible")
	}
	if strings.Contains(x.ID, "+") {
		note("were parts of heterogeneous jobs, which start together in Slurm: they are replayed as jobs of their own")
	}
	if whose := optionOf(options, "exclusive", "exclusive"); whose != "" {
		note("asked for nodes that they share with some jobs alone (--exclusive=" + whose + "), which is not modelled: they share them with all")
	}
	for _, o := range options {
		if slices.Contains(sched.Unheeded, o.Name) {
			dashes := "--"
			if len(o.Name) == 1 {
				dashes = "-"
			}
			note("asked for " + dashes + o.Name + ", which is not modelled")
		}
	}
	for part := range strings.SplitSeq(optionOf(options, "gres", "gpus-per-node"), ",") {
		isOf := func(kind string) bool { return strings.HasPrefix(kind, "gpu:") }
		kind, named, isTyped := sched.GRESType(part)
		if isTyped && kind == "gpu" && slices.ContainsFunc(r.setup.GRES, isOf) && !slices.Contains(r.setup.GRES, kind+":"+named) {
			note("asked for GPUs of type " + named + ", which no node of the site has, and are replayed with any")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(amounts)) {
		if kind, isGRES := strings.CutPrefix(name, "gres/"); isGRES && amounts[name] > 0 && !slices.Contains(r.setup.GRES, kind) {
			note("asked for " + name + ", which no node of the site has, and are replayed without it")
		}
	}
}

// niceOf returns by how much less priority a job asked for than it has otherwise.
func niceOf(options []sched.Option) float64 {
	const usual = 100 // of --nice without a number
	for _, o := range slices.Backward(options) {
		if o.Name != "nice" {
			continue
		}
		if n, err := strconv.ParseInt(o.Value, 10, 32); err == nil {
			return float64(n)
		}
		return usual
	}
	return 0
}

// hasNodes reports whether the site has all nodes of a list, as far as this can be told.
func (r *reader) hasNodes(list string) bool {
	if list == "" || strings.HasPrefix(list, "None") || r.maker.Nodes.Has(list) {
		return true
	}
	has, isKnown := r.lists[list]
	if !isKnown {
		has = true
		for _, name := range r.hosts(list) {
			has = has && r.maker.Nodes.Has(name)
		}
		r.lists[list] = has
	}
	return has
}

// hosts expands a list of nodes; nil if it cannot be read, or if those before it had too many names.
func (r *reader) hosts(list string) []string {
	if r.expanded > mostExpanded {
		return nil
	}
	names, err := slurm.Hostlist(list)
	if r.expanded += len(names); err != nil {
		return nil
	}
	return names
}
