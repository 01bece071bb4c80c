package record

import (
	"cmp"
	"math"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// request finds out what a job asked for: from the line that submitted it, where it tells as much as
// the columns, or from the columns.
func (r *reader) request(x *Job, row *sacct.Row, line *submission) string {
	c, j, options := r.setup, x.Job, line.options
	amounts := row.Asked
	if len(amounts) == 0 {
		return "without a ReqTRES that can be read"
	}
	asked := float64(row.AskedCPUs)
	if row.AskedCPUs == sacct.Unknown {
		asked = amounts["cpu"]
	}
	cpus, nodes := int32(min(max(1, asked), setup.MostAsked)), int32(min(max(1, amounts["node"]), setup.MostAsked))
	q := line.request(c.GRES, c.UsualCPUMemory[j.Partition])
	if line.words == nil || q.CPUs != cpus || q.MinNodes > nodes || !namesGRES(q, c.GRES, amounts) || !hasMemory(q, amounts) {
		x.byColumns = true
		q = r.byColumns(q, amounts, cpus, nodes)
	}
	constraint := cmp.Or(string(row.Text(sacct.Constraints)), optionOf(options, "C", "constraint"))
	if constraint != "" {
		of, ok := q.Constrain(constraint)
		q.Counted = q.Counted && x.Start == 0 // those that ran were let
		switch {
		case !ok:
			x.Notes = append(x.Notes, "asked for features in a way that cannot be read, and are replayed without them")
		case of == slurm.InPart && q.MaxNodes != 1:
			x.Notes = append(x.Notes, "asked for features of their nodes together (a*2), which is not modelled: each node has one of them")
		case q.Counted:
			x.Notes = append(x.Notes, "asked for some nodes with one feature and others with another ([a*2&b*1]): as on record they never start, and hold up others meanwhile")
		case of == slurm.Counts:
			x.Notes = append(x.Notes, "asked for some nodes with one feature and others with another ([a*2&b*1]), which is not modelled: each node has one of them")
		}
	}
	wanted, wrongly := slurm.Hostlist(optionOf(options, "w", "nodelist"))
	unwanted, wrong := slurm.Hostlist(optionOf(options, "x", "exclude"))
	if len(wanted)+len(unwanted) > 0 && !r.maker.Nodes.KeepTo(q, wanted, unwanted) || wrongly != nil || wrong != nil {
		x.Notes = append(x.Notes, "named nodes that they want (-w) in a way that is not modelled, and are replayed without that")
	}
	j.Nice, x.got = niceOf(options), row.CPUs
	if given := row.Given; given != nil {
		j.Billing, x.Given = c.Conf.Partitions[x.Partition].Billing(given), int32(min(given["cpu"], setup.MostAsked))
		x.has = r.has(row)
		r.isBilled = r.isBilled || j.Billing > 0
		if isWhole := c.WholeNodes != nil && c.WholeNodes[j.Partition]; !q.Exclusive && !isWhole && r.isWhole(x.NodeList, given["cpu"], q) {
			q.Exclusive, x.isWhole = true, true
		}
	}
	q.Others = c.OthersOf(amounts)
	j.Request, j.TRES = r.maker.Same(q), amounts
	x.reservation = r.name(row.Text(sacct.Reservation))
	x.asked = cmp.Or(r.name(row.Text(sacct.ReqReservation)), r.name([]byte(optionOf(options, "reservation", "reservation"))))
	if x.reservation == "" && x.Start == 0 { // sacct has it of jobs that started
		x.reservation = x.asked
	}
	r.noteOptions(x, row, options, amounts)
	return ""
}

// byColumns returns what a job asked for as the columns have it, with what they cannot tell from its submission.
func (r *reader) byColumns(asked *sched.Request, amounts map[string]float64, cpus, nodes int32) *sched.Request {
	q := &sched.Request{MinNodes: nodes, MaxNodes: nodes, CPUs: cpus, Tasks: cpus, CPUsPerTask: 1, GRES: make([]int32, len(r.setup.GRES)), Exclusive: asked.Exclusive, Threads: asked.Threads}
	q.NodeMemory = int64(amounts["mem"]) / int64(nodes)
	for i, kind := range r.setup.GRES {
		q.GRES[i] = int32(min(amounts["gres/"+kind], setup.MostAsked)) / nodes
	}
	return q
}

// optionOf returns the value of an option of a line of sbatch by its letter or its name, "" if it does not have it.
func optionOf(options []sched.Option, letter, name string) (value string) {
	for _, o := range options {
		if o.Name == letter || o.Name == name {
			value = o.Value
		}
	}
	return value
}

// isWhole reports whether a job was given all CPUs of its nodes though it asked for less: nothing else tells that
// its script asks for whole nodes.
func (r *reader) isWhole(list string, cpus float64, q *sched.Request) bool {
	if cpus <= float64(q.CPUs) || cpus > setup.MostAsked {
		return false
	}
	names := r.hosts(list)
	return names != nil && r.maker.Nodes.AreWhole(q, names, int64(cpus))
}

// namesGRES reports whether a request has all GRES that were counted for the job: options such as
// --gpus-per-socket are not read.
func namesGRES(q *sched.Request, kinds []string, amounts map[string]float64) bool {
	for i, kind := range kinds {
		if amounts["gres/"+kind] > 0 && q.AllGRES(i, q.MinNodes) == 0 {
			return false
		}
	}
	return true
}

// hasMemory reports whether a request has the memory that was counted for the job: its script may ask for another one.
func hasMemory(q *sched.Request, amounts map[string]float64) bool {
	memory, isCounted := amounts["mem"]
	if q.AllMemory { // of the largest node, as sacct has it before it is known where the job runs
		return true
	}
	asked := float64(q.Memory())
	return !isCounted || math.Abs(asked-memory) <= asked/1000
}
