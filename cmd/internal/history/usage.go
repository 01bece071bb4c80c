package history

import (
	"math"
	"slices"

	"fairshare/cmd/internal/trace"
)

// JobUse is what a job has used, as far as its record tells; NaN for what it does not.
type JobUse struct {
	Memory    float64 // kb
	GPUs      float64 // that it asked for
	CoreHours float64 // of all its runs that are over, without the time it was suspended
	NodeHours float64
	Charged   float64 // core hours times the factor of its queue, where there are factors
}

// keptUse are the resources that JobUse is of.
var keptUse = trace.Keep{Used: []string{"mem"}, Asked: []string{"ngpus"}, Hosts: true}

// Use returns what the job at a place in Jobs has used.
func (h *History) Use(i int) JobUse {
	j, number := h.Jobs[i], h.numbers[i]
	u := JobUse{Memory: h.Trace.UseOf(number)[0], GPUs: h.Trace.AskedBy(number)[0], CoreHours: math.NaN(), NodeHours: math.NaN(), Charged: math.NaN()}
	seconds, hasRun := int64(0), false
	for _, r := range j.Earlier() {
		seconds, hasRun = seconds+j.Active(r.Start, r.End), true
	}
	if run, ok := j.Run(); ok {
		seconds, hasRun = seconds+run, true
	}
	if !hasRun {
		return u
	}
	hours := float64(seconds) / secondsOfHour
	if j.NCPUs >= 0 {
		u.CoreHours = float64(j.NCPUs) * hours
		u.Charged = h.charges.charged(h.Trace.Names.List[j.Queue], u.CoreHours)
	}
	if n := nodesOf(j); n > 0 {
		u.NodeHours = float64(n) * hours
	}
	return u
}

// nodesOf returns on how many nodes a job ran: its hosts, or where the record does not name them, as many nodes as it
// asked for; 0 where nothing tells.
func nodesOf(j *trace.Job) int64 {
	if j.HostCount > 0 {
		return int64(j.HostCount)
	}
	return max(0, j.Nodes)
}

// nodeResource is the resource of which a job has as much as it has nodes.
const nodeResource = "nodes"

// ResourceNamed returns what a resource is called here that somebody names: Slurm has cpu for ncpus.
func ResourceNamed(name string) string {
	if name == "cpu" {
		return "ncpus"
	}
	return name
}

// keepOf returns what a trace has to keep of the amounts that jobs have of some resources.
func keepOf(resources []string) trace.Keep {
	return trace.Keep{Asked: resources, Hosts: slices.Contains(resources, nodeResource)}
}

// amountsOf returns how much a job has of some resources that a trace keeps, NaN for what its record does not tell.
func amountsOf(t *trace.Trace, j *trace.Job, number int, resources []string) []float64 {
	amounts := t.AskedBy(number)
	if at := slices.Index(resources, nodeResource); at >= 0 {
		amounts = slices.Clone(amounts)
		amounts[at] = float64(nodesOf(j))
	}
	return amounts
}
