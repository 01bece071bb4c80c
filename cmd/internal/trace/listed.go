package trace

import (
	"bytes"
	"iter"
	"slices"
)

// ListRow is what a list of jobs says of one. What it says nothing of is nil, "" or Unknown; its texts are read no
// more once it is added.
type ListRow struct {
	ID                                         []byte
	User, Group, Account, Project, Queue, Name []byte

	Created, Queued, Eligible, Start, End, Exit int64
	State                                       State
	Requested                                   iter.Seq2[[]byte, []byte] // resources and how much of each

	Used  iter.Seq2[[]byte, []byte] // likewise of what it has used; nil for nothing
	Hosts []byte                    // where it runs or ran, as exec_host or exec_vnode has it

	Vnodes, Indices, Depend string // see the methods of Job
}

// NewTrace returns a trace without jobs.
func NewTrace(keep Keep) *Trace { return newTrace(keep) }

// NewList returns a trace without jobs whose names have the numbers of this one. New names are this one's, too,
// after Takes.
func (t *Trace) NewList() *Trace {
	list := newTrace(Keep{Requests: true})
	list.Names = t.Names
	return list
}

// Takes makes the names of a list those of the trace that it was made by.
func (t *Trace) Takes(list *Trace) { t.Names = list.Names }

// AddListed adds a job of a list, and returns it; nil for one that is there already.
func (t *Trace) AddListed(l ListRow) *Job {
	if _, isTwice := t.index[string(l.ID)]; isTwice {
		return nil // a list that was put together of several
	}
	j, i := t.newJob(bytes.Clone(l.ID))
	for _, of := range [...]struct {
		into *int32
		name []byte
	}{{&j.User, l.User}, {&j.Group, l.Group}, {&j.Account, l.Account}, {&j.Project, l.Project}, {&j.Queue, l.Queue}, {&j.Name, l.Name}} {
		if of.name != nil {
			*of.into = t.Names.number(of.name)
		}
	}
	t.users.add(j.User)
	j.created, j.Queued, j.Arrival = l.Created, l.Queued, known(l.Eligible, l.Queued)
	j.Start, j.End, j.Exit, j.State = l.Start, l.End, l.Exit, l.State
	for _, at := range [...]int64{l.Created, l.Queued, l.Eligible, l.Start, l.End} {
		if at != Unknown {
			t.saw(at)
		}
	}
	t.setRequested(j, l.Requested)
	t.setListedUse(j, i, &l)
	if l.Vnodes != "" || l.Indices != "" || l.Depend != "" {
		rare := j.makeRare()
		rare.vnodes, rare.indices, rare.depend = l.Vnodes, l.Indices, l.Depend
	}
	return j
}

// setListedUse sets what a list says of what a job has used, of what it asks for of some resources, and where it ran, as
// far as these are kept.
func (t *Trace) setListedUse(j *Job, i int32, l *ListRow) {
	keep := func(into []float64, names []string, name, value []byte) {
		if at := slices.Index(names, string(name)); at >= 0 {
			into[at] = amountOf(value)
		}
	}
	if l.Used != nil {
		for name, value := range l.Used {
			var used = noAmounts
			used.set(name, value)
			j.UsedCput = known(used.cput, j.UsedCput)
			keep(t.used[int(i)*len(t.Used):][:len(t.Used)], t.Used, name, value)
		}
	}
	if len(t.asksFor) > 0 {
		for name, value := range l.Requested {
			t.requested.add(name)
			keep(t.asked[int(i)*t.resources:][:t.resources], t.asksFor, name, value)
		}
	}
	if t.keepsHosts && len(l.Hosts) > 0 {
		t.runsOn(j, l.Hosts)
	}
}

// setRequested sets what a job asks for.
func (t *Trace) setRequested(j *Job, resources iter.Seq2[[]byte, []byte]) {
	var request []byte
	for name, value := range resources {
		var a = noAmounts
		a.set(name, value)
		if t.keepsRequests && string(name) != "walltime" {
			request = append(append(append(append(request, name...), '='), value...), RequestEnd)
		}
		j.NCPUs, j.Nodes, j.Mem, j.Walltime = known(a.ncpus, j.NCPUs), known(a.nodes, j.Nodes), known(a.mem, j.Mem), known(a.walltime, j.Walltime)
	}
	if request != nil {
		j.Request = t.Names.number(request)
	}
}
