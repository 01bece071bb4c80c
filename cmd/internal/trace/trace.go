package trace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/qstat"
)

// Trace is the work that a site has recorded.
type Trace struct {
	Jobs     []*Job // in the order in which they first come; arrays stand for nothing, their subjobs do
	Names    Names  // of users, groups, accounts, projects, queues and jobs
	Types    map[string]int
	Problems []Problem
	Unlisted int // problems beyond the first maxProblems
	Used     []string

	First, Last int64 // of all times, in seconds since 1970; Unknown where there is none

	index         map[string]int32 // in Jobs, by ID
	zones         map[int64]int    // of records of a start, by how far their local time is from the start in quarters of an hour
	spare         []Job            // memory for jobs to come
	keepsRequests bool
	isSlurm       bool      // see OfSlurm
	used          []float64 // of job i from i*len(Used) on
	clock         clock

	begin     int64            // the time of the first line
	until     int64            // no later record is read; 0 for all
	placed    map[int32]string // the exec_vnode of jobs that run when the record is cut, by their places in Jobs
	requested nameSet          // resources that jobs request, where amounts of some are kept
	days      map[int64]bool   // that the logs cover, counted from 1970
	startless int              // see Continuity
	endless   int

	comments []string // of a trace in the Standard Workload Format

	asked []float64 // like used
	stream
}

// maxProblems bounds what a file of garbage leaves in memory.
const maxProblems = 1000

// Names numbers names, from 0 on in the order in which they first come; 0 is "".
type Names struct {
	List  []string
	index map[string]int32
}

func (n *Names) number(name []byte) int32 {
	if i, ok := n.index[string(name)]; ok {
		return i
	}
	i := int32(len(n.List))
	n.List = append(n.List, string(name))
	n.index[n.List[i]] = i
	return i
}

// Keep says what is kept of jobs that few need.
type Keep struct {
	Used     []string // resources whose use is kept, see UseOf
	Asked    []string // resources whose requested amounts are kept, see AskedBy
	Requests bool     // whether Job.Request is, and what changes on a job's way
	seen     *nameSet // gets the names of requested resources, where amounts of some are kept
	ZoneTold bool     // whether records that tell another time zone than the one given are right
	Until    int64    // of accounting logs, the time up to which records are read, in seconds since 1970; 0 for all

	// Done, if it is given, gets each job and its number for UseOf and AskedBy once nothing more
	// is to come of it. Neither it nor its name is kept then, and Jobs is empty in the end.
	Done func(t *Trace, j *Job, number int)
}

func newTrace(keep Keep) *Trace {
	t := &Trace{
		Names: Names{[]string{""}, map[string]int32{"": 0}}, Types: map[string]int{}, Used: keep.Used, keepsRequests: keep.Requests,
		First: Unknown, Last: Unknown, begin: Unknown, stream: stream{done: keep.Done, resources: len(keep.Asked)}, index: map[string]int32{}, zones: map[int64]int{}, days: map[int64]bool{},
		until: keep.Until, placed: map[int32]string{},
	}
	if keep.Done != nil {
		t.occupied = &Occupancy{}
	}
	return t
}

