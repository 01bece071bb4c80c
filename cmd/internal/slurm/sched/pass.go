package sched

import "slices"

// pass is a main pass over the queue: it starts the jobs that fit, each partition strictly in its
// order.
type pass struct {
	machine      *Machine
	ledger       *Ledger
	place        *placer
	up           Set     // the nodes that are not withdrawn
	cleaning     Set     // those on which jobs are over that still clean up: nothing starts there
	failed       []bool  // partitions of which a job did not fit
	failures     int     // of them
	failedIn     []int32 // reservations of which a job did not fit
	last         int     // the last job of the queue that is not skipped, as far as that is known
	behind       restWalk
	among        Set
	reservations []Reservation
	now          int64
	empty        *Machine                               // on which nothing runs
	preempt      func(j *Job) (isAny bool, over breach) // takes running jobs off their nodes for one that does not fit, nil where none are
	isExempt     bool                                   // whether jobs would be taken off their nodes later that are not yet
	gang         *gang                                  // nil where no job is suspended for others
	present      []presence                             // by Job.kind, of jobs of passes before as well
	over         breach                                 // the limit of what the last job would have had on the nodes that it fits on
}

// newPass begins a main pass over the nodes that are up, of which some still clean up. On the empty machine nothing runs.
func newPass(m, empty *Machine, l *Ledger, up, cleaning Set) *pass {
	p := &pass{place: &placer{}}
	p.begin(m, empty, l, up, cleaning)
	return p
}

// begin begins a pass in the memory of one that is over.
func (p *pass) begin(m, empty *Machine, l *Ledger, up, cleaning Set) {
	*p = pass{
		machine: m, empty: empty, ledger: l, place: p.place, up: append(p.up[:0], up...), cleaning: cleaning,
		failed: append(p.failed[:0], make([]bool, len(m.Partitions))...), failedIn: p.failedIn[:0], present: p.present, among: p.among.none(len(m.Nodes)),
	}
}

// verdict is what became of a job in a main pass.
type verdict int

const (
	started    verdict = iota
	skipped            // a job of its partition before it did not fit
	limited            // over a limit of its association or QOS: it holds nobody up
	unlicensed         // lacks licences: it holds nobody up
	reserved           // asks for a reservation that has not begun, or is over: it holds nobody up
	absent             // does not fit even with all nodes free that are up and not withdrawn, or its partition does not let it in: it holds nobody up
	lacks              // does not fit: later jobs of its partition are skipped, and its nodes withdrawn, unless it may hold nobody up; or later jobs of its reservation are skipped
)

// try considers a job.
func (p *pass) try(j *Job) (verdict, []Share) {
	if j.Reservation > 0 && slices.Contains(p.failedIn, j.Reservation) || j.Reservation == 0 && p.failed[j.Partition] {
		return skipped, nil
	}
	if !p.ledger.setup.isOpenTo(j) {
		return absent, nil
	}
	if !p.ledger.admits(j) {
		return limited, nil
	}
	nodes := p.machine.Partitions[j.Partition].Nodes
	copy(p.among, nodes)
	p.among.intersect(p.up)
	switch {
	case p.among.count() < int(j.Request.MinNodes) && j.Reservation == 0:
		return p.fail(j.Partition), nil
	case p.ledger.lacks(j):
		return unlicensed, nil
	case !p.ledger.affords(j, nil):
		return limited, nil
	}
	p.among.subtract(p.cleaning)
	exclude(p.reservations, p.among, p.now, p.now+j.Limit, j.Reservation)
	confine(p.reservations, p.among, p.now, j.Reservation)
	p.place.onFew = p.ledger.setup.isOnFew(j, p.now)
	shares := p.fit(j)
	if j.Request.Counted {
		shares = nil
	}
	isPreempting := false
	if p.over = (breach{}); shares == nil && p.preempt != nil && (j.Reservation == 0 || p.isOpen(j)) {
		isPreempting, p.over = p.preempt(j)
	}
	switch {
	case shares == nil && j.Reservation > 0 && !p.isOpen(j): // its reservation has not begun, or is over
		return reserved, nil
	case p.over.kind != noLimit:
		return limited, nil
	case shares == nil && j.Reservation > 0:
		p.failedIn = append(p.failedIn, j.Reservation)
		return lacks, nil
	case isPreempting:
		return p.fail(j.Partition), nil
	case shares == nil && !j.Request.Counted && p.isAbsent(j):
		return absent, nil
	case shares == nil && !p.ledger.reserves(j, p.now):
		return lacks, nil
	case shares == nil && j.Request.Named: // its nodes go to nobody else, and those of its partition do
		p.up.subtract(j.Request.named())
		return lacks, nil
	case shares == nil:
		return p.fail(j.Partition), nil
	}
	if p.over = p.ledger.exceedsAtStart(j, shares); p.over.kind != noLimit {
		return limited, nil
	}
	return started, shares
}

// isHeld reports whether a pass does nothing with a job, nor with any other one of its class: it is skipped, or limits hold it.
func (p *pass) isHeld(j *Job) bool {
	return j.Reservation == 0 && p.failed[j.Partition] || p.preempt == nil && p.ledger.isOutOfJobs(j)
}

// isOver reports whether nothing is done with any job of the queue from a place on.
func (p *pass) isOver(queue []*Job, from int) bool {
	if p.behind.stop(func(_ *class, j *Job) bool { return p.isHeld(j) }, func(j *Job) bool { return !p.isHeld(j) }) {
		return false
	}
	for p.last >= from && (queue[p.last].isGone() || p.isHeld(queue[p.last])) {
		p.last--
	}
	return p.last < from
}

