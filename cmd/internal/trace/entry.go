package trace

import (
	"errors"
	"hash/maphash"
	"maps"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
)

// Entry is what a row of a table says of a run of a job. What it says nothing of is nil or Unknown; its texts are
// read no more once it is added.
type Entry struct {
	ID                                []byte
	User, Group, Account, Queue, Name []byte
	QOS                               []byte // kept in place of a project

	Submit, Arrival, Start, End, Elapsed int64
	State                                State  // Waiting, Running or Ended; Deleted of one that is known not to have run, where IsTimed
	Ended                                []byte // the state in which it has ended, as the record has it
	IsTimed                              bool   // whether Elapsed alone tells of when it ran
	MayRunAgain                          bool   // whether another run may follow
	MayHaveRun                           bool   // whether rows of earlier runs may come behind this one
	Suspended                            int64  // seconds of a run that still lasts, which Elapsed does not have
	HasLackedMemory                      bool   // whether it was ended for want of memory
	Restarts                             int64  // how often the job was queued again before this run

	NCPUs, Nodes, Mem, Walltime, UsedCput, Exit int64

	Hosts     []byte    // on which it runs or ran, where Keep.Hosts asks for it
	HostCount int64     // how many they are
	Request   []byte    // as Job.Request has it, where Keep.Requests asks for it
	Asked     []float64 // amounts of the resources of Keep.Asked
	Resources []string  // that the row tells of, where Keep.Asked names some
}

// Entries adds the rows of tables to a trace. They may come in any order, and the same row twice.
type Entries struct {
	*Trace
	requeued map[string]bool     // jobs of which another run may follow
	restarts map[string][2]int64 // of jobs that were queued again, how often as the rows say, and how many rows they have
	seen     rowSet              // rows of runs that are over and no longer in Jobs, see Entries.key
	seed     maphash.Seed
	over     *Job // that is handed over when the next row comes, since steps of it may follow; nil for none
	overAt   int32
	ranUpTo  map[int32]int64  // by the place of a job that runs as far as rows tell, up to when they tell that
	days     map[int64]string // of which a row tells, counted from 1970, with the first job that does
	lastDay  int64
	early    map[string]earlyUse // what steps used whose jobs have not come yet, as where rows are in another order
}

// earlyUse is what a step used of a resource.
type earlyUse struct {
	resource  string
	amount    float64
	isAtLeast bool
}

// NewEntries returns entries for a trace without jobs.
func NewEntries(keep Keep) *Entries {
	r := &Entries{Trace: newTrace(keep), requeued: map[string]bool{}, restarts: map[string][2]int64{}, seed: maphash.MakeSeed()}
	r.isOfTable, r.days, r.ranUpTo = true, map[int64]string{}, map[int32]int64{}
	return r
}

// Damaged keeps what could not be read of a table.
func (r *Entries) Damaged(name string, line int, why string) { r.AddProblem(Problem{name, line, why}) }

