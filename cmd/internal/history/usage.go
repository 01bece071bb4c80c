package history

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/trace"
)

// JobUse is what a job has used, as far as its record tells; NaN for what it does not.
type JobUse struct {
	Memory    float64 // kb
	UsedMore  bool    // whether it may have used more of it
	GPUs      float64 // that it asked for
	CoreHours float64 // of all its runs that are over, without the time it was suspended
	NodeHours float64
	Charged   float64 // core hours times the factor of its queue, where there are factors
}

// usedByJobs are the resources of which is kept how much a job has used of them.
var usedByJobs = []string{"mem", "walltime"}

// keptUse are the resources that JobUse is of.
var keptUse = trace.Keep{Used: usedByJobs, Asked: []string{"ngpus"}, Hosts: true}

// Efficiency is how much a job was given of something, and how much of that it has used; NaN for what its record does not tell.
type Efficiency struct {
	Given, Used float64
	IsAtLeast   bool // whether it may have used more
}

// Part returns the part that was used.
func (e Efficiency) Part() float64 { return ratio(e.Used, e.Given) }

// told returns it with NaN in place of 0, which stands for what no job tells.
func (e Efficiency) told() Efficiency {
	e.Given, e.Used = orNaN(e.Given, e.Given > 0), orNaN(e.Used, e.Used > 0)
	return e
}

func (e Efficiency) isTold() bool { return !math.IsNaN(e.Given) && !math.IsNaN(e.Used) }

// Parts are how much of what they were given jobs used that have ended, as far as they tell it: seconds of their walltimes and of their
// cpus, and kb of memory times the walltime that was used.
type Parts struct{ Walltime, CPU, Memory Efficiency }

// add adds those of a run or of other jobs.
func (p *Parts) add(walltime, cpu, memory Efficiency) {
	for _, x := range []struct {
		sum *Efficiency
		of  Efficiency
	}{{&p.Walltime, walltime}, {&p.CPU, cpu}, {&p.Memory, memory}} {
		if x.of.isTold() {
			x.sum.Given, x.sum.Used, x.sum.IsAtLeast = x.sum.Given+x.of.Given, x.sum.Used+x.of.Used, x.sum.IsAtLeast || x.of.IsAtLeast
		}
	}
}

// ofRun adds those of a run that is over, of a job that used so much of usedByJobs and was active for so many seconds.
func (p *Parts) ofRun(j *trace.Job, use []float64, seconds float64) {
	walltime, cpu, memory := efficiencies(j, use, seconds)
	memory.Given, memory.Used = memory.Given*walltime.Used, memory.Used*walltime.Used
	p.add(walltime, cpu, memory)
}

// Efficiencies returns those of the last run of the job at a place in Jobs, which is over: of its walltime and the time of its cpus, in
// seconds, and of its memory, in kb. A report adds up the same.
func (h *History) Efficiencies(i int) (walltime, cput, memory Efficiency) {
	j := h.Jobs[i]
	seconds, _ := j.Length()
	return efficiencies(j, h.Trace.UseOf(h.numbers[i]), float64(seconds))
}

// efficiencies returns those of a run that is over, of a job that used so much of usedByJobs, and was active for so many seconds.
func efficiencies(j *trace.Job, use []float64, seconds float64) (walltime, cput, memory Efficiency) {
	used := measured(use[0])
	memory = Efficiency{orNaN(float64(j.Mem), j.Mem > 0), used, j.UsedMore}
	walltime = Efficiency{Given: orNaN(float64(j.Walltime), j.Walltime > 0), Used: use[1]}
	if math.IsNaN(walltime.Used) {
		walltime.Used = seconds
	}
	cput = Efficiency{Given: orNaN(float64(j.NCPUs)*walltime.Used, j.NCPUs > 0), Used: orNaN(float64(j.UsedCput), j.UsedCput > 0 || j.UsedCput == 0 && !math.IsNaN(used))}
	return walltime, cput, memory
}

// measured returns how much memory a job used, in kb, NaN where nobody has measured it: no program does with none, and 0 stands in the
// record of a job that was over before the first look at it, or at which nobody looks. Then a cpu time of 0 is none either.
func measured(kb float64) float64 { return orNaN(kb, kb > 0) }

// Use returns what the job at a place in Jobs has used.
func (h *History) Use(i int) JobUse {
	j, number := h.Jobs[i], h.numbers[i]
	u := JobUse{Memory: measured(h.Trace.UseOf(number)[0]), UsedMore: j.UsedMore, GPUs: h.Trace.AskedBy(number)[0], CoreHours: math.NaN(), NodeHours: math.NaN(), Charged: math.NaN()}
	seconds, hasRun := int64(0), false
	for _, r := range j.Earlier() {
		seconds, hasRun = seconds+j.Active(r.Start, r.End), true
	}
	if run, ok := j.Length(); ok {
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

// NameUse is what the jobs of a name that ran have used.
type NameUse struct {
	Name      string
	Ended     int     // runs that are over, those of jobs that were requeued among them
	Runs      int     // jobs that run
	CoreHours float64 // of those that have ended
	Running   float64 // core hours of those that run, so far
	Untimed   int     // jobs of which nothing tells for how long they ran
	Parts             // of those that have ended
	most      most    // of those that have ended
}

// LongestRun returns for how many seconds one of the jobs ran that have ended, at most, of how many; NaN for what nothing tells.
func (u *NameUse) LongestRun() Efficiency { return u.most.walltime.told() }

// MostMemory returns how much memory in kb one of them used at most, of how much; NaN for what nothing tells.
func (u *NameUse) MostMemory() Efficiency { return u.most.memory.told() }

// isOff reports whether a job has no run but earlier ones: it waits, or left while it did.
func isOff(j *trace.Job) bool { return j.State == trace.Waiting || j.State == trace.Deleted }

// NeverRan reports whether a job has no run.
func NeverRan(j *trace.Job) bool { return isOff(j) && len(j.Earlier()) == 0 }

// UseBy returns what jobs that are kept, and ran, have used by their names of a kind, those with the most core hours first.
func (h *History) UseBy(kind trace.Kind) (list []NameUse) {
	at := map[string]int{}
	for i, j := range h.Jobs {
		if NeverRan(j) {
			continue
		}
		name := kind.Of(j)
		k, isKnown := at[name]
		if !isKnown {
			k, at[name] = len(list), len(list)
			list = append(list, NameUse{Name: name})
		}
		u := &list[k]
		u.Ended += len(j.Earlier())
		run, hasEnded := j.Length()
		so, runs := j.SoFar()
		hours := float64(max(0, j.NCPUs)) / secondsOfHour
		for _, r := range j.Earlier() {
			u.CoreHours += float64(r.End-r.Start) * hours
		}
		switch {
		case hasEnded:
			u.CoreHours += float64(run) * hours
			u.Ended++
		case j.State == trace.Running:
			if u.Runs++; runs {
				u.Running += float64(so) * hours
			}
		case !isOff(j):
			u.Ended++
			u.Untimed++
		}
		if hasEnded {
			use := h.Trace.UseOf(h.numbers[i])
			u.ofRun(j, use, float64(run))
			u.most.ofRun(j, use, float64(run))
		}
	}
	slices.SortFunc(list, func(a, b NameUse) int {
		return cmp.Or(cmp.Compare(b.CoreHours, a.CoreHours), cmp.Compare(b.Running, a.Running), strings.Compare(a.Name, b.Name))
	})
	return list
}
