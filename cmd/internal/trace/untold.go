package trace

import (
	"slices"
	"strings"
)

// Untold is what no record tells of some jobs, though PBS writes it of each.
type Untold struct {
	What    string // such as user
	Instead string // what is taken in its place
	Jobs    int
	Seconds int64 // for which they ran
	Example string
}

// ofEach is what PBS writes of each job. A job may have no walltime.
var ofEach = [...]struct {
	what, instead string
	isTold        func(t *Trace, j *Job) bool
}{
	{"user", "taken to be of one user without a name", func(_ *Trace, j *Job) bool { return j.User != 0 }},
	{"group", "taken to be of one group without a name, to which no limit of groups applies", func(_ *Trace, j *Job) bool { return j.Group != 0 }},
	{"queue", "taken to be of one queue without a name", func(_ *Trace, j *Job) bool { return j.Queue != 0 }},
	{"etime", "taken to have been ready to run when they came to their queue", func(_ *Trace, j *Job) bool { return j.hasEtime || j.Start == Unknown }},
	{"Resource_List.ncpus", "limits of ncpus count none of theirs", func(t *Trace, j *Job) bool { return !t.keepsRequests || t.isTorque || j.NCPUs != Unknown }},
	{"Resource_List.select", "taken to ask for one chunk of their ncpus and mem", func(t *Trace, j *Job) bool { return t.requests(j, "select") }},
	{"Resource_List.place", "place=free is taken", func(t *Trace, j *Job) bool { return t.requests(j, "place") }},
	{"exec_host", "on how many hosts they ran is not known", func(t *Trace, j *Job) bool { return !t.keepsHosts || j.Start == Unknown || j.HostCount > 0 }},
	{"exec_vnode", "where they ran is not known", func(t *Trace, j *Job) bool { return !t.keepsPlaces || t.isTorque || j.Start == Unknown || j.isPlaced }},
}

// requests reports whether a job has requested a resource, or whether what jobs requested is not kept.
func (t *Trace) requests(j *Job, resource string) bool {
	if !t.keepsRequests || t.isTorque {
		return true
	}
	for asked := range strings.SplitSeq(t.Names.List[j.Request], string(RequestEnd)) {
		if name, _, _ := strings.Cut(asked, "="); name == resource {
			return true
		}
	}
	return false
}

// Untold returns what no record tells of some jobs.
func (t *Trace) Untold() (all []Untold) {
	for _, u := range t.untold {
		if u.Jobs > 0 {
			all = append(all, u)
		}
	}
	return all
}

// Lacks notes what the row of a job does not tell, what is taken in its place, and for how long the job ran.
func (r *Entries) Lacks(what, instead string, id []byte, seconds int64) {
	at := slices.IndexFunc(r.untold, func(u Untold) bool { return u.What == what })
	if at < 0 {
		at = len(r.untold)
		r.untold = append(r.untold, Untold{What: what, Instead: instead, Example: string(id)})
	}
	r.untold[at].Jobs++
	r.untold[at].Seconds += max(0, seconds)
}

// miss counts what no record tells of a job, but for one of which nothing tells that it waited or ran.
func (t *Trace) miss(j *Job) {
	if len(t.Types) == 0 || j.Arrival == Unknown && j.Start == Unknown {
		return
	}
	for i, attribute := range ofEach {
		if attribute.isTold(t, j) {
			continue
		}
		if t.untold == nil {
			t.untold = make([]Untold, len(ofEach))
		}
		u := &t.untold[i]
		if u.Jobs++; u.Jobs == 1 {
			u.What, u.Instead, u.Example = attribute.what, attribute.instead, j.ID
		}
		if run, isOver := j.Run(); isOver {
			u.Seconds += run
		}
	}
}

// complete adds to a job that came before the time up to which logs are read what its later records tell of what it asked
// for: a list of jobs told it then.
func (t *Trace) complete(e *event, at int64) {
	i, isKnown := t.index[string(e.id)]
	if !isKnown || e.kind != 'S' && e.kind != 'E' || t.Jobs[i].isAnother(e, at) || t.Jobs[i].Request != 0 {
		return
	}
	j := t.Jobs[i]
	for _, of := range []struct {
		name *int32
		said []byte
	}{{&j.User, e.user}, {&j.Group, e.group}, {&j.Account, e.account}, {&j.Project, e.project}, {&j.Request, e.requested}} {
		if *of.name == 0 {
			t.keep(of.name, of.said)
		}
	}
	j.NCPUs, j.Nodes, j.Mem, j.Walltime = known(j.NCPUs, e.request.ncpus), known(j.Nodes, e.request.nodes), known(j.Mem, e.request.mem), known(j.Walltime, e.request.walltime)
}
