package sched

import (
	"context"
	"slices"

	"fairshare/fstree"
)

// How long things take, in seconds.
const (
	passDelay  = 1 // from a submission, or the end of a job, to the pass that it leads to
	cleanDelay = 1 // from the end of a job to the moment at which its nodes are clean, at most; see cleanAt
	cycleTime  = 1 // of a cycle, see Setup.IsOnTheSecond
)

// engine runs a scheduler over work: the next event, what it changes, and so on.
type engine struct {
	*Setup
	ctx          context.Context
	now          int64
	work         Workload
	number       int          // the number of the job that comes next
	numbers      map[*Job]int // in work, of those that have come and are not over
	queue        []*Job       // in Slurm's order; where rest is not nil, the front of it
	rest         *rest
	deep         int  // from how many entries on the queue is put into its order only as far as that is asked for
	hasAnyQOS    bool // whether a job has come that may run under several QOS
	hasArrays    bool // whether a task of an array has come
	walks        int  // how many passes and cycles were made that may pass over classes
	stock        int  // how often entries have come into the queue or gone out of it
	keys         []queueKey
	byRecord     []recordKey             // of keys, see sortRecords
	places       []int32                 // of those that are sorted
	taken        []*Job                  // out of the queue, see mend
	turned       []bool                  // by place in the queue, see rank
	precedence   *Precedence             // of their order
	requests     map[requestKey]*Request // what partitions make of what jobs ask for
	kinds        map[roomKey]int32       // what jobs ask for and where, see kindOf
	rooms        []room                  // by kind, see remainder
	running      []runningJob            // by end of the time limit, and by birth
	births       int                     // records of jobs that slurmctld has made
	arrays       map[int32]int           // by array, when the record of its tasks that wait was made
	ending       endings
	cleaning     []*Job // in the order of their ends
	leaving      []*Job // by leavesAt
	again        []*Job // that were requeued, by when they are eligible again
	preempts     bool   // whether jobs are taken off their nodes for others
	spare        Machine
	gang         *gang        // nil where no job is suspended for others
	toCancel     []*Job       // by when
	dependents   []*Job       // that wait for others to do something, as they came
	dependAt     int64        // when the next of them may come, 0 while nothing tells
	fates        map[int]fate // by Job.ID, of those that others wait for
	settled      *Machine
	freed        *Machine
	unclean      []int // jobs that clean up, by node
	up           Set
	outages      []int         // by node, how many there are now
	turns        []turn        // to come
	empty        *Machine      // on which nothing runs
	reservations []Reservation // by end, those that are known and not over
	unmade       []Reservation // by when they become known
	begins       []int64       // of reservations that jobs ask for
	patience     []int64       // when jobs no longer wait for few switches
	ledger       *Ledger
	priorities   *priorities
	timelines    timelines // of what runs
	lastCycle    lastCycle
	lookedAt     []*Job // memory of cycles
	mainPass     pass   // whose memory the next one takes
	lastPass     lastPass
	place        placer // of passes and cycles
	workspace    workspace
	backfillRun  backfillRun // whose memory the next one takes
	foresight    foresight
	recollection recollection

	fullAt, passAt, cycleAt, sweepAt int64  // 0 for none
	cycleFrom                        int64  // before which no cycle begins
	passed                           int64  // when the last pass of default depth was
	isFresh                          bool   // whether nothing has changed since the last full pass
	isRestless                       bool   // whether the last cycle made another one follow
	isLacking                        bool   // whether a job lacked resources in the last full pass
	isMoving                         bool   // whether a limit kept a job there from the nodes that it fits on, and others may be chosen once it would run into a reservation, or once a job before it holds up others
	isDecaying                       bool   // whether jobs wait for nothing but the decay of what has been used
	isVacated                        bool   // whether nodes are clean of a job that was taken off them for another one: a pass follows at once
	isOnTheSecond                    bool   // see Setup.IsOnTheSecond
	isIdle                           bool   // whether nothing has changed for the next cycle
	awaited                          int    // jobs of Options.Stop that have not started
	ageless                          []*Job // that wait until a limit lets their age count, as they came
	result                           Result
	why                              *why   // nil where nobody asks
	judge                            *judge // nil where no record judges the rules
}

