package history

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// Part is a kind of figures. What one is about is not what another one is.
type Part string

// The kinds of figures.
const (
	OfMachine  Part = "machine"
	OfFairness Part = "fairness" // of reports with targets
	OfWork     Part = "work"
	OfWaiting  Part = "waiting"
)

// Title returns what figures of a kind are called.
func (p Part) Title() string {
	switch p {
	case OfMachine:
		return "The machine"
	case OfFairness:
		return "Fairness"
	case OfWork:
		return "Work that ended"
	}
	return "Waiting"
}

// About says what the figures of a kind include, to go on behind its title.
func (p Part) About() string {
	switch p {
	case OfMachine:
		return "what jobs occupied in the period, by every one that ran in any part of it, without the time it was suspended."
	case OfFairness:
		return "the part of the cpu hours that all occupied in the period, beside the target that the shares promise now, and the whole periods in a row above it (+) or below (-). Those who occupied nothing are not shown."
	case OfWork:
		return "core hours are the cpu hours of jobs that ended in the period, from their start on, also before the period, with runs that were lost since the job was requeued. What part of their cpu time, walltime and memory jobs used is that of their sums, in which long jobs count for more."
	}
	return "of the jobs that started in the period, from when they could run; a job that is requeued counts again, from then on."
}

// Unit says how a figure is written.
type Unit int

// The units.
const (
	Number  Unit = iota // of jobs
	Hours               // of a resource
	Ratio               // a part of 1
	Seconds             // of time
	Factor
	Memory // in kb
)

// Text returns a figure as people read it, "-" for NaN.
func (u Unit) Text(x float64) string {
	switch u {
	case Ratio:
		return report.Percent(x, 1)
	case Hours, Factor:
		return report.Decimals(x, 1)
	case Seconds:
		return report.Duration(x)
	case Memory:
		return memoryText(x)
	}
	return report.Decimals(x, 0)
}

// memoryText returns kb as people read them.
func memoryText(kb float64) string {
	const step = 1024
	for _, unit := range []string{" KB", " MB", " GB"} {
		if math.IsNaN(kb) {
			return "-"
		}
		if kb < step {
			return strconv.FormatFloat(kb, 'f', 1, 64) + unit
		}
		kb /= step
	}
	return strconv.FormatFloat(kb, 'f', 1, 64) + " TB"
}

// Column is a figure of rows.
type Column struct {
	Name    string // in CSV and JSON
	Label   string // in tables
	Part    Part
	Unit    Unit
	Changes bool                // whether its change against the period before is told
	Of      func(*Line) float64 // NaN where there is none
}

// IsAtLeast reports whether a figure of a row may be more than it is.
func (c Column) IsAtLeast(r *Line) bool {
	return c.Name == memEfficiency && r.used.Memory.IsAtLeast || c.Name == usedMemMax && r.most.memory.IsAtLeast
}

// Text returns the figure of a row as people read it.
func (c Column) Text(r *Line) string {
	text := c.Unit.Text(c.Of(r))
	if c.IsAtLeast(r) {
		text = "at least " + text
	}
	return text
}

// Change returns the change of a figure against the period before, NaN where there is none or the logs lack a part of
// either: what is left of a week is not compared with a whole one.
func (c Column) Change(r *Line) float64 {
	if r.Before == nil || r.Lacks != "" || r.Before.Lacks != "" {
		return math.NaN()
	}
	return c.Of(r) - c.Of(r.Before)
}

