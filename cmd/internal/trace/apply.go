package trace

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// add adds what is known of a chunk.
func (t *Trace) add(p *parsedChunk) {
	for _, problem := range p.problems {
		t.AddProblem(problem)
	}
	for kind, n := range p.types {
		if n > 0 {
			t.Types[string(rune(kind))] += n
		}
	}
	begin := int64(Unknown)
	for i := range p.events {
		at := t.apply(&p.events[i])
		if i == 0 {
			begin = at - (p.events[0].wall - p.first) // which tells no zone
		}
	}
	if p.first != Unknown && len(p.events) == 0 {
		begin = t.clock.unix(p.first, Unknown)
	}
	if begin != Unknown && !t.isLater(begin) && (t.begin == Unknown || begin < t.begin) {
		t.begin = begin
	}
	for _, name := range p.requested {
		t.requested.add([]byte(name))
	}
	for hour := range p.hours {
		t.hours[hour] = true
	}
	if p.last != Unknown {
		if at := t.clock.unix(p.last, Unknown); !t.isLater(at) {
			t.saw(at)
		}
	}
}

// isLater reports whether a time is later than what is to be read.
func (t *Trace) isLater(at int64) bool { return t.until != 0 && at > t.until }

// AddProblem keeps a problem, or counts it where there are too many.
func (t *Trace) AddProblem(p Problem) {
	if len(t.Problems) < maxProblems {
		t.Problems = append(t.Problems, p)
	} else {
		t.Unlisted++
	}
}

// job returns the job of an ID, a new one if there is none.
func (t *Trace) job(id []byte) (*Job, int32) {
	if i, ok := t.index[string(id)]; ok {
		return t.Jobs[i], i
	}
	return t.newJob(id)
}

func (t *Trace) newJob(id []byte) (*Job, int32) {
	i, j := t.place()
	*j = Job{
		ID: string(id), Arrival: Unknown, Queued: Unknown, Start: Unknown, End: Unknown, NCPUs: Unknown, Nodes: Unknown, Mem: Unknown, Walltime: Unknown,
		UsedCput: Unknown, Exit: Unknown, State: Waiting, created: Unknown,
	}
	j.IsArray = IsArray(j.ID)
	if _, server, isOfServer := strings.Cut(j.ID, "."); isOfServer && !j.IsArray {
		t.Servers[server]++
	}
	t.index[j.ID] = i
	fillNaN(t.used[int(i)*len(t.Used):][:len(t.Used)])
	fillNaN(t.asked[int(i)*t.resources:][:t.resources])
	return j, i
}

// apply adds an event to its job, and returns its time.
func (t *Trace) apply(e *event) (at int64) {
	at = t.clock.unix(e.wall, e.told())
	if t.isLater(at) {
		t.complete(e, at)
		return at
	}
	t.saw(at)
	if t.begin == Unknown {
		t.begin = at
	}
	if e.isOfPhase() {
		if i, isKnown := t.index[string(e.id)]; isKnown {
			t.Jobs[i].release(e.request.ncpus, at)
		}
		return at
	}
	j, i := t.job(e.id)
	if j.isAnother(e, at) {
		j, i = t.newJob(e.id) // numbers begin again one day
	}
	if e.kind == 'E' && j.rare != nil && j.rare.phases != nil && j.NCPUs != Unknown {
		e.request, e.requested, e.hosts = noAmounts, nil, nil // of its last phase
	}
	t.isTorque = t.isTorque || e.isTorque
	t.runsOn(j, e.hosts)
	came := j.Arrival // before this event, which may tell of its next run
	t.describeAt(j, e, at)
	came = known(came, j.Arrival)
	j.isPlaced = j.isPlaced || e.vnodes != nil
	if e.vnodes != nil && e.kind == 'E' && j.State == Waiting && j.Start == Unknown {
		j.makeRare().vnodes = string(e.vnodes)
		t.placedAt(i, known(e.start, t.begin), e.vnodes)
	}
	switch e.kind {
	case 'S':
		t.start(j, i, e, at, came)
	case 'R':
		t.resume(j, at)
		if !j.wasRun(Run{known(e.start, j.Start), known(e.end, at)}, came) {
			break // a log is read twice
		}
		j.Start, j.End, j.State = Unknown, Unknown, Waiting
	case 'E':
		t.end(j, i, e, at)
	case 'D', 'A', 'M': // M: it went to another server
		if j.State == Waiting {
			j.End, j.State = at, Deleted
			if bytes.HasPrefix(e.text, victimText) {
				j.makeRare().isVictim = true
			}
			if bytes.HasPrefix(e.text, refusedText) {
				j.makeRare().isRefused = true
			}
		}
	case 'z':
		if r := j.makeRare(); r.suspendedAt == Unknown {
			r.suspendedAt = at
		}
	case 'r':
		t.resume(j, at)
	}
	if j.Start != Unknown {
		t.saw(j.Start)
	}
	if e.asked != nil {
		keepKnown(t.asked[int(i)*t.resources:], e.asked)
	}
	t.passOn(j, i, at)
	return at
}

// start lets a job run, whose record of a start an event is, and which could run since some time before it.
func (t *Trace) start(j *Job, i int32, e *event, at, came int64) {
	start := known(e.start, at)
	if local := t.clock.inZone(e.wall); !t.clock.again { // an hour that occurs twice tells no zone
		t.zones[int64(math.Round(float64(local-start)/quarter))]++
	}
	if j.Start == start && (j.State == Ended || j.State == Running) || j.wasOver(start, at) {
		t.again++
		return
	}
	t.resume(j, at)
	if j.State == Running {
		j.wasRun(Run{j.Start, start}, came) // the server did not see it end
	}
	j.Start, j.End, j.State = start, Unknown, Running
	t.placedAt(i, start, e.vnodes)
	if t.until != 0 {
		t.placed[i] = string(e.vnodes)
	}
}