// Read reads accounting logs, in the order of their first lines, whatever that of
// the files; or a single trace, as ReadSWF and ReadQstat do. Their
// local times are in a zone, or as their records tell where they do and Keep.Zone says so.
func Read(logs []file.Source, zone *time.Location, keep Keep) (*Trace, error) {
	if len(logs) == 1 {
		from, first, err := peek(logs[0])
		switch {
		case err != nil:
			return nil, err
		case IsSWF(first):
			t, err := ReadSWF(from, keep)
			return t.handed(err)
		case isSacctJSON(first):
			t, err := ReadSacctJSON(from, zone, keep)
			return t.handed(err)
		case IsSacct(first):
			t, err := ReadSacct(from, zone, keep)
			return t.handed(err)
		case IsQstat(first):
			t, err := ReadQstat(from, zone, keep)
			return t.handed(err)
		case len(first) > 0 && !hasLine(first):
			return nil, &NotLogError{from.Name, file.KindOf(first)}
		}
		logs = []file.Source{from}
	}
	t := newTrace(keep)
	type log struct {
		file.Source
		first string
	}
	var sorted []log
	for _, from := range logs {
		first, err := "", error(nil)
		if len(logs) > 1 { // a single one may be readable once
			first, err = firstStamp(from)
		}
		if err != nil {
			return nil, err
		}
		if first == "" && len(logs) > 1 {
			_, begin, err := peek(from)
			if err != nil {
				return nil, err
			}
			if len(begin) > 0 {
				t.addProblem(Problem{from.Name, 1, "it " + (&NotLogError{Kind: file.KindOf(begin)}).what() + "; it is left out"})
			}
			continue
		}
		sorted = append(sorted, log{from, first})
	}
	if len(sorted) == 0 && len(t.Problems) > 0 {
		return nil, fmt.Errorf("none of the files is an accounting log, such as %w", t.Problems[0])
	}
	slices.SortStableFunc(sorted, func(a, b log) int { return cmp.Compare(a.first, b.first) })
	for _, log := range sorted {
		t.clock = clock{zone: zone, hour: -1, isTold: keep.ZoneTold, said: t.clock.said, hasSaid: t.clock.hasSaid}
		if err := readLog(log.Source, keep, t.add); err != nil {
			return nil, err
		}
	}
	for _, log := range logs {
		if day, ok := dayOfName(log.Name); ok {
			t.days[day] = true
		}
	}
	for _, j := range t.Jobs {
		if j != nil {
			t.resume(j, t.Last+1) // what is suspended in the end stays so
		}
	}
	t.endDead()
	return t.handed(nil)
}

// NotLogError is a file that is no accounting log.
type NotLogError struct{ Name, Kind string }

func (e *NotLogError) Error() string { return e.Name + " " + e.what() }

func (e *NotLogError) what() string {
	const not = "neither an accounting log nor a trace in the Standard Workload Format"
	if e.Kind == "" {
		return "is " + not
	}
	return "is " + e.Kind + ", and " + not
}

// hasLine reports whether one of the lines at the begin of a file is an accounting log's.
func hasLine(first []byte) bool {
	for line := range bytes.Lines(first) {
		if _, why := cut(bytes.TrimRight(line, "\r\n")); why == "" {
			return true
		}
	}
	return false
}

// ErrAlone says that a trace that is no accounting log is one of several files.
var ErrAlone = errors.New("a trace in the Standard Workload Format is read by itself")

// peek returns a file, which can be read once then, and how it begins.
func peek(from file.Source) (file.Source, []byte, error) {
	in, err := from.Open()
	if err != nil {
		return from, nil, err
	}
	const enough = 64 << 10 // for the comments at the begin of a trace
	plain, first, err := file.Begin(from.Name, in, enough)
	if err != nil {
		return from, nil, err
	}
	first = bytes.Clone(first)
	opened := struct {
		io.Reader
		io.Closer
	}{plain, in}
	return file.Source{Name: from.Name, Open: func() (io.ReadCloser, error) { return opened, nil }}, first, nil
}

// errFound ends the reading of a file.
var errFound = errors.New("found")

// firstStamp returns the time of a log's first line in a form that sorts, "" where
// the log has none.
func firstStamp(from file.Source) (stamp string, err error) {
	err = EachLine(from, func(number int, line []byte) error {
		const most = 1000 // lines of something else
		if r, why := cut(line); why == "" {
			stamp = time.Unix(r.stamp.wall(), 0).UTC().Format(time.RFC3339)
			return errFound
		}
		if IsSWF(line) {
			return fmt.Errorf("%s: %w", from.Name, ErrAlone)
		}
		if number > most {
			return errFound
		}
		return nil
	}, func(int, string) {})
	if errors.Is(err, errFound) {
		err = nil
	}
	return stamp, err
}

// add adds what is known of a chunk.
func (t *Trace) add(p *parsed) {
	for _, problem := range p.problems {
		t.addProblem(problem)
	}
	for kind, n := range p.types {
		if n > 0 {
			t.Types[string(rune(kind))] += n
		}
	}
	for i := range p.events {
		t.apply(&p.events[i])
	}
	for _, name := range p.requested {
		t.requested.add([]byte(name))
	}
	for day := range p.days {
		t.days[day] = true
	}
	if p.last != Unknown {
		if at := t.clock.unix(p.last, Unknown); !t.isLater(at) {
			t.saw(at)
		}
	}
}

// isLater reports whether a time is later than what is to be read.
func (t *Trace) isLater(at int64) bool { return t.until != 0 && at > t.until }