// Add adds what an entry says of a job, or says why it is left out, and hands the job over if nothing more is to come of it.
func (r *Entries) Add(e Entry) error {
	if e.End != Unknown && e.Start != Unknown && e.End < e.Start {
		return errors.New("it ends before it starts")
	}
	if r.handLast(); e.IsTimed {
		r.addTimed(e)
		return nil
	}
	key := r.key(e)
	if r.seen.has(key) {
		r.Doubled++
		return nil
	}
	i, isKnown := r.index[string(e.ID)]
	var j *Job
	isSame := false
	if isKnown {
		before := r.Jobs[i]
		isSame = before.isRunOf(e)
		if before.isAfter(e) && r.addEarlier(before, e) {
			if e.State == Ended { // one printed while it ran has the same key
				r.seen.add(key)
			}
			return nil
		}
		switch {
		case isSame && (before.State == Waiting || before.State == Running && e.State != Waiting): // printed again, later
			r.Doubled++
			j = before
			j.Start, j.End, j.State = Unknown, Unknown, Waiting
		case isSame && !r.requeued[string(e.ID)]:
			r.Doubled++ // printed twice, or again and earlier
			r.runs(i, before, e)
			return nil
		case r.requeued[string(e.ID)]:
			j = before
			if j.Start != Unknown && j.End != Unknown {
				j.wasRun(Run{j.Start, j.End}, j.Arrival)
			}
			j.Start, j.End, j.State = Unknown, Unknown, Waiting
		case e.MayHaveRun && (before.State == Waiting || before.State == Running): // printed before it was queued again
			r.Doubled++
			j = before
			j.Start, j.End, j.State = Unknown, Unknown, Waiting
		}
	}
	if j == nil {
		j, i = r.newJob(e.ID)
		j.IsArray = false
		if used, isEarly := r.early[string(e.ID)]; isEarly {
			delete(r.early, string(e.ID))
			r.UsedBy(e.ID, used.resource, used.amount, used.isAtLeast)
		}
	}
	if isSame && e.Submit == Unknown && !r.requeued[string(e.ID)] {
		e.Submit, e.Arrival = j.Queued, known(e.Arrival, j.Arrival)
	}
	if !isSame || e.MayRunAgain && e.Restarts == 0 { // else it counts already, as it was printed before
		r.countRestarts(e)
	}
	if e.MayRunAgain {
		r.requeued[string(e.ID)] = true
		r.seen.add(key)
	} else if isKnown {
		delete(r.requeued, string(e.ID))
	}
	r.take(int(i), e)
	r.sawTimes(e.ID, j.Queued, j.Arrival, j.Start, j.End)
	if r.runs(i, j, e); j.State == Running && j.Start != Unknown && e.Elapsed > 0 {
		r.Printed = max(r.Printed, j.Start+e.Elapsed)
	}
	if isOver := (j.State == Ended || j.State == Deleted) && j.End != Unknown; isOver && !e.MayRunAgain && !e.MayHaveRun && r.done != nil {
		r.seen.add(key)
		r.over, r.overAt = j, i
	}
	return nil
}

// addTimed is Add of an entry that tells for how long a run lasted and not when. Those after which another one may follow are told apart
// by how long they lasted, and of the others the job has one.
func (r *Entries) addTimed(e Entry) {
	i, isKnown := r.index[string(e.ID)]
	if e.MayRunAgain {
		key := maphash.Bytes(r.seed, e.ID) ^ uint64(e.Elapsed)
		if r.seen.has(key) {
			r.Doubled++
			return
		}
		r.seen.add(key)
		r.countRestarts(e)
	}
	lasted := func(j *Job, seconds int64) { // an earlier run
		rare := j.makeRare()
		rare.earlier, rare.came = append(rare.earlier, Run{0, max(0, seconds)}), append(rare.came, Unknown)
	}
	if isKnown {
		switch j := r.Jobs[i]; {
		case r.requeued[string(e.ID)]: // what it has is an earlier run
			lasted(j, j.length-1)
		case e.MayRunAgain:
			lasted(j, e.Elapsed)
			return
		case j.State == Waiting || j.State == Running && e.State != Waiting: // printed again, later
			r.Doubled++
		default:
			r.Doubled++
			return
		}
	} else {
		_, i = r.newJob(e.ID)
		r.Jobs[i].IsArray = false
		if used, isEarly := r.early[string(e.ID)]; isEarly {
			delete(r.early, string(e.ID))
			r.UsedBy(e.ID, used.resource, used.amount, used.isAtLeast)
		}
	}
	if !e.MayRunAgain {
		r.countRestarts(e)
	}
	r.requeued[string(e.ID)] = e.MayRunAgain
	r.take(int(i), e)
}

// isRunOf reports whether an entry is of the run that a job has, be it printed at another time: one of two tables may tell when the job
// came and the other not.
func (j *Job) isRunOf(e Entry) bool {
	if j.Queued != Unknown && e.Submit != Unknown {
		return j.Queued == e.Submit
	}
	at, of := known(j.Start, j.End), known(e.Start, e.End)
	return at == of || at == Unknown || of == Unknown // one of them is printed while it waits
}

