package replay

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/qstat"
	"fairshare/cmd/internal/trace"
)

// RecordedCycle is a cycle of a real scheduler: when it began, and what it knew of the
// jobs that ran at the cycle before.
type RecordedCycle struct {
	At      float64           // in seconds since 1970
	Running map[string]Report // by job, its ID without the server
}

// Report is what the scheduler knew of a job that ran.
type Report struct {
	Used float64 // in units of fairshare_usage_res; 0 before mom's first report
	Gone bool    // whether it had ended
}

// errNoCycles says that a table has no cycles with reports.
var errNoCycles = errors.New("this is no table of cycles: it needs the columns time and last_running_job, with JOB:USER:BEFORE>NOW of each job that ran")

// ReadCycles reads recorded cycles from a table in CSV. The column "time" has their
// begins; the one whose name begins with "last_running_job" has what was known of each
// job, as 12:bob:5>8, where the end is "pre" before the first report and "gone" after
// the end.
func ReadCycles(r io.Reader) ([]RecordedCycle, error) {
	in := csv.NewReader(r)
	header, err := in.Read()
	if err != nil {
		return nil, err
	}
	timeAt := slices.Index(header, "time")
	runningAt := slices.IndexFunc(header, func(name string) bool { return strings.HasPrefix(name, "last_running_job") })
	if timeAt < 0 || runningAt < 0 {
		return nil, errNoCycles
	}
	var cycles []RecordedCycle
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) && len(cycles) == 0 {
			return nil, errNoCycles
		}
		if errors.Is(err, io.EOF) {
			return cycles, nil
		}
		if err != nil {
			return nil, err
		}
		c := RecordedCycle{Running: map[string]Report{}}
		if c.At, err = strconv.ParseFloat(row[timeAt], 64); err != nil || !(c.At >= 0 && c.At < 1e11) {
			return nil, fmt.Errorf("line %d: %q is not a time", len(cycles)+2, row[timeAt])
		}
		for _, job := range strings.Fields(row[runningAt]) {
			id, rest, _ := strings.Cut(job, ":")
			_, now, ok := strings.Cut(rest, ">")
			used, err := strconv.ParseFloat(now, 64)
			if !ok || err != nil && now != "pre" && now != "gone" {
				return nil, fmt.Errorf("line %d: %q is not JOB:USER:BEFORE>NOW", len(cycles)+2, job)
			}
			c.Running[id] = Report{Used: used, Gone: now == "gone"}
		}
		cycles = append(cycles, c)
	}
}

// admitRecorded takes in what a recorded cycle knew: the jobs that had come and those
// that had ended. Each job that comes makes a cycle, so that of those which come in the
// second in which this one begins one more is there, if all cycles that are left in
// the second are theirs.
func (e *engine) admitRecorded(c RecordedCycle) {
	second := math.Floor(c.At)
	cycles, arrivals := 0, 0 // left in the second
	for _, later := range e.Recorded[e.cycles:] {
		if math.Floor(later.At) != second {
			break
		}
		cycles++
	}
	for e.arrived < len(e.work.Jobs) && float64(e.work.Jobs[e.arrived].Arrival) < second {
		e.arrive(int32(e.arrived))
		e.arrived++
	}
	for _, j := range e.work.Jobs[e.arrived:] {
		if float64(j.Arrival) != second {
			break
		}
		arrivals++
	}
	if arrivals > 0 && arrivals >= cycles {
		e.arrive(int32(e.arrived))
		e.arrived++
	}
	for _, job := range slices.Clone(e.running) {
		report, isKnown := c.Running[qstat.WithoutServer(e.work.Jobs[job].ID)]
		// One that is gone is exiting and not charged any more; its vnodes are free when
		// its end is logged.
		if (report.Gone || !isKnown) && e.jobs[job].ends <= c.At && e.work.Jobs[job].State == trace.Ended {
			e.end(job)
		}
	}
}

// loggedAt returns when the start of a job is logged that a recorded cycle starts: a
// moment later, which may be in the next second, as the record shows where it has the
// start there.
func (e *engine) loggedAt(job int32) float64 {
	second := math.Floor(e.now)
	if observed := float64(e.work.Jobs[job].Start); observed == second+1 {
		return observed
	}
	return second
}

// accrueRecorded charges what the reports of a recorded cycle have grown by, and lets
// usage decay if that is due.
func (u *usage) accrueRecorded(c RecordedCycle) {
	if !u.isOn {
		return
	}
	for _, job := range u.at.running {
		if !u.accrues {
			break
		}
		report, isKnown := c.Running[qstat.WithoutServer(u.at.work.Jobs[job].ID)]
		if r := &u.runs[job]; isKnown && report.Used > r.charged {
			u.tree.Charge(u.ids[u.at.entities.Of[job]], report.Used-r.charged)
			r.charged = report.Used
		}
	}
	for range u.decaysAt(c.At) {
		u.tree.Decay(u.config.DecayFactor)
	}
}
