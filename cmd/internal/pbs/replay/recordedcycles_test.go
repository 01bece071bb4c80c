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
	"testing"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/trace"
)

// With the moments of the cycles and the reports that the scheduler had, every start of
// the recorded run comes out.
func TestRecordedCycles(t *testing.T) {
	r := openRun(t, "A")
	cycles, err := readCycles(unpack(t, "A/cycles.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	result := r.runRecorded(t, cycles)
	compared := 0
	for i, j := range r.work.Jobs {
		compared++
		if got := outcome.Second(result.Start[i]); got != r.starts[j.ID].at {
			t.Errorf("%s starts at %d, recorded %d", j.ID, got, r.starts[j.ID].at)
		}
	}
	if compared != 120 {
		t.Errorf("compared %d jobs", compared)
	}
}

// recordedCycle is a cycle of a real scheduler: when it began, and what it knew of the
// jobs that ran at the cycle before.
type recordedCycle struct {
	at      float64              // in seconds since 1970
	running map[string]runReport // by job, its ID without the server
}

// runReport is what the scheduler knew of a job that ran.
type runReport struct {
	used float64 // in units of fairshare_usage_res; 0 before mom's first report
	gone bool    // whether it had ended
}

// errNoCycles says that a table has no cycles with reports.
var errNoCycles = errors.New("this is no table of cycles: it needs the columns time and last_running_job, with JOB:USER:BEFORE>NOW of each job that ran")

// readCycles reads recorded cycles from a table in CSV. The column "time" has their
// begins; the one whose name begins with "last_running_job" has what was known of each
// job, as 12:bob:5>8, where the end is "pre" before the first report and "gone" after
// the end.
func readCycles(r io.Reader) ([]recordedCycle, error) {
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
	var cycles []recordedCycle
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
		c := recordedCycle{running: map[string]runReport{}}
		if c.at, err = strconv.ParseFloat(row[timeAt], 64); err != nil || !(c.at >= 0 && c.at < 1e11) {
			return nil, fmt.Errorf("line %d: %q is not a time", len(cycles)+2, row[timeAt])
		}
		for _, job := range strings.Fields(row[runningAt]) {
			id, rest, _ := strings.Cut(job, ":")
			_, now, ok := strings.Cut(rest, ">")
			used, err := strconv.ParseFloat(now, 64)
			if !ok || err != nil && now != "pre" && now != "gone" {
				return nil, fmt.Errorf("line %d: %q is not JOB:USER:BEFORE>NOW", len(cycles)+2, job)
			}
			c.running[id] = runReport{used: used, gone: now == "gone"}
		}
		cycles = append(cycles, c)
	}
}

// runRecorded replays work in the cycles of a real scheduler, which decide when the replay's are,
// what has ended and what usage was reported.
func (r run) runRecorded(t *testing.T, cycles []recordedCycle) *outcome.Result {
	t.Helper()
	o := r.options
	o.Own = make([]float64, len(r.work.Jobs))
	w := *o.World
	w.Hours, o.World = nil, &w
	e, err := newEngine(r.work, r.plan, r.cluster, o)
	if err != nil {
		t.Fatal(err)
	}
	e.usage.formula = nil // nothing accrues but what is reported
	e.beginRunning()
	charged := make([]float64, len(r.work.Jobs))
	for i, c := range cycles {
		if e.isOver() {
			break
		}
		e.now = c.at
		e.admitRecorded(cycles[i:])
		e.usage.chargeReported(c, charged)
		for job := range o.Own {
			o.Own[job] = e.loggedAt(int32(job)) - e.now
		}
		if e.cycle(); e.err != nil {
			t.Fatal(e.err)
		}
	}
	return e.result
}

// admitRecorded takes in what the first of the cycles that are left knew: the jobs that had come and
// those that had ended. Each job that comes makes a cycle, so that of those which come in the
// second in which this one begins one more is there, if all cycles that are left in
// the second are theirs.
func (e *engine) admitRecorded(left []recordedCycle) {
	c := left[0]
	second := math.Floor(c.at)
	cycles, arrivals := 0, 0 // left in the second
	for _, later := range left {
		if math.Floor(later.at) != second {
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
		report, isKnown := c.running[trace.WithoutServer(e.work.Jobs[job].ID)]
		// One that is gone is exiting and not charged any more; its vnodes are free when
		// its end is logged.
		if (report.gone || !isKnown) && e.jobs[job].ends <= c.at && e.work.Jobs[job].State == trace.Ended {
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

// chargeReported charges what the reports of a recorded cycle have grown by; charged is what each
// job was charged before.
func (u *usage) chargeReported(c recordedCycle, charged []float64) {
	if !u.accrues {
		return
	}
	for _, job := range u.at.running {
		report, isKnown := c.running[trace.WithoutServer(u.at.work.Jobs[job].ID)]
		if isKnown && report.used > charged[job] {
			for _, id := range u.paths[u.at.entities.Of[job]] {
				u.base[id] += report.used - charged[job]
			}
			charged[job] = report.used
		}
	}
}