// addProblem keeps a problem, or counts it where there are too many.
func (t *Trace) addProblem(p Problem) {
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
	j.IsArray = qstat.IsArray(j.ID)
	t.index[j.ID] = i
	fillNaN(t.used[int(i)*len(t.Used):][:len(t.Used)])
	fillNaN(t.asked[int(i)*t.resources:][:t.resources])
	return j, i
}

// apply adds an event to its job.
func (t *Trace) apply(e *event) {
	at := t.clock.unix(e.wall, e.told())
	if t.isLater(at) {
		return
	}
	t.saw(at)
	if t.begin == Unknown {
		t.begin = at
	}
	j, i := t.job(e.id)
	if j.isAnother(e, at) {
		j, i = t.newJob(e.id) // numbers begin again one day
	}
	t.describeAt(j, e, at)
	if e.vnodes != nil && e.kind == 'E' && j.State == Waiting && j.Start == Unknown {
		j.makeRare().vnodes = string(e.vnodes)
	}
	switch e.kind {
	case 'S':
		start := known(e.start, at)
		if local := t.clock.inZone(e.wall); !t.clock.again { // an hour that occurs twice tells no zone
			t.zones[int64(math.Round(float64(local-start)/quarter))]++
		}
		if j.State == Ended && j.Start == start {
			break // a log of which a part comes twice
		}
		t.resume(j, at)
		if j.State == Running {
			j.wasRun(Run{j.Start, start}) // the server did not see it end
		}
		j.Start, j.End, j.State = start, Unknown, Running
		if t.until != 0 {
			t.placed[i] = string(e.vnodes)
		}
	case 'R':
		t.resume(j, at)
		j.wasRun(Run{known(e.start, j.Start), known(e.end, at)})
		j.Start, j.End, j.State = Unknown, Unknown, Waiting
	case 'E':
		t.resume(j, at)
		if j.State == Waiting && j.Start == Unknown && e.start != Unknown && e.start > t.begin && !j.IsArray {
			t.startless++
		}
		j.Start, j.End, j.State = known(e.start, j.Start), known(e.end, at), Ended
		if e.exit != Unknown {
			j.Exit = e.exit
		}
		if e.used != nil {
			copy(t.used[int(i)*len(t.Used):], e.used)
		}
		t.saw(j.End)
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

// wasRun adds an earlier run, once.
func (j *Job) wasRun(r Run) {
	isSame := func(other Run) bool { return other.Start == r.Start }
	if r.Start != Unknown && r.End >= r.Start && !slices.ContainsFunc(j.Earlier(), isSame) {
		j.makeRare().earlier = append(j.Earlier(), r)
	}
}

// describe keeps what an event says of the job as a whole.
func (t *Trace) describe(j *Job, e *event) {
	t.keep(&j.User, e.user)
	t.keep(&j.Group, e.group)
	t.keep(&j.Account, e.account)
	t.keep(&j.Project, e.project)
	t.keep(&j.Queue, e.queue)
	if t.done == nil {
		t.keep(&j.Name, e.name)
	}
	if e.indices != nil && t.keepsRequests {
		j.makeRare().indices = string(e.indices)
	}
	switch {
	case e.requested == nil:
	case e.kind == 'a':
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

// keep keeps a name that an event tells.
func (t *Trace) keep(of *int32, name []byte) {
	if name != nil && t.Names.List[*of] != string(name) {
		*of = t.Names.number(name)
	}
}

// resume ends a suspension.
func (t *Trace) resume(j *Job, at int64) {
	if r := j.rare; r != nil && r.suspendedAt != Unknown {
		r.pauses = append(r.pauses, Run{r.suspendedAt, max(at, r.suspendedAt)})
		r.suspendedAt = Unknown
	}
}

func known(said, otherwise int64) int64 {
	if said != Unknown {
		return said
	}
	return otherwise
}

// Begin returns when the logs begin, which jobs that ran then precede; Unknown where they
// have nothing.
func (t *Trace) Begin() int64 { return known(t.begin, t.First) }

// saw keeps the first and the last of all times.
func (t *Trace) saw(at int64) {
	if t.First == Unknown || at < t.First {
		t.First = at
	}
	if t.Last == Unknown || at > t.Last {
		t.Last = at
	}
}

// UseOf returns what a job has used of the resources that were asked for, NaN for
// what its record does not say.
func (t *Trace) UseOf(job int) []float64 { return t.used[job*len(t.Used) : (job+1)*len(t.Used)] }
