package qstat

import (
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
	"fairshare/formula"
)

// namingOfTables is how the jobs of tables are told apart that tell how long these ran and not when.
var namingOfTables = &trace.Naming{
	Kinds: []string{"queue", "user", "size"},
	Lacks: map[string]string{"group": lacksKind, "account": lacksKind, "project": lacksKind, "qos": lacksKind},
	Times: "qstat -xf tells it",
}

const lacksKind = "what qstat prints without -f has no group, account or project of a job: qstat -xf has them"

// timed returns how files are read together that are tables with Elap Time, such as qstat -xa prints, of jobs some of which have ended:
// they tell how long these ran and not when. It is nil for others.
func timed(begins [][]byte) *trace.Format {
	hasEnded := false
	for _, begin := range begins {
		if !IsTable(begin) {
			return nil
		}
		for _, r := range ReadTable(begin).Rows {
			hasEnded = hasEnded || r.Elapsed != "" && hasEndedIn(r.State)
		}
	}
	if !hasEnded {
		return nil
	}
	return &trace.Format{Name: file.JobsTable, Is: IsTable, Read: readTimed}
}

// hasEndedIn reports whether a job in a state is over.
func hasEndedIn(state byte) bool { return strings.IndexByte("FXMC", state) >= 0 }

// readTimed reads such tables.
func readTimed(from []file.Source, _ *time.Location, keep trace.Keep) (*trace.Trace, error) {
	var texts [][]byte
	for _, f := range from {
		text, err := f.Text(file.MostPrinted)
		if err != nil {
			return nil, err
		}
		texts = append(texts, []byte(text))
	}
	table := ReadTable(texts...)
	entries := trace.NewEntries(keep)
	entries.Trace.IsTimed, entries.Naming, entries.PrintsAll = true, namingOfTables, "qstat "+PrintsAll
	parted := map[string]bool{} // arrays of which the table has subjobs
	for _, r := range table.Rows {
		if array, _, isSubjob := trace.Subjob(Number(r.ID)); isSubjob {
			parted[array] = true
		}
	}
	for _, r := range table.Rows {
		if parted[Number(r.ID)] {
			continue
		}
		if err := entries.Add(entryOf(&r)); err != nil {
			return nil, err
		}
	}
	entries.Close()
	if table.Lines > 0 {
		entries.Damaged(from[0].Name, 1, report.Count(table.Lines, "line")+" cannot be read as rows of the table")
	}
	entries.Remarks = append(entries.Remarks, diag.Notef("core hours are Elap Time, which is told to the minute, times TSK"))
	return entries.Trace, nil
}

// entryOf returns what a row tells of a job's run. Of an array its subjobs tell that, which qstat -t prints.
func entryOf(r *TableRow) trace.Entry {
	e := trace.Entry{
		ID: []byte(strings.TrimSuffix(r.ID, "*")), User: []byte(r.User), Queue: []byte(r.Queue), Name: []byte(r.Name), IsTimed: true, State: trace.Waiting,
		Submit: trace.Unknown, Arrival: trace.Unknown, Start: trace.Unknown, End: trace.Unknown, Elapsed: trace.Unknown,
		NCPUs: trace.Unknown, Nodes: trace.Unknown, Mem: trace.Unknown, Walltime: trace.Unknown, UsedCput: trace.Unknown, Exit: trace.Unknown,
	}
	isArray := strings.HasSuffix(Number(r.ID), "[]")
	if seconds, ok := Clock(r.Elapsed); ok {
		e.Elapsed = seconds
	}
	switch isOver := hasEndedIn(r.State); {
	case isOver && e.Elapsed == trace.Unknown && !isArray:
		e.State = trace.Deleted
	case isOver:
		e.State = trace.Ended
	case strings.IndexByte("RSUEB", r.State) >= 0:
		e.State = trace.Running
	}
	if cpus, err := strconv.ParseInt(r.Tasks, 10, 64); err == nil {
		e.NCPUs = cpus
	}
	if kb, ok := formula.ParseSize(r.Memory); ok && r.Memory != "" {
		e.Mem = int64(kb)
	}
	if limit, ok := Clock(r.Walltime); ok {
		e.Walltime = limit
	}
	if used, ok := formula.ParseDuration(r.CPUTime); ok && r.CPUTime != "" {
		e.UsedCput = int64(used)
	}
	return e
}