// isAfter reports whether an entry is of a run before the one that a job has.
func (j *Job) isAfter(e Entry) bool {
	if j.Queued != Unknown && e.Submit != Unknown {
		return e.Submit < j.Queued
	}
	return e.Start != Unknown && e.Start < j.Start
}

// addEarlier keeps what an entry says of a run before the one that a job has, and reports whether it does: a table that has each run may
// come behind one that has the last run of each job.
func (r *Entries) addEarlier(j *Job, e Entry) bool {
	switch {
	case e.MayRunAgain && e.Start != Unknown && e.End != Unknown && j.wasRun(Run{e.Start, e.End}, e.Arrival):
		earlier, came := j.rare.earlier, j.rare.came
		for k := len(earlier) - 1; k > 0 && earlier[k].Start < earlier[k-1].Start; k-- {
			earlier[k], earlier[k-1], came[k], came[k-1] = earlier[k-1], earlier[k], came[k-1], came[k]
		}
		r.pausedIn(j, e)
		r.countRestarts(e)
		r.sawTimes(e.ID, e.Submit, e.Arrival, e.Start, e.End)
		return true
	case e.State != Ended && (e.MayHaveRun || r.restarts[string(e.ID)][0] > 0): // printed before it was queued again
		r.Doubled++
		return true
	}
	return false
}

// sawTimes takes in when something happened to a job, as far as it is known.
func (r *Entries) sawTimes(id []byte, times ...int64) {
	for _, at := range times {
		if at != Unknown {
			r.saw(at)
			r.sawDay(at/secondsOfDay, id)
		}
	}
}

// countRestarts counts how often a job was queued again, and the rows of its runs.
func (r *Entries) countRestarts(e Entry) {
	if e.Restarts > 0 || e.MayRunAgain {
		n := r.restarts[string(e.ID)]
		n[0], n[1] = max(n[0], e.Restarts), n[1]+1
		r.restarts[string(e.ID)] = n
	}
}

// handLast hands over the last job that was added, if nothing more is to come of it.
func (r *Entries) handLast() {
	if r.over != nil {
		r.handOver(r.over, r.overAt)
		r.over = nil
	}
}

// OfCluster notes the cluster that a row names.
func (r *Entries) OfCluster(name []byte) {
	if !slices.ContainsFunc(r.Clusters, func(known string) bool { return known == string(name) }) {
		r.Clusters = append(r.Clusters, string(name))
	}
}

// sawDay keeps that a row tells of a day.
func (r *Entries) sawDay(day int64, id []byte) {
	if day == r.lastDay {
		return
	}
	if r.lastDay = day; r.days[day] == "" {
		r.days[day] = string(id)
	}
}

// sayGaps says where rows tell nothing of more than a year between two of their times: one of the two is wrong, or they are of
// two records.
func (r *Entries) sayGaps() {
	const longest = 366 // days
	days := slices.Sorted(maps.Keys(r.days))
	for i := 1; i < len(days); i++ {
		if before, day := days[i-1], days[i]; day-before > longest {
			date := func(day int64) string { return time.Unix(day*secondsOfDay, 0).UTC().Format(time.DateOnly) }
			r.Remarks = append(r.Remarks, diag.Warningf("no row tells of the time between %s (job %s) and %s (job %s): perhaps one of the two is wrong, or the rows are of two records; the period goes over both",
				date(before), r.days[before], date(day), r.days[day]))
		}
	}
}

// Close notes what is known once all rows are added.
func (r *Entries) Close() {
	r.handLast()
	r.sayGaps()
	r.endOlder()
	for _, n := range r.restarts {
		if missing := n[0] - (n[1] - 1); missing > 0 {
			r.Unseen.Jobs++
			r.Unseen.Runs += int(missing)
		}
	}
}

// key is a number that the rows of another run do not have, whether its table tells when the job came or not. It takes less memory than
// the job: a file may have the same row twice, if it is of several prints.
func (r *Entries) key(e Entry) uint64 {
	const odd = 0x9e3779b97f4a7c15
	id := maphash.Bytes(r.seed, e.ID) * odd
	if at := known(e.Start, e.End); at != Unknown {
		return id ^ uint64(at)
	}
	return id*odd ^ uint64(e.Submit)
}

