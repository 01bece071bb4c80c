package trace

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/sacct"
	"fairshare/cmd/internal/slurm"
)

// sacctColumns are the columns of sacct that are read.
var sacctColumns = []sacct.Column{
	sacct.JobID, sacct.State, sacct.Submit, sacct.Eligible, sacct.Start, sacct.End, sacct.Elapsed, sacct.ElapsedRaw, sacct.AllocCPUS, sacct.ReqCPUS, sacct.NNodes, sacct.ReqMem,
	sacct.ReqTRES, sacct.AllocTRES, sacct.Timelimit, sacct.TimelimitRaw, sacct.User, sacct.Group, sacct.Account, sacct.Partition, sacct.JobName, sacct.ExitCode, sacct.TotalCPU, sacct.NodeList,
}

// sacctReader adds the rows of sacct to a trace.
type sacctReader struct {
	*Trace
	requeued map[string]bool // jobs of which another run may follow
	asked    []string        // resources whose requested amounts are kept
	seen     rowSet          // rows of runs that are over and no longer in Jobs, see sacctReader.key
	seed     maphash.Seed
}

// ReadSacct reads what sacct -P prints under its header, or sacct --json, with local times in a zone: one file or
// several, in which the same row may stand twice. The tasks of an array that have not started are jobs of their own.
// The rows that sacct -D has of a job that was requeued are its earlier runs.
func ReadSacct(from []file.Source, zone *time.Location, keep Keep) (*Trace, error) {
	r := &sacctReader{Trace: newTrace(keep), requeued: map[string]bool{}, asked: keep.Asked, seed: maphash.MakeSeed()}
	r.isOfSacct = true
	damaged := func(name string, line int, why string) { r.addProblem(Problem{name, line, why}) }
	const mostTasks = 50_000_000
	reader := sacct.Reader{Zone: zone, Columns: sacctColumns, MostTasks: mostTasks, Row: r.addJob, Damaged: damaged,
		Header: func(name string, line int, h *sacct.Header) error {
			if !h.IsWhole() {
				return fmt.Errorf("%s:%d: sacct's table needs the columns JobID, State, and Submit or Start", name, line)
			}
			if !h.Has(sacct.AllocCPUS, sacct.ReqCPUS, sacct.AllocTRES, sacct.ReqTRES) {
				damaged(name, line, "no column says how many CPUs a job had (AllocCPUS, NCPUS, ReqCPUS or AllocTRES): core hours and all that is made of them come to 0")
			}
			return nil
		}}
	return r.Trace, reader.Read(from...)
}

// fates are the states of jobs as Slurm's states have them.
var fates = map[slurm.Fate]State{slurm.Waits: Waiting, slurm.Runs: Running, slurm.IsOver: Ended}

// addJob adds what a row says of a job, and hands the job over if nothing more is to come of it.
func (r *sacctReader) addJob(row *sacct.Row) error {
	if row.End != Unknown && row.Start != Unknown && row.End < row.Start {
		return errors.New("it ends before it starts")
	}
	key := r.key(row)
	if r.seen.has(key) {
		r.Doubled++
		return nil
	}
	i, isKnown := r.index[string(row.ID)]
	var j *Job
	if isKnown {
		before := r.Jobs[i]
		switch isSame := before.Queued == row.Submit; {
		case isSame && (before.State == Waiting || before.State == Running && row.Fate != slurm.Waits): // printed again, later
			r.Doubled++
			j = before
			j.Start, j.End, j.State = Unknown, Unknown, Waiting
		case isSame && !r.requeued[string(row.ID)]:
			r.Doubled++ // printed twice, or again and earlier
			return nil
		case r.requeued[string(row.ID)]:
			j = before
			if j.Start != Unknown && j.End != Unknown {
				j.wasRun(Run{j.Start, j.End})
			}
			j.Start, j.End, j.State = Unknown, Unknown, Waiting
		}
	}
	if j == nil {
		j, i = r.newJob(row.ID)
		j.IsArray = false
	}
	if row.State.MayRunAgain {
		r.requeued[string(row.ID)] = true
		r.seen.add(key)
	} else if isKnown {
		delete(r.requeued, string(row.ID))
	}
	r.describeRow(j, row)
	j.place(row)
	if r.keepsRequests {
		r.request(j, row)
	}
	r.ask(r.AskedBy(int(i)), j, row)
	for _, at := range []int64{j.Queued, j.Arrival, j.Start, j.End} {
		if at != Unknown {
			r.saw(at)
		}
	}
	if isOver := (j.State == Ended || j.State == Deleted) && j.End != Unknown; isOver && !row.State.MayRunAgain && r.done != nil {
		r.seen.add(key)
		r.handOver(j, i)
	}
	return nil
}

