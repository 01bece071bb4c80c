package dump

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/flux"
	"fairshare/cmd/internal/trace"
)

// Format returns lists of jobs of flux as a format of records.
func Format() trace.Format {
	return trace.Format{Name: "a list of jobs of flux in JSON", Is: IsJobs, Read: ReadTrace}
}

// ReadTrace reads what flux jobs -a --json prints, of one or several files, in which the same job may stand twice.
func ReadTrace(from []file.Source, _ *time.Location, keep trace.Keep) (*trace.Trace, error) {
	entries := trace.NewEntries(keep)
	for _, f := range from {
		text, err := f.Text(file.MostPrinted)
		if err != nil {
			return entries.Trace, err
		}
		jobs, err := flux.ParseJobs(text)
		if err != nil {
			return entries.Trace, fmt.Errorf("%s: %w", f.Name, err)
		}
		for i := range jobs {
			if err := entries.Add(entryOf(&jobs[i], keep)); err != nil {
				entries.Damaged(f.Name, 1, fmt.Sprintf("job %s: %v", jobs[i].ID, err))
			}
		}
	}
	return entries.Trace, nil
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