// take keeps what an entry says of a job, whose run it is of.
func (r *Entries) take(i int, e Entry) {
	j := r.Jobs[i]
	r.describeAs(j, e)
	j.placeAs(e)
	r.pausedIn(j, e)
	keepKnown(r.AskedBy(i), e.Asked)
	for _, name := range e.Resources {
		r.requested.add([]byte(name))
	}
}

// describeAs keeps what an entry says of a job as a whole.
func (r *Entries) describeAs(j *Job, e Entry) {
	for _, name := range [...]struct {
		of   *int32
		text []byte
	}{{&j.User, e.User}, {&j.Group, e.Group}, {&j.Account, e.Account}, {&j.Queue, e.Queue}, {&j.Project, e.QOS}} {
		if len(name.text) > 0 {
			*name.of = r.Names.number(name.text)
		}
	}
	r.users.add(j.User)
	if len(e.Name) > 0 && r.keepsNames {
		j.Name = r.Names.number(e.Name)
	}
	if len(e.Ended) > 0 && r.done == nil {
		j.Ended = r.Names.number(e.Ended)
	}
	j.Queued, j.created, j.Arrival, j.State = e.Submit, e.Submit, e.Arrival, e.State
	j.lacksMemory = e.HasLackedMemory
	j.NCPUs, j.Nodes, j.Mem, j.Walltime, j.UsedCput, j.Exit = e.NCPUs, e.Nodes, e.Mem, e.Walltime, e.UsedCput, e.Exit
	if e.HostCount > 0 && e.HostCount <= mostThings {
		j.HostCount = int32(e.HostCount)
	}
	if len(e.Hosts) > 0 && r.done == nil {
		j.Hosts = r.Names.number(e.Hosts)
	}
	if e.Request != nil {
		j.Request = r.Names.number(e.Request)
	}
}

// placeAs sets when a job started and ended.
func (j *Job) placeAs(e Entry) {
	j.Start, j.End = e.Start, e.End
	if e.IsTimed {
		j.length = 0
		if e.State != Waiting && e.Elapsed >= 0 {
			j.length = e.Elapsed + 1
		}
		return
	}
	if j.State == Ended && j.Start == Unknown {
		j.State = Deleted
	}
}

// pausedIn keeps for how long a job was suspended in a run that is over: it is not known when.
func (r *Entries) pausedIn(j *Job, e Entry) {
	if e.State != Ended || e.Start == Unknown || e.End == Unknown || e.Elapsed == Unknown {
		return
	}
	if paused := e.End - e.Start - e.Elapsed; paused > 0 {
		rare := j.makeRare()
		k := len(rare.pauses)
		for k > 0 && rare.pauses[k-1].Start > e.End-paused {
			k--
		}
		rare.pauses = slices.Insert(rare.pauses, k, Run{e.End - paused, e.End})
		r.Paused.Jobs++
		r.Paused.CoreSeconds += paused * max(0, j.NCPUs)
	}
}

// UsedBy keeps what a step of a job, that is there or comes, has used of a resource of Keep.Used, or has used at least, where that is
// more than is known.
func (r *Entries) UsedBy(id []byte, resource string, amount float64, isAtLeast bool) {
	i, isKnown := r.index[string(id)]
	k := slices.Index(r.Used, resource)
	const mostEarly = 1 << 20 // jobs
	switch {
	case k < 0:
		return
	case !isKnown:
		if r.early == nil {
			r.early = map[string]earlyUse{}
		}
		if len(r.early) < mostEarly {
			before := r.early[string(id)]
			r.early[string(id)] = earlyUse{resource, max(before.amount, amount), before.isAtLeast || isAtLeast}
		}
		return
	}
	r.Jobs[i].UsedMore = r.Jobs[i].UsedMore || isAtLeast
	if of := &r.used[int(i)*len(r.Used)+k]; !(*of >= amount) {
		*of = amount
	}
}
