package replay

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// preempted is the jobs that had to go for one, with how: 7.pbsref:R was requeued, and with S suspended.
type preempted struct {
	at   float64
	jobs []string
}

// readPreempted reads which jobs were preempted in some cycles.
func readPreempted(tb testing.TB, file string, cycles []decided) {
	rows, err := csv.NewReader(unpack(tb, file)).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	for _, row := range rows[1:] {
		start, err1 := strconv.ParseFloat(row[0], 64)
		at, err2 := strconv.ParseFloat(row[2], 64)
		k := slices.IndexFunc(cycles, func(c decided) bool { return c.at == start })
		if err1 != nil || err2 != nil || k < 0 {
			tb.Fatal(row)
		}
		if cycles[k].preempted == nil {
			cycles[k].preempted = map[string]preempted{}
		}
		cycles[k].preempted[row[1]] = preempted{at, slices.Sorted(slices.Values(strings.Fields(row[3])))}
	}
}

// givenUp returns when a job was preempted in the cycle, if it was. One that the same cycle started has no record of that.
func (c decided) givenUp(id string) (at float64, ok bool) {
	for _, of := range c.preempted {
		if slices.ContainsFunc(of.jobs, func(text string) bool { return strings.HasPrefix(text, id+":") }) {
			return of.at, true
		}
	}
	return 0, false
}

// asTried compares those that a job preempts with those that it was to preempt really, and returns those of them that went:
// the server fails (F) with jobs that do not run yet.
func (d *decision) asTried(job *candidate, tried []string) (gone []string) {
	name := func(text string) string { return strings.TrimRight(text, ":RSF") }
	var want, got []string
	for _, text := range tried {
		if want = append(want, name(text)); !strings.HasSuffix(text, ":F") {
			gone = append(gone, text)
		}
	}
	victims, _ := d.victimsFor(job)
	for _, text := range d.textOf(victims) {
		got = append(got, name(text))
	}
	if slices.Sort(want); !slices.Equal(got, want) {
		d.differ("%s would preempt %v, not %v", d.work.Jobs[job.job].ID, got, want)
	}
	return gone
}

// textOf returns jobs and how each is preempted, as recordings have it.
func (d *decision) textOf(victims []int32) (list []string) {
	for _, job := range victims {
		list = append(list, fmt.Sprintf("%s:%c", d.work.Jobs[job].ID, d.preemption.methodFor(job)))
	}
	slices.Sort(list) // the server takes them in its own order
	return list
}

// impose takes those off their vnodes that were taken really.
func (d *decision) impose(tb testing.TB, of preempted) {
	begin := d.now
	d.refused.clear()
	d.failed.forget(&d.failures, true)
	clear(d.tried)
	for _, text := range of.jobs {
		id, method, _ := strings.Cut(text, ":")
		at := slices.IndexFunc(d.running, func(job int32) bool { return d.work.Jobs[job].ID == id })
		if at < 0 {
			d.differ("%s does not run when it is preempted", id)
			continue
		}
		job := d.running[at]
		d.now = of.at
		leaves := func(at int64) {
			if float64(at) >= math.Floor(begin) && float64(at) < d.now {
				d.now = float64(at)
			}
		}
		for _, run := range d.work.Jobs[job].Earlier() {
			leaves(run.End)
		}
		for _, pause := range d.work.Jobs[job].Pauses() {
			leaves(pause.Start)
		}
		d.giveWayBy(job, method[0])
		d.now = begin
	}
}