// mayMove reports whether a later pass may start jobs though nothing changes.
func (p *pass) mayMove(isMoving bool) bool { return isMoving || p.isExempt }

// fit returns where a job runs on the nodes that are left, nil if it does not fit.
func (p *pass) fit(j *Job) []Share {
	return p.gang.place(p.place, p.machine, j.Request, p.among, j.Partition)
}

// fail takes a partition of which a job does not fit out of the rest of the pass, and its nodes.
func (p *pass) fail(partition int) verdict {
	p.failed[partition] = true
	p.failures++
	p.up.subtract(p.machine.Partitions[partition].Nodes)
	return lacks
}

// isOpen reports whether jobs may start in the reservation that a job asks for.
func (p *pass) isOpen(j *Job) bool {
	k := reservationByID(p.reservations, j.Reservation)
	return k != nil && (k.IsFlex || k.Start <= p.now && p.now < k.End)
}

// tryIn considers a job in a main pass: where a record judges the rules, the jobs start that it has.
func (e *engine) tryIn(p *pass, j *Job) (verdict, []Share) {
	if e.judge != nil {
		return e.judge.try(p, j)
	}
	return p.try(j)
}

// pass makes a main pass over the first jobs of the queue.
func (e *engine) pass(depth int) {
	e.result.Passes++
	if e.isPassRepeated(depth) {
		e.result.repeatedPasses++
		e.endPass(depth >= e.waiting(), e.lastPass.isLacking, e.lastPass.isMoving)
		return
	}
	e.letAge()
	e.arrange()
	p := &e.mainPass
	p.begin(e.settled, e.empty, e.ledger, e.up, e.uncleanNodes(p.cleaning))
	p.reservations, p.now, p.gang, p.place = e.reservations, e.now, e.gang, &e.place
	p.last, p.behind = len(e.queue)-1, newRestWalk(e.rest)
	if e.preempts && e.judge == nil {
		p.preempt = func(j *Job) (isAny bool, over breach) {
			isAny, over, isLater := e.preempt(j, p.among.clone())
			p.isExempt = p.isExempt || isLater
			return isAny, over
		}
	}
	left, looked, end := e.queue[:0], 0, e.waiting()
	g, isDeep := e.newPassage(), !e.isPlain && e.why == nil && e.judge == nil && depth >= end && e.PartitionDepth == 0 // so that no job counts that is passed over
	isSeveral := false                                                                                                 // whether a job of several entries has started
	isLacking, isMoving := false, false
	mayMove := len(e.reservations) > 0 || e.ledger.threshold != Threshold{} || e.ledger.hasThreshold // see engine.isMoving
	var tried []int                                                                                  // by partition, where that counts
	if e.PartitionDepth > 0 {
		tried = make([]int, len(e.Partitions))
	}
	var rejected tasks // those of an array of which one did not start
	var v verdict
	for at := 0; at < end; at++ {
		if e.why == nil && !e.isPlain && (looked >= depth || p.failures == len(e.Partitions) || e.judge == nil && p.isOver(e.queue, at)) { // nobody asks why the others wait
			if end = at; len(left) < at {
				left = append(left, e.queue[at:]...)
			} else {
				left = e.queue
			}
			break
		}
		if !isDeep {
			e.reach(at)
		} else if !g.reach(at, at, len(left), p.isHeld) {
			end = at
			break
		}
		j := e.queue[at]
		if isSeveral && j.isGone() {
			continue
		}
		if !e.isQueued(j) {
			e.why.saw(e, j, absent, p.over)
			left = append(left, j)
			continue
		}
		if of := tasksOf(j); of != rejected || j.Array == 0 {
			rejected = of
		} else { // Slurm's queue has one entry for those of an array that wait
			e.why.saw(e, j, v, p.over)
			left = append(left, j)
			continue
		}
		isCounted := !e.ledger.isCrowded(j)
		if e.PartitionDepth > 0 && isCounted {
			if tried[j.Partition] >= e.PartitionDepth { // nor does it count for the depth of the pass
				e.why.saw(e, j, skipped, p.over)
				left = append(left, j)
				continue
			}
			tried[j.Partition]++
		}
		if v = skipped; isCounted {
			looked++
		}
		if looked <= depth && (e.isPlain || p.failures < len(e.Partitions)) {
			var shares []Share
			if v, shares = e.tryIn(p, j); v == started {
				e.start(j, shares)
				rejected = tasks{}
				if j.isSeveral() {
					isSeveral = true
					e.dropRest((*Job).isGone) // those of its entries that are behind: it has another partition now
				}
				continue
			}
		}
		isLacking = isLacking || v == lacks || v == unlicensed
		isMoving = isMoving || v == limited && p.over.kind != noLimit && mayMove
		e.why.saw(e, j, v, p.over)
		left = append(left, j)
	}
	e.keepPass(p, &g, len(left) == len(e.queue), looked, depth, end, isLacking, isMoving)
	e.result.skipped += len(g.passed)
	left = g.cut(left)
	isFull := depth >= len(left)+e.restCount()
	e.leave(left, isSeveral)
	e.why.tell(e.now)
	e.endPass(isFull, isLacking, p.mayMove(isMoving))
}

// endPass notes what a pass says about the next one. isFull is whether it may have come to the end of the queue, isLacking whether
// a job lacked resources, isMoving whether a later pass may start jobs though nothing changes.
func (e *engine) endPass(isFull, isLacking, isMoving bool) {
	if isFull {
		e.isLacking, e.isMoving = isLacking, isMoving
	}
	if isLacking {
		e.wake()
	}
}