// key is a number that the rows of another job do not have. It takes less memory than the job: a
// file may have the same row twice, if it is of several prints.
func (r *sacctReader) key(row *sacct.Row) uint64 {
	const odd = 0x9e3779b97f4a7c15
	return (maphash.Bytes(r.seed, row.ID)*odd^uint64(row.Submit))*odd ^ uint64(row.Start)
}

// describeRow keeps what a row says of a job as a whole.
func (r *sacctReader) describeRow(j *Job, row *sacct.Row) {
	for _, name := range [...]struct {
		column sacct.Column
		of     *int32
	}{{sacct.User, &j.User}, {sacct.Group, &j.Group}, {sacct.Account, &j.Account}, {sacct.Partition, &j.Queue}} {
		if row.Has(name.column) {
			*name.of = r.Names.number(row.Text(name.column))
		}
	}
	if row.Has(sacct.JobName) && r.done == nil {
		j.Name = r.Names.number(row.Text(sacct.JobName))
	}
	j.Queued, j.created, j.Arrival, j.State = row.Submit, row.Submit, row.Eligible, fates[row.Fate]
	if !row.Has(sacct.Eligible) {
		j.Arrival = row.Submit
	}
	j.NCPUs, j.Nodes, j.Mem, j.Walltime, j.UsedCput = row.CPUs, row.Nodes, row.Mem, row.Limit, row.UsedCPU
	j.Exit = sacctExitCode(row.State, row.Exit, row.Signal)
}

// place sets when a job started and ended.
func (j *Job) place(row *sacct.Row) {
	j.Start, j.End = row.Start, row.End
	if j.State != Ended {
		return
	}
	if j.Start == Unknown {
		j.State = Deleted
	} else if paused := j.End - j.Start - row.Elapsed; row.Elapsed != Unknown && j.End != Unknown && paused > 0 {
		rare := j.makeRare() // it is not known when
		rare.pauses = append(rare.pauses, Run{j.End - paused, j.End})
	}
}

// inSlurm are the names that Slurm has for resources of PBS.
var inSlurm = map[string]string{"ncpus": "cpu", "nodect": "node", "ngpus": "gres/gpu"}

// ask keeps how much a job requests of the resources that were asked for, by PBS's or by Slurm's
// name of each.
func (r *sacctReader) ask(amounts []float64, j *Job, row *sacct.Row) {
	if len(r.asked) > 0 {
		r.seeRequested(row.Asked)
		r.seeRequested(row.Given)
	}
	for i, name := range r.asked {
		amount := int64(Unknown)
		switch name {
		case "ncpus":
			amount = j.NCPUs
		case "mem":
			amount = j.Mem
		case "nodect":
			amount = j.Nodes
		default:
			name = strings.ToLower(cmp.Or(inSlurm[name], name))
			amount = max(row.Amount(name), row.Amount("gres/"+name), row.Amount("license/"+name))
		}
		if amount != Unknown {
			amounts[i] = float64(amount)
		}
	}
}

// seeRequested keeps the names of the resources of a list, as ask takes them.
func (r *sacctReader) seeRequested(list map[string]float64) {
	for name := range list {
		for ofPBS, ofSlurm := range inSlurm {
			if name == ofSlurm {
				name = ofPBS
			}
		}
		r.requested.add([]byte(strings.TrimPrefix(strings.TrimPrefix(name, "gres/"), "license/")))
	}
}

// request keeps what a job requests in PBS's words.
func (r *sacctReader) request(j *Job, row *sacct.Row) {
	var b []byte
	for _, x := range [...]struct {
		name, unit string
		amount     int64
	}{{"ncpus", "", j.NCPUs}, {"mem", "kb", j.Mem}, {"nodect", "", j.Nodes}, {"ngpus", "", row.Amount("gres/gpu")}} {
		if x.amount != Unknown {
			b = strconv.AppendInt(append(append(b, x.name...), '='), x.amount, 10)
			b = append(append(b, x.unit...), RequestEnd)
		}
	}
	if b != nil {
		j.Request = r.Names.number(b)
	}
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
