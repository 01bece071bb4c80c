package trace

import "strings"

// Stage is what a job asks for from a time on.
type Stage struct {
	From           int64 // Unknown for the first one
	Queue, Request int32
	Queued         int64
	Walltime       int64
	Priority       int64 // Unknown where no record says it
}

// Stages returns what a job asked for over time, where that has changed: qalter and
// qmove. It is nil for most jobs, and where requests are not kept.
func (j *Job) Stages() []Stage {
	if j.rare == nil {
		return nil
	}
	return j.rare.stages
}

// stage adds what a job asks for from a time on.
func (j *Job) stage(from, priority int64) {
	r := j.makeRare()
	if n := len(r.stages); priority == Unknown && n > 0 {
		priority = r.stages[n-1].Priority
	}
	r.stages = append(r.stages, Stage{from, j.Queue, j.Request, j.Queued, j.Walltime, priority})
}

// describeAt keeps what an event says of the job as a whole, and a stage where it
// changes what the job asks for.
func (t *Trace) describeAt(j *Job, e *event, at int64) {
	isMoved := e.kind == 'Q' && j.State == Waiting && j.Arrival != Unknown && e.queue != nil && t.Names.List[j.Queue] != string(e.queue)
	changes := t.keepsRequests && (e.kind == 'a' || isMoved)
	if changes && j.Stages() == nil {
		j.stage(Unknown, Unknown)
	}
	if t.keepsRequests {
		j.keepAsked(e)
	}
	t.describe(j, e)
	if changes {
		j.stage(at, e.priority)
	}
	for k := range j.Stages() { // what a record of then does not tell, others do
		if r := &j.rare.stages[k].Request; !isWhole([]byte(t.Names.List[*r])) {
			*r = t.Names.number(merge(t.Names.List[j.Request], t.Names.List[*r]))
		}
	}
}

// merge returns a request with some resources changed.
func merge(request, changed string) []byte {
	end := string(RequestEnd)
	for resource := range strings.SplitAfterSeq(changed, end) {
		name, _, _ := strings.Cut(resource, "=")
		merged, isThere := "", resource == ""
		for old := range strings.SplitAfterSeq(request, end) {
			if strings.HasPrefix(old, name+"=") {
				old, isThere = resource, true
			}
			merged += old
		}
		if request = merged; !isThere {
			request += resource
		}
	}
	return []byte(request)
}