// end ends a job, whose record of an end an event is.
func (t *Trace) end(j *Job, i int32, e *event, at int64) {
	t.resume(j, at)
	if j.State == Waiting && j.Start == Unknown && e.start != Unknown && e.start > t.begin && !j.IsArray {
		t.startless++
	}
	j.Start, j.End, j.State = known(e.start, j.Start), known(e.end, at), Ended
	if e.exit != Unknown {
		j.Exit = e.exit
	}
	if e.eligible >= 0 && e.eligible < math.MaxInt32 {
		j.grown = int32(e.eligible) + 1
	}
	if e.used != nil {
		copy(t.used[int(i)*len(t.Used):], e.used)
	}
	t.saw(j.End)
}

// victimText begins the record of a job that is deleted since another ended otherwise.
var victimText = []byte("Job deleted as result of dependency on job")

// refusedText begins the record of a job that waits for one that the server does not know.
var refusedText = []byte("Reject reply")

// isAnother reports whether an event is of another job than the one that had its
// number before.
func (j *Job) isAnother(e *event, at int64) bool {
	switch {
	case j.State != Ended && j.State != Deleted:
		return false
	case e.ctime != Unknown && j.created != Unknown:
		return e.ctime != j.created
	}
	return e.kind == 'Q' && at > j.End
}

// placedAt keeps where a run of a job is.
func (t *Trace) placedAt(job int32, start int64, vnodes []byte) {
	if t.keepsPlaces && vnodes != nil {
		t.Places = append(t.Places, Placement{start, job, t.ExecVnodes.number(vnodes)})
	}
}

// wasRun adds an earlier run, before which the job could run since some time, and reports whether it had not been added before.
func (j *Job) wasRun(r Run, came int64) (isNew bool) {
	if isNew = !hasStart(j.Earlier(), r.Start); isNew && r.Start != Unknown && r.End >= r.Start {
		rare := j.makeRare()
		rare.earlier, rare.came = append(rare.earlier, r), append(rare.came, came)
	}
	return isNew
}

// wasOver reports whether an earlier run that began at a time was over after another time.
func (j *Job) wasOver(start, at int64) bool {
	return slices.ContainsFunc(j.Earlier(), func(r Run) bool { return r.Start == start && r.End > at })
}

// hasStart reports whether one of some times begins at a time.
func hasStart(list []Run, start int64) bool {
	return slices.ContainsFunc(list, func(r Run) bool { return r.Start == start })
}

// describe keeps what an event says of the job as a whole.
func (t *Trace) describe(j *Job, e *event) {
	t.keep(&j.User, e.user)
	t.keep(&j.Group, e.group)
	t.keep(&j.Account, e.account)
	t.keep(&j.Project, e.project)
	t.keep(&j.Queue, e.queue)
	if t.keepsNames {
		t.keep(&j.Name, e.name)
	}
	if e.indices != nil && t.keepsRequests {
		j.makeRare().indices = string(e.indices)
	}
	switch {
	case e.requested == nil:
	case e.kind == 'a', j.Request != 0 && !isWhole(e.requested):
		j.Request = t.Names.number(merge(t.Names.List[j.Request], string(e.requested)))
	case string(e.requested) != t.Names.List[j.Request]:
		j.Request = t.Names.number(e.requested)
	}
	if e.depend != nil {
		j.makeRare().depend = string(e.depend)
	}
	j.Queued = known(e.qtime, j.Queued)
	j.created, j.NCPUs, j.Nodes = known(e.ctime, j.created), known(e.request.ncpus, j.NCPUs), known(e.request.nodes, j.Nodes)
	j.Mem, j.Walltime, j.UsedCput = known(e.request.mem, j.Mem), known(e.request.walltime, j.Walltime), known(e.use.cput, j.UsedCput)
	switch {
	case e.etime != Unknown && e.etime > 0:
		j.hasEtime = true
		if j.Arrival != Unknown && e.etime > j.Arrival && (j.rare == nil || j.rare.eligible == Unknown) {
			j.makeRare().eligible = j.Arrival
		}
		j.Arrival = e.etime
	case j.Arrival == Unknown && e.etime == Unknown && e.qtime != Unknown:
		j.Arrival = e.qtime // of a log of old, which has no etime
	case e.kind == 'Q' && e.etime == Unknown && e.qtime == Unknown && j.Arrival == Unknown:
		j.Arrival = t.clock.last
	}
}

// isWhole reports whether a record tells all that a job has requested, and not a part of it.
func isWhole(requested []byte) bool {
	for _, name := range [...]string{"ncpus=", "nodect=", "place=", "select="} { // of each job
		if !bytes.HasPrefix(requested, []byte(name)) && !bytes.Contains(requested, []byte(string(RequestEnd)+name)) {
			return false
		}
	}
	return true
}

// keep keeps a name that an event tells.
func (t *Trace) keep(of *int32, name []byte) {
	if name != nil && t.Names.List[*of] != string(name) {
		*of = t.Names.number(name)
	}
}

// resume ends a suspension, which counts once where a log is read twice.
func (t *Trace) resume(j *Job, at int64) {
	if r := j.rare; r != nil && r.suspendedAt != Unknown {
		if !hasStart(r.pauses, r.suspendedAt) {
			r.pauses = append(r.pauses, Run{r.suspendedAt, max(at, r.suspendedAt)})
		}
		r.suspendedAt = Unknown
	}
}

func known(said, otherwise int64) int64 {
	if said != Unknown {
		return said
	}
	return otherwise
}
