package trace

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sacct"
)

// sacctColumns are the columns of sacct that are read.
var sacctColumns = []sacct.Column{
	sacct.JobID, sacct.State, sacct.Submit, sacct.Eligible, sacct.Start, sacct.End, sacct.Elapsed, sacct.ElapsedRaw, sacct.AllocCPUS, sacct.ReqCPUS, sacct.NNodes, sacct.ReqMem,
	sacct.ReqTRES, sacct.AllocTRES, sacct.Timelimit, sacct.TimelimitRaw, sacct.User, sacct.Group, sacct.Account, sacct.Partition, sacct.JobName, sacct.ExitCode, sacct.TotalCPU, sacct.NodeList,
}

// ReadSacct reads what sacct -P prints under its header, or sacct --json, with local times in a zone: one file or
// several, in which the same row may stand twice. The tasks of an array that have not started are jobs of their own.
// The rows that sacct -D has of a job that was requeued are its earlier runs.
func ReadSacct(from []file.Source, zone *time.Location, keep Keep) (*Trace, error) {
	entries := NewEntries(keep)
	const mostTasks = 50_000_000
	reader := sacct.Reader{Zone: zone, Columns: sacctColumns, MostTasks: mostTasks, Damaged: entries.Damaged,
		Row: func(row *sacct.Row) error { return entries.Add(entryOf(row, keep)) },
		Header: func(name string, line int, h *sacct.Header) error {
			if !h.IsWhole() {
				return fmt.Errorf("%s:%d: sacct's table needs the columns JobID, State, and Submit or Start", name, line)
			}
			if !h.Has(sacct.AllocCPUS, sacct.ReqCPUS, sacct.AllocTRES, sacct.ReqTRES) {
				entries.Damaged(name, line, "no column says how many CPUs a job had (AllocCPUS, NCPUS, ReqCPUS or AllocTRES): core hours and all that is made of them come to 0")
			}
			return nil
		}}
	return entries.Trace, reader.Read(from...)
}

// fates are the states of jobs as Slurm's states have them.
var fates = map[slurm.Fate]State{slurm.Waits: Waiting, slurm.Runs: Running, slurm.IsOver: Ended}

// entryOf returns what a row says of a job.
func entryOf(row *sacct.Row, keep Keep) Entry {
	e := Entry{
		ID: row.ID, User: row.Text(sacct.User), Group: row.Text(sacct.Group), Account: row.Text(sacct.Account), Queue: row.Text(sacct.Partition), Name: row.Text(sacct.JobName),
		Submit: row.Submit, Arrival: row.Eligible, Start: row.Start, End: row.End, Elapsed: row.Elapsed, State: fates[row.Fate], MayRunAgain: row.State.MayRunAgain,
		NCPUs: row.CPUs, Nodes: row.Nodes, Mem: row.Mem, Walltime: row.Limit, UsedCput: row.UsedCPU, Exit: sacctExitCode(row.State, row.Exit, row.Signal),
	}
	if !row.Has(sacct.Eligible) {
		e.Arrival = row.Submit
	}
	if keep.Requests {
		e.Request = requestOf(row)
	}
	if len(keep.Asked) > 0 {
		e.Asked, e.Resources = amountsOf(row, keep.Asked), resourcesOf(row)
	}
	return e
}

// inSlurm are the names that Slurm has for resources of PBS.
var inSlurm = map[string]string{"ncpus": "cpu", "nodect": "node", "ngpus": "gres/gpu"}

// amountsOf returns how much a job requests of resources, by PBS's or by Slurm's name of each; NaN for what is
// not told.
func amountsOf(row *sacct.Row, resources []string) []float64 {
	amounts := make([]float64, len(resources))
	fillNaN(amounts)
	for i, name := range resources {
		amount := int64(Unknown)
		switch name {
		case "ncpus":
			amount = row.CPUs
		case "mem":
			amount = row.Mem
		case "nodect":
			amount = row.Nodes
		default:
			name = strings.ToLower(cmp.Or(inSlurm[name], name))
			amount = max(row.Amount(name), row.Amount("gres/"+name), row.Amount("license/"+name))
		}
		if amount != Unknown {
			amounts[i] = float64(amount)
		}
	}
	return amounts
}

// resourcesOf returns the names of the resources that a row tells of, as amountsOf takes them.
func resourcesOf(row *sacct.Row) []string {
	var names []string
	for _, list := range []map[string]float64{row.Asked, row.Given} {
		for name := range list {
			for ofPBS, ofSlurm := range inSlurm {
				if name == ofSlurm {
					name = ofPBS
				}
			}
			names = append(names, strings.TrimPrefix(strings.TrimPrefix(name, "gres/"), "license/"))
		}
	}
	return names
}

// requestOf returns what a job requests in PBS's words.
func requestOf(row *sacct.Row) []byte {
	var b []byte
	for _, x := range [...]struct {
		name, unit string
		amount     int64
	}{{"ncpus", "", row.CPUs}, {"mem", "kb", row.Mem}, {"nodect", "", row.Nodes}, {"ngpus", "", row.Amount("gres/gpu")}} {
		if x.amount != Unknown {
			b = strconv.AppendInt(append(append(b, x.name...), '='), x.amount, 10)
			b = append(append(b, x.unit...), RequestEnd)
		}
	}
	return b
}

// sacctExitCode returns the exit status of a job in a state; a signal counts as PBS has it, 256 and its number. A job
// that Slurm ended at its time limit has PBS's status for that, and one that failed never 0.
func sacctExitCode(state *slurm.JobState, code, signal int64) int64 {
	const signalled = 256
	status := code
	if signal > 0 {
		status = signalled + signal
	}
	switch {
	case state.IsAtItsLimit:
		return KilledAtWalltime
	case state.FailsAnyway && (status == 0 || status == Unknown):
		return FailedInSlurm
	}
	return status
}