func newEngine(ctx context.Context, s *Setup, work Workload) *engine {
	e := &engine{
		deep: deepFrom, Setup: s, ctx: ctx, work: work, numbers: map[*Job]int{}, settled: s.Machine(), freed: s.Machine(),
		unclean: make([]int, len(s.Nodes)), up: NewSet(len(s.Nodes)), unmade: byKnown(s.Reservations), ledger: NewLedger(s),
		outages: make([]int, len(s.Nodes)), requests: map[requestKey]*Request{}, kinds: map[roomKey]int32{}, arrays: map[int32]int{}, turns: turns(s.Outages, s.Failures), begins: beginsOf(s.Reservations, work.Reservations), empty: NewMachine(s.Cluster),
		precedence: s.Precedence(), preempts: s.Preempts(), gang: newGang(s), isOnTheSecond: s.IsOnTheSecond(),
	}
	for i := range s.Nodes {
		if s.Nodes[i].CPUs > 0 {
			e.up.Add(i)
		}
	}
	if e.hasMore() {
		e.now = e.comes()
	}
	e.fullAt, e.sweepAt = e.now+s.Interval, e.now+e.period()
	e.priorities = newPriorities(s.Conf, slices.Clone[[]fstree.Association](s.Tree), s.QOS, s.Cluster, e.now)
	e.priorities.weighAssociations(s)
	return e
}

// sweepFrom lets priorities be computed a whole number of periods from a moment at which they were, 0 for the first submission.
func (e *engine) sweepFrom(swept int64) {
	if swept > 0 {
		e.sweepAt = nextOf(swept, e.period(), e.now)
	}
}

// bootAt lets full passes be made a whole number of sched_interval after slurmctld's start, 0 for the first submission,
// and the first cycle bf_interval after it.
func (e *engine) bootAt(start int64) {
	if start > 0 && e.isOnTheSecond {
		e.fullAt = nextOf(start, e.Interval, e.now)
		if e.Backfill != nil {
			e.cycleFrom = start + e.Backfill.Interval
		}
	}
}

// nextOf returns the first moment after one that is a whole number of periods from another.
func nextOf(from, period, now int64) int64 {
	return now + period - ((now-from)%period+period)%period
}

func (e *engine) period() int64 { return max(1, int64(e.Conf.CalcPeriod)) }

const never = int64(1<<63 - 1)

// next returns when something happens next. When nothing runs and nobody comes, a last full pass and
// a last cycle find out whether anybody can start; then it is over.
func (e *engine) next() int64 {
	next := e.happens()
	at := func(t int64) {
		if t > 0 {
			next = min(next, t)
		}
	}
	at(e.passAt)
	if !e.isIdle {
		at(e.cycleAt)
	}
	if e.waiting() > 0 && (!e.isFresh || (e.isPlain || e.isMoving || e.isLacking && e.isAwaiting()) && next != never) {
		at(e.fullAt)
	}
	if next != never {
		at(e.cycleAt)
		at(e.sweepAt)
	}
	return max(next, e.now)
}

// happens returns when something happens next that no pass and no cycle does, besides sweeps; never for nothing.
func (e *engine) happens() int64 {
	next := never
	at := func(t int64) {
		if t > 0 {
			next = min(next, t)
		}
	}
	if e.hasMore() {
		at(e.comes())
	}
	if len(e.ending) > 0 {
		at(e.ending[0].endsAt())
	}
	if len(e.cleaning) > 0 {
		at(e.cleanAt(e.cleaning[0]))
	}
	if len(e.leaving) > 0 {
		at(e.leaving[0].leavesAt)
	}
	if len(e.again) > 0 {
		at(e.again[0].Submit)
	}
	if len(e.dependents) > 0 {
		at(e.dependAt)
	}
	if e.waiting()+len(e.dependents) > 0 && len(e.toCancel) > 0 {
		at(e.toCancel[0].CancelAt)
	}
	if e.waiting() > 0 && len(e.reservations) > 0 {
		at(e.reservations[0].End)
	}
	if e.waiting() > 0 && len(e.unmade) > 0 {
		at(e.unmade[0].Known)
	}
	if e.waiting() > 0 && len(e.begins) > 0 {
		at(e.begins[0])
	}
	if len(e.turns) > 0 && (e.waiting() > 0 || len(e.Failures) > 0 && len(e.running) > 0) {
		at(e.turns[0].at)
	}
	if e.waiting() > 0 && len(e.patience) > 0 {
		at(e.patience[0])
	}
	return next
}

// happen lets happen what is due now besides sweeps, passes and cycles.
func (e *engine) happen() {
	e.letEnd()
	e.letClean()
	e.letLeave()
	e.turnNodes()
	e.keepTime()
	for e.hasMore() && e.comes() <= e.now {
		if j := e.take(); !e.depends(j) {
			e.submit(j)
		}
	}
	e.letDepend()
	for len(e.toCancel) > 0 && e.toCancel[0].CancelAt <= e.now {
		e.cancel(e.toCancel[0])
		e.toCancel = e.toCancel[1:]
	}
}