// columns returns the figures of a report of some resources besides cpus, with what is charged where queues have factors. The first ones are
// those that others read by their place.
func columns(resources []string, isCharged bool) []Column {
	list := []Column{
		{"jobs_started", "STARTED", OfWaiting, Number, true, func(r *Line) float64 { return float64(r.started) }},
		{"jobs_ended", "ENDED", OfWork, Number, true, func(r *Line) float64 { return float64(r.ended) }},
		{"cpu_hours", "CPU HOURS", OfMachine, Hours, true, func(r *Line) float64 { return r.occupied[0] / secondsOfHour }},
		{"capacity_hours", "OF", OfMachine, Hours, false, func(r *Line) float64 { return r.supply[0] / secondsOfHour }},
		{"utilisation", "IN USE", OfMachine, Ratio, true, func(r *Line) float64 { return ratio(r.occupied[0], r.supply[0]) }},
		{"wait_mean", "MEAN", OfWaiting, Seconds, true, (*Line).waitMean},
		{"wait_median", "MEDIAN", OfWaiting, Seconds, true, quantile(.5)},
		{"wait_p95", "P95", OfWaiting, Seconds, true, quantile(.95)},
		{"core_hours_ended", "CORE HOURS", OfWork, Hours, true, func(r *Line) float64 { return r.coreSeconds / secondsOfHour }},
		{"wait_p90", "P90", OfWaiting, Seconds, false, quantile(.9)},
		{"wait_p99", "P99", OfWaiting, Seconds, false, quantile(.99)},
		{"slowdown", "SLOWDOWN", OfWaiting, Factor, false, func(r *Line) float64 { return ratio(r.slowdowns, float64(r.slowed)) }},
		{"jobs_waiting", "STILL WAIT", OfWaiting, Number, false, func(r *Line) float64 { return float64(r.waiting) }},
		{reruns, "REQUEUED", OfWork, Number, false, func(r *Line) float64 { return float64(r.rerun) }},
		{lostHours, "LOST", OfWork, Hours, false, func(r *Line) float64 { return r.rerunSeconds / secondsOfHour }},
		{"cpu_efficiency", "CPU TIME", OfWork, Ratio, false, func(r *Line) float64 { return r.used.CPU.Part() }},
		{"walltime_efficiency", "WALLTIME", OfWork, Ratio, false, func(r *Line) float64 { return r.used.Walltime.Part() }},
		{memEfficiency, "MEM", OfWork, Ratio, false, func(r *Line) float64 { return r.used.Memory.Part() }},
		{"killed_at_walltime", "KILLED", OfWork, Number, false, func(r *Line) float64 { return float64(r.killed) }},
		{runMax, "LONGEST RUN", OfWork, Seconds, false, func(r *Line) float64 { return r.most.walltime.told().Used }},
		{runMaxGiven, "OF", OfWork, Seconds, false, func(r *Line) float64 { return r.most.walltime.told().Given }},
		{usedMemMax, "MOST MEMORY", OfWork, Memory, false, func(r *Line) float64 { return r.most.memory.told().Used }},
		{usedMemMaxGiven, "OF", OfWork, Memory, false, func(r *Line) float64 { return r.most.memory.told().Given }},
		{"failed", "FAILED", OfWork, Number, false, func(r *Line) float64 { return float64(r.failed) }},
	}
	if isCharged {
		list = append(list, Column{"charged_hours", "CHARGED", OfWork, Hours, true, func(r *Line) float64 { return r.charged / secondsOfHour }})
	}
	for i, resource := range resources {
		at, scale, name := i+1, float64(secondsOfHour), resource
		if isSize(resource) {
			scale, name = scale*kbOfGB, resource+"_gb"
		}
		label := strings.ToUpper(strings.ReplaceAll(name, "_", " "))
		list = append(list,
			Column{name + "_hours", label + " HOURS", OfMachine, Hours, true, func(r *Line) float64 { return r.occupied[at] / scale }},
			Column{resource + "_capacity_hours", "OF", OfMachine, Hours, false, func(r *Line) float64 { return r.supply[at] / scale }},
			Column{resource + "_utilisation", "IN USE", OfMachine, Ratio, true, func(r *Line) float64 { return ratio(r.occupied[at], r.supply[at]) }},
		)
	}
	return append(list,
		Column{deletedWaiting, "DELETED", OfWaiting, Number, false, func(r *Line) float64 { return float64(r.deleted) }},
		Column{failedUnstarted, "FAILED UNSTARTED", OfWaiting, Number, false, func(r *Line) float64 { return float64(r.unstarted) }})
}

// memEfficiency is what is called in CSV and JSON which part of their memory jobs used.
const memEfficiency = "mem_efficiency"

// What is called in CSV and JSON what one job of a row used at most, and what that job was given. Tables have it of jobs of a name, which are
// alike.
const runMax, usedMemMax, runMaxGiven, usedMemMaxGiven = "run_max", "used_mem_max", "run_max_given", "used_mem_max_given"

// ofOneJob are these figures.
var ofOneJob = []string{runMax, usedMemMax, runMaxGiven, usedMemMaxGiven}

// What is called in CSV and JSON how many jobs left without a start, and how many runs, of which core hours, were lost since the job was
// requeued. Tables have those of which there are any.
const deletedWaiting, failedUnstarted, reruns, lostHours = "deleted_waiting", "failed_unstarted", "reruns", "core_hours_rerun"

// ofAny are the figures that tables have where there are any.
var ofAny = []string{deletedWaiting, failedUnstarted, reruns, lostHours}

// kbOfGB is how many kb a gb has.
const kbOfGB = 1 << 20

// notHeld are the resources that PBS has from the beginning and of which a job holds no amount while
// it runs.
var notHeld = []string{"walltime", "min_walltime", "max_walltime", "soft_walltime", "cput", "pcput", "select", "schedselect", "place", "arch", "host", "vnode", "software", "nice"}

// checkHeld returns an error if a job holds no amount of a resource.
func checkHeld(resource string) error {
	if slices.Contains(notHeld, resource) {
		return diag.Requestf("%s is nothing that jobs occupy an amount of, as they do of ncpus, mem or ngpus", resource)
	}
	return nil
}

// isSize reports whether amounts of a resource are in kb.
func isSize(resource string) bool {
	return strings.HasSuffix(resource, "mem") || strings.HasSuffix(resource, "_memory")
}

func (r *Line) waitMean() float64 {
	sum := 0.
	for _, wait := range r.waits {
		sum += float64(wait)
	}
	return ratio(sum, float64(len(r.waits)))
}

// quantile returns a figure of sorted waits.
func quantile(q float64) func(*Line) float64 {
	return func(r *Line) float64 { return trace.Quantile(r.waits, q) }
}

// ratio returns a part of something, NaN where that is nothing or not known.
func ratio(part, of float64) float64 { return orNaN(part/of, of > 0) }

func orNaN(x float64, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return x
}
