package dump

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/flux"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// Format returns lists of jobs of flux as a format of records.
func Format() trace.Format {
	piece := func(begin []byte) string { return words[KindOf(string(begin))] }
	return trace.Format{Name: "a list of jobs of flux in JSON", Is: isJobs, Read: ReadTrace, Piece: piece}
}

// ReadTrace reads what flux jobs -a --json prints, of one or several files, in whatever order: where the same job stands in
// several, what it came to last counts.
func ReadTrace(from []file.Source, _ *time.Location, keep trace.Keep) (*trace.Trace, error) {
	entries := trace.NewEntries(keep)
	entries.Nests = "flux account list-banks --json of the site"
	var lists []list
	for _, f := range from {
		text, err := f.Text(file.MostPrinted)
		if err != nil {
			return entries.Trace, err
		}
		jobs, err := flux.ParseJobs(text)
		if err != nil {
			return entries.Trace, fmt.Errorf("%s: %w", f.Name, err)
		}
		entries.Remarks = append(entries.Remarks, Lacking(f.Name, jobs)...)
		lists = append(lists, list{f.Name, jobs})
	}
	jobs, again := merged(lists)
	if again > 0 {
		entries.Remarks = append(entries.Remarks, diag.Notef("%s of several lists: each counts once, as what it came to last", report.Count(again, "job")))
	}
	entries.Remarks = append(entries.Remarks, unstarted(jobs)...)
	for _, j := range jobs {
		if err := entries.Add(entryOf(j.Job, keep)); err != nil {
			entries.Damaged(j.from, 1, fmt.Sprintf("job %s: %v", j.ID, err))
		}
	}
	return entries.Trace, nil
}

// unstarted says how many jobs have ended with an exit status, and no time at which they started.
func unstarted(jobs []listedJob) []diag.Remark {
	without := slices.DeleteFunc(slices.Clone(jobs), func(j listedJob) bool {
		return j.State != "INACTIVE" || !math.IsNaN(j.Start) || j.Exit == nil && !(j.RunTime > 0)
	})
	if len(without) == 0 {
		return nil
	}
	return []diag.Remark{diag.Warningf("%s does not tell when %s started that ran (t_run): they count as not started", without[0].from, report.Count(len(without), "job"))}
}

// list are the jobs of a file.
type list struct {
	name string
	jobs []flux.Job
}

// last returns the last time that a list tells of.
func (l list) last() (at float64) {
	for i := range l.jobs {
		j := &l.jobs[i]
		for _, x := range []float64{j.Submit, j.Eligible, j.Start, j.End} {
			if x > at { // NaN is not
				at = x
			}
		}
	}
	return at
}

// steps are the states of a job, each of which comes before those behind it.
var steps = []string{"DEPEND", "PRIORITY", "SCHED", "RUN", "CLEANUP", "INACTIVE"}

// listedJob is a job with the name of the file that counts.
type listedJob struct {
	*flux.Job
	from string
}

// merged returns the jobs of lists in the order of their numbers, each as the list has it in which it is furthest, the last one of
// several; again is how many stand in several.
func merged(lists []list) (jobs []listedJob, again int) {
	slices.SortStableFunc(lists, func(a, b list) int { return cmp.Compare(a.last(), b.last()) })
	at, isAgain := map[uint64]int{}, map[uint64]bool{}
	for _, l := range lists {
		for i := range l.jobs {
			j := listedJob{&l.jobs[i], l.name}
			n, isThere := at[j.Number]
			switch {
			case !isThere:
				at[j.Number] = len(jobs)
				jobs = append(jobs, j)
				continue
			case slices.Index(steps, j.State) >= slices.Index(steps, jobs[n].State):
				jobs[n] = j
			}
			isAgain[j.Number] = true
		}
	}
	slices.SortFunc(jobs, func(a, b listedJob) int { return cmp.Compare(a.Number, b.Number) })
	return jobs, len(isAgain)
}

// entryOf returns what the list says of a job.
func entryOf(j *flux.Job, keep trace.Keep) trace.Entry {
	e := trace.Entry{
		ID: []byte(j.ID), User: []byte(j.User), Account: []byte(j.Bank), Queue: []byte(j.Queue), Name: []byte(j.Name),
		Submit: second(j.Submit), Arrival: second(j.Eligible), Start: second(j.Start), End: second(j.End), Elapsed: trace.Unknown, State: trace.Waiting,
		NCPUs: atLeastOne(j.Cores), Nodes: atLeastOne(j.Nodes), Mem: trace.Unknown, Walltime: trace.Unknown, UsedCput: trace.Unknown, Exit: trace.Unknown,
	}
	if j.Duration > 0 {
		e.Walltime = int64(math.Round(j.Duration))
	}
	if e.Arrival == trace.Unknown {
		e.Arrival = e.Submit
	}
	e.HostCount = e.Nodes
	switch {
	case j.State == "INACTIVE":
		e.State = trace.Ended
	case !j.Waits():
		e.State = trace.Running
	}
	if e.State != trace.Ended {
		e.End = trace.Unknown
	}
	if j.Exit != nil {
		e.Exit = *j.Exit
	}
	if keep.Requests && e.NCPUs != trace.Unknown {
		e.Request = append(strconv.AppendInt([]byte("ncpus="), e.NCPUs, 10), trace.RequestEnd)
	}
	if len(keep.Asked) > 0 {
		e.Asked = make([]float64, len(keep.Asked))
		for i, name := range keep.Asked {
			e.Asked[i] = math.NaN()
			if n := map[string]int64{"ncpus": e.NCPUs, "nodect": e.Nodes}[name]; n > 0 {
				e.Asked[i] = float64(n)
			}
		}
		e.Resources = []string{"ncpus", "nodect"}
	}
	return e
}

// second returns a time in whole seconds.
func second(x float64) int64 {
	if math.IsNaN(x) {
		return trace.Unknown
	}
	return int64(math.Floor(x))
}

func atLeastOne(n int64) int64 {
	if n < 1 {
		return trace.Unknown
	}
	return n
}