// keepTime lets happen what the clock alone brings: it comes about at the begin of a second.
func (e *engine) keepTime() {
	e.release()
	e.comeAgain()
	e.losePatience()
}

// sweepIfDue computes priorities anew where that is due now.
func (e *engine) sweepIfDue() {
	if e.sweepAt <= e.now {
		e.sweep()
		e.sweepAt += e.period()
	}
}

// step does what is due now.
func (e *engine) step() {
	if e.isOnTheSecond {
		e.keepTime()
		e.passIfDue()
		for e.letClean(); e.isVacated; e.letClean() {
			e.passIfDue()
		}
	}
	isAwaiting := e.isAwaiting()
	if e.letEnd(); isAwaiting && e.cycleAt == e.now {
		e.cycleAt = 0
		e.runCycle() // it begins with the end of a job, before the nodes of that are clean
	}
	e.happen()
	e.sweepIfDue()
	if !e.isOnTheSecond {
		e.passIfDue()
	}
	if e.cycleAt > 0 && e.cycleAt <= e.now {
		e.cycleAt = 0
		e.runCycle()
	}
}

// passIfDue makes the main pass that is due now.
func (e *engine) passIfDue() {
	if late := e.now - e.fullAt; late > 0 { // passes that nothing had changed for were left out
		e.fullAt += (late + e.Interval - 1) / e.Interval * e.Interval
	}
	if e.fullAt == e.now {
		e.passAt = 0
		if !e.isFresh || e.isPlain || e.isMoving {
			e.isFresh = true // unless a job starts: the limits of its user may then keep another from holding nodes up
			e.pass(e.waiting())
		} else if e.isLacking {
			e.wake()
		}
		e.fullAt += e.Interval
	}
	if e.passAt > 0 && e.passAt <= e.now {
		e.passAt, e.passed = 0, e.now
		e.pass(e.Depth + 1)
	} else if e.isVacated {
		e.pass(e.Depth + 1)
	}
	e.isVacated = false
}

// change says that something has changed, so that a pass may start other jobs, and so may a cycle.
// slurmctld begins a cycle bf_interval after the end of the last one if something that it takes for a
// change has come since. If not, one begins with the next such thing: at the end of a job, before the
// pass that this leads to, and before its nodes are clean.
func (e *engine) change() {
	e.isFresh, e.isIdle = false, false
	if e.Backfill == nil {
		return
	}
	at := max(e.cycleFrom, e.now)
	if e.isRestless && e.waiting() > 0 { // cycles went on meanwhile, and had nothing new to say
		at = e.nextCycle(e.now)
	}
	if e.cycleAt == 0 || at < e.cycleAt {
		e.cycleAt = at
	}
}

// nextCycle returns when a cycle begins next from a time on where they go on by themselves.
func (e *engine) nextCycle(from int64) int64 {
	period := e.cyclePeriod()
	return e.cycleFrom + (max(0, from-e.cycleFrom)+period-1)/period*period
}

// cyclePeriod is how long after a cycle the next one begins at the earliest.
func (e *engine) cyclePeriod() int64 {
	if e.isOnTheSecond {
		return e.Backfill.Interval
	}
	return e.Backfill.Interval + cycleTime
}

// wake says that slurmctld takes for a change what starts no job: a main pass that says again that a job
// lacks resources, or new priorities. The expected start of a job that plans of others put off is such a
// thing as well, and makes cycles go on by themselves: those are left out until something changes.
func (e *engine) wake() {
	if e.isAwaiting() && e.waiting() > 0 {
		e.cycleAt, e.isIdle = max(e.cycleFrom, e.now), true
	}
}

// isAwaiting reports whether the next cycle waits for something to begin with.
func (e *engine) isAwaiting() bool {
	return e.Backfill != nil && e.cycleAt == 0 && (!e.isRestless || e.isPlain)
}

// wantPass makes a pass of default depth follow, batch_sched_delay after the last pass at the earliest (Slurm's
// controller.c, _slurmctld_background).
func (e *engine) wantPass() {
	if e.passAt == 0 {
		full := e.fullAt - e.Interval // the last one over the full queue, also where nothing has changed for it
		if late := e.now - e.fullAt; late >= 0 {
			full = e.fullAt + late/e.Interval*e.Interval
		}
		e.passAt = max(e.now+passDelay, max(e.passed, full)+e.BatchDelay)
	}
}
