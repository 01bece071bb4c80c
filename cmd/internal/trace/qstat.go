package trace

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs/qstat"
)

// Attributes that qstat prints of a job, by their places in a schema.
const (
	qstatState = iota
	qstatUser
	qstatGroup
	qstatAccount
	qstatProject
	qstatQueue
	qstatName
	qstatCreated
	qstatQueued
	qstatEligible
	qstatStart
	qstatEnd
	qstatExit
	qstatHistory
)

var qstatNames = []string{
	qstatState: "job_state", qstatUser: "euser", qstatGroup: "egroup", qstatAccount: "Account_Name", qstatProject: "project", qstatQueue: "queue",
	qstatName: "Job_Name", qstatCreated: "ctime", qstatQueued: "qtime", qstatEligible: "etime", qstatStart: "stime", qstatEnd: "obittime",
	qstatExit: "Exit_status", qstatHistory: "history_timestamp",
}

// IsQstat reports whether a text looks like what qstat -f prints, in one of its
// forms.
func IsQstat(first []byte) bool {
	first = bytes.TrimLeft(first, " \t\r\n\xef\xbb\xbf")
	return bytes.HasPrefix(first, []byte("Job Id: ")) || bytes.HasPrefix(first, []byte("{")) || bytes.HasPrefix(first, []byte("["))
}

// ReadQstat reads what qstat -xf prints, in any of its forms, with times in a zone.
// A job that has ended has done so at obittime, which older versions do not have:
// then it is not known when. What it has used is not kept.
func ReadQstat(from file.Source, zone *time.Location, keep Keep) (*Trace, error) {
	t := newTrace(keep)
	in, err := from.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	read := func(b *qstat.Batch) error {
		for i := range b.Records {
			t.addQstat(&b.Records[i], zone)
		}
		for _, kind := range slices.Sorted(maps.Keys(b.Problems)) {
			t.addProblem(Problem{from.Name, 1, kind})
		}
		return nil
	}
	// One worker, whose batches come in the order of the list.
	options := qstat.Options{Schema: qstat.NewSchema(qstatNames...), Workers: 1}
	if _, err := qstat.Read(in, options, func(b *qstat.Batch) *qstat.Batch { return b }, read); err != nil {
		return nil, fmt.Errorf("%s: %w", from.Name, err)
	}
	return t, nil
}

// addQstat adds a job.
func (t *Trace) addQstat(r *qstat.Record, zone *time.Location) {
	if _, isTwice := t.index[string(r.ID)]; isTwice {
		return // a list that was put together of several
	}
	j, _ := t.newJob(bytes.Clone(r.ID))
	v := r.Values
	for i, of := range map[int]*int32{qstatUser: &j.User, qstatGroup: &j.Group, qstatAccount: &j.Account, qstatProject: &j.Project, qstatQueue: &j.Queue, qstatName: &j.Name} {
		if v[i] != nil {
			*of = t.Names.number(v[i])
		}
	}
	at := func(i int) int64 {
		when, err := time.ParseInLocation(time.ANSIC, strings.TrimSpace(string(v[i])), zone)
		if err != nil {
			return Unknown
		}
		t.saw(when.Unix())
		return when.Unix()
	}
	j.Queued = at(qstatQueued)
	j.created, j.Arrival, j.Start = at(qstatCreated), known(at(qstatEligible), at(qstatQueued)), at(qstatStart)
	t.setRequested(j, r.Resources)
	state := byte('Q')
	if len(v[qstatState]) > 0 {
		state = v[qstatState][0]
	}
	switch {
	case state == 'F' || state == 'X' || state == 'M':
		j.End, j.Exit = known(at(qstatEnd), integer(v[qstatHistory])), integer(v[qstatExit])
		if j.State = Ended; j.Start == Unknown {
			j.State = Deleted
		}
		if j.End != Unknown {
			t.saw(j.End)
		}
	case state == 'R' || state == 'S' || state == 'U' || state == 'E' || state == 'B':
		j.State = Running
	}
}

// setRequested sets what a job asks for.
func (t *Trace) setRequested(j *Job, resources []qstat.Resource) {
	var request []byte
	for _, e := range resources {
		var a = noAmounts
		a.set(e.Name, e.Value)
		if t.keepsRequests && string(e.Name) != "walltime" {
			request = append(append(append(append(request, e.Name...), '='), e.Value...), RequestEnd)
		}
		j.NCPUs, j.Nodes, j.Mem, j.Walltime = known(a.ncpus, j.NCPUs), known(a.nodes, j.Nodes), known(a.mem, j.Mem), known(a.walltime, j.Walltime)
	}
	if request != nil {
		j.Request = t.Names.number(request)
	}
}
