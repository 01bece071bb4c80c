package trace

import (
	"bytes"
	"hash/maphash"
	"strconv"
)

// addJob adds what a row says of a job, and hands the job over if nothing more is to come of it.
func (r *sacctReader) addJob(row *sacctRow, id []byte) {
	key := r.key(row, id)
	if r.seen.has(key) {
		r.Doubled++
		return
	}
	i, isKnown := r.index[string(id)]
	var j *Job
	if isKnown {
		before := r.Jobs[i]
		switch isSame := before.Queued == row.submit; {
		case isSame && (before.State == Waiting || before.State == Running && row.state != Waiting): // printed again, later
			j = before
			j.Start, j.End, j.State = Unknown, Unknown, Waiting
		case isSame && !r.requeued[string(id)]:
			r.Doubled++ // printed twice, or again and earlier
			return
		case r.requeued[string(id)]:
			j = before
			if j.Start != Unknown && j.End != Unknown {
				j.wasRun(Run{j.Start, j.End})
			}
			j.Start, j.End, j.State = Unknown, Unknown, Waiting
		}
	}
	if j == nil {
		j, i = r.newJob(id)
		j.IsArray = false
	}
	if row.isRequeued {
		r.requeued[string(id)] = true
		r.seen.add(key)
	} else if isKnown {
		delete(r.requeued, string(id))
	}
	r.describeRow(j, row)
	r.place(j, row)
	if r.keepsRequests {
		r.request(j, row)
	}
	r.ask(r.AskedBy(int(i)), j, row)
	for _, at := range []int64{j.Queued, j.Arrival, j.Start, j.End} {
		if at != Unknown {
			r.saw(at)
		}
	}
	if isOver := (j.State == Ended || j.State == Deleted) && j.End != Unknown; isOver && !row.isRequeued && r.done != nil {
		r.seen.add(key)
		r.handOver(j, i)
	}
}

// key is a number that the rows of another job do not have. It takes less memory than the job: a
// file may have the same row twice, if it is of several prints.
func (r *sacctReader) key(row *sacctRow, id []byte) uint64 {
	const odd = 0x9e3779b97f4a7c15
	return (maphash.Bytes(r.seed, id)*odd^uint64(row.submit))*odd ^ uint64(row.start)
}

// describeRow keeps what a row says of a job as a whole.
func (r *sacctReader) describeRow(j *Job, row *sacctRow) {
	for _, name := range []struct {
		column int
		of     *int32
	}{{sacctUser, &j.User}, {sacctGroup, &j.Group}, {sacctAccount, &j.Account}, {sacctPartition, &j.Queue}} {
		if text := row.text[name.column]; len(text) > 0 {
			*name.of = r.Names.number(text)
		}
	}
	if text := row.text[sacctName]; len(text) > 0 && r.done == nil {
		j.Name = r.Names.number(text)
	}
	j.Queued, j.created, j.Arrival, j.State = row.submit, row.submit, row.eligible, row.state
	if r.at[sacctEligible] < 0 {
		j.Arrival = row.submit
	}
	j.NCPUs = row.ncpus
	j.Nodes = positive(integer(row.text[sacctNodes]), row.tres("node"))
	if j.Mem = row.tres("mem"); j.Mem == Unknown {
		j.Mem = sacctMemory(row.text[sacctMem], j)
	}
	if j.Walltime = sacctSeconds(row.text[sacctLimit]); j.Walltime == Unknown {
		if minutes := integer(row.text[sacctLimitRaw]); minutes != Unknown {
			j.Walltime = minutes * 60
		}
	}
	j.UsedCput = sacctSeconds(row.text[sacctCPU])
	j.Exit = sacctExitCode(row.word(), row.text[sacctExit])
}

// ask keeps how much a job requests of the resources that were asked for, by PBS's or by Slurm's
// name of each.
func (r *sacctReader) ask(amounts []float64, j *Job, row *sacctRow) {
	if len(r.asked) > 0 {
		r.seeRequested(row.text[sacctReqTRES])
		r.seeRequested(row.text[sacctAllocTRES])
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
		case "ngpus":
			amount = row.tres("gres/gpu")
		default:
			amount = positive(row.tres(name), row.tres("gres/"+name), row.tres("license/"+name))
		}
		if amount != Unknown {
			amounts[i] = float64(amount)
		}
	}
}

// seeRequested keeps the names of a list such as cpu=8,mem=16000M,gres/gpu=2, as ask takes them.
func (r *sacctReader) seeRequested(list []byte) {
	for part := range bytes.SplitSeq(list, []byte(",")) {
		name, _, _ := bytes.Cut(part, []byte("="))
		switch string(name) {
		case "":
			continue
		case "cpu":
			name = []byte("ncpus")
		case "node":
			name = []byte("nodect")
		case "gres/gpu":
			name = []byte("ngpus")
		}
		for _, kind := range []string{"gres/", "license/"} {
			name = bytes.TrimPrefix(name, []byte(kind))
		}
		r.requested.add(name)
	}
}

// place sets when a job started and ended.
func (r *sacctReader) place(j *Job, row *sacctRow) {
	list := row.text[sacctNodeList]
	isNowhere := bytes.HasPrefix(list, []byte("None")) || len(list) == 0 && (r.at[sacctNodeList] >= 0 || row.word() == "CANCELLED")
	hasStarted := row.start != Unknown && !(row.state == Ended && row.elapsed == 0 && isNowhere)
	switch {
	case row.state == Waiting: // a start is one that the scheduler expects
	case row.state == Running:
		j.Start = row.start
	case !hasStarted:
		j.State, j.End = Deleted, row.end
	default:
		j.Start, j.End = row.start, row.end
		if paused := j.End - j.Start - row.elapsed; row.elapsed != Unknown && j.End != Unknown && paused > 0 {
			rare := j.makeRare() // it is not known when
			rare.pauses = append(rare.pauses, Run{j.End - paused, j.End})
		}
	}
}

// request keeps what a job requests in PBS's words.
func (r *sacctReader) request(j *Job, row *sacctRow) {
	var b []byte
	for _, x := range []struct {
		name, unit string
		amount     int64
	}{{"ncpus", "", j.NCPUs}, {"mem", "kb", j.Mem}, {"nodect", "", j.Nodes}, {"ngpus", "", row.tres("gres/gpu")}} {
		if x.amount != Unknown {
			b = strconv.AppendInt(append(append(b, x.name...), '='), x.amount, 10)
			b = append(append(b, x.unit...), RequestEnd)
		}
	}
	if b != nil {
		j.Request = r.Names.number(b)
	}
}
