package replay

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs/cluster"
)

// methodFor returns how a job is preempted now, as PBS's schd_get_preempt_order: S, R or D,
// 0 for not at all. Checkpoints take a script of the site's that no file tells of: they are
// taken to fail, so that what comes after them counts, as it does for a job that is not rerunable after R.
func (p *preemption) methodFor(job int32) byte {
	j, orders := &p.at.jobs[job], p.orders
	chosen := orders[0]
	if w := p.at.terms[job].walltime; w > 0 {
		used := j.used + max(0, p.usage.zero+p.usage.reported-j.starts) // by what mom has reported
		left := math.Floor(100 - 100*used/float64(w))                   // PBS has whole percents: 70.06 are 70 (R14, 10:11:14)
		for _, o := range orders {                                      // the last one that still holds
			if left <= o.Most {
				chosen = o
			}
		}
	}
	allowed := "SRD"
	if p.at.work.Jobs[job].IsKept {
		allowed = "SD"
	}
	if at := strings.IndexAny(chosen.Methods, allowed); at >= 0 {
		return chosen.Methods[at]
	}
	return 0
}

// lack is why a job cannot start, as far as it tells whose going may help.
type lack struct {
	counter  *counter // a limit that is reached
	shortage cluster.Shortage
}

// isLike reports whether the scheduler takes two lacks for the same: it does not tell one
// vnode from another.
func (l lack) isLike(other lack) bool {
	return l.counter == other.counter && l.shortage.Of == other.shortage.Of && l.shortage.Consumable == other.shortage.Consumable
}

// helps reports whether the going of a job may end a lack, as PBS's filter_preemptable_jobs:
// of the jobs under the limit, of those on the vnode where a suspended job was, or of those that ask for
// what there is too little of.
func (l lack) helps(job *progress) bool {
	switch {
	case l.counter != nil:
		return slices.ContainsFunc(job.checks, func(k check) bool { return k.counter == l.counter })
	case l.shortage.Of == cluster.TooLittle:
		has := func(p cluster.Part) bool { return p.Chunk.Need[l.shortage.Consumable] > 0 }
		return slices.ContainsFunc(job.place.Parts, has)
	case l.shortage.Of == cluster.OtherVnode:
		return slices.ContainsFunc(job.place.Parts, func(p cluster.Part) bool { return p.Vnode == l.shortage.Vnode })
	}
	return true
}

// trial is the search for the jobs that one is started in place of, on the state itself.
type trial struct {
	*attempt
	job   *candidate
	level int32
	gone  []int32 // those that are taken away, in their order
}

// findVictims returns the jobs that have to go for one to start, in the order in which they
// do, as PBS's find_jobs_to_preempt. ok is false if that would not do; isEnough says whether it
// would if all went that it may preempt, and isOwn that the job itself keeps from it, and not one like it.
func (a *attempt) findVictims(c *candidate) (victims []int32, isEnough, ok, isOwn bool) {
	if a.refused.has(a.refusal(c)) {
		return nil, false, false, true
	}
	t := &trial{attempt: a, job: c, level: a.preemption.levelOf(c.job)}
	class := c.group.class
	if slices.ContainsFunc(class.checks, func(k check) bool { return k.reached() && k.counter.limit.kind == 's' }) {
		return nil, false, false, false
	}
	all := t.candidates()
	if len(all) == 0 {
		return nil, false, false, false
	}
	a.calendar.planHeld() // those before it, as things stand
	reached, lacksVnodes := reachedOf(class), !a.state.Fits(class.request)
	place, isEnough := t.takeAway(all)
	if isEnough && t.wouldBeLower() {
		for _, job := range t.gone {
			t.lift(job, 1)
		}
		return nil, false, false, true
	}
	if isEnough {
		a.state.Occupy(place)
		a.calendar.stamp++ // others find less from here on
		t.limits(1)
		for _, job := range slices.Backward(t.gone) {
			helps := slices.ContainsFunc(reached, func(n *counter) bool { return lack{counter: n}.helps(&a.jobs[job]) })
			helps = helps || (lacksVnodes || len(reached) == 0) && a.jobs[job].place.Shares(place)
			if helps && !t.goesOn(job) {
				victims = append(victims, job)
			} else {
				t.lift(job, 1)
			}
		}
		a.state.Release(place)
		a.calendar.stamp++
		t.limits(-1)
		_, ok = t.fits() // with those that are spared
		t.gone = victims
	}
	for _, job := range t.gone {
		t.lift(job, 1)
	}
	return victims, isEnough, ok, false
}

// wouldBeLower reports whether the job would exceed a soft limit once it runs, and so be of a lower level than it
// has now: PBS says that it would immediately be preemptable, and leaves it waiting.
func (t *trial) wouldBeLower() bool {
	if t.preemption.soft == nil {
		return false
	}
	t.preemption.countSoft(t.job.job, 1)
	level := t.levelNow()
	t.preemption.countSoft(t.job.job, -1)
	return level > t.level
}

// candidates returns the jobs that one may preempt in the order in which they are tried, as
// PBS's select_index_to_preempt and cmp_preempt_stime_asc: those of the lowest level first,
// and of those the one that started last, whenever it went on after being suspended. Those that started or went on in
// this cycle did so at its time, and come in their order.
func (t *trial) candidates() []int32 {
	var all []int32
	request, mayTake := t.job.group.class.request, t.preemption.targetsOf(t.job.job)
	for _, job := range t.running {
		p := &t.jobs[job]
		isUseful := func(part cluster.Part) bool { return t.state.CouldHold(part.Vnode, request) }
		if p.booking != nil || mayTake != nil && !mayTake(job) {
			continue // it runs in a reservation, or is none of those that are named
		}
		if p.yielded == t.cycles || p.requeued == mostRequeued {
			t.changed = t.changed || p.yielded == t.cycles // the next cycle may take it
			continue
		}
		isLower := p.level > t.level || t.preemption.soft != nil // which may change as jobs go
		if isLower && t.preemption.methodFor(job) != 0 && slices.ContainsFunc(p.place.Parts, isUseful) {
			all = append(all, job)
		}
	}
	began := func(p *progress) int64 {
		if p.starts >= t.now {
			return outcome.Second(t.now)
		}
		return outcome.Second(p.first)
	}
	slices.SortFunc(all, func(x, y int32) int {
		p, q := &t.jobs[x], &t.jobs[y]
		return cmp.Or(cmp.Compare(q.level, p.level), cmp.Compare(began(q), began(p)), cmp.Compare(p.starts, q.starts), cmp.Compare(p.turn, q.turn))
	})
	return all
}

// mostRequeued is how often a job goes back to the queue for others: where levels depend on
// what runs, two could take turns for ever, and none would end. For the same reason none goes
// twice in a cycle.
const mostRequeued = 50

// takeAway takes jobs away one after the other until the job fits, and returns where it
// then does. Only those go that may help against what it lacks; once it lacks something
// else all are looked at again.
func (t *trial) takeAway(all []int32) (cluster.Allocation, bool) {
	class := t.job.group.class
	reason, from := t.lack(), 0
	if short := t.state.ShortageInAll(class.request); reason.counter == nil && short.Of != cluster.NoShortage {
		reason.shortage = short // which comes before vnodes, but of a suspended job is looked at only once
	}
	lower := t.lowerOf(all)
	for from < len(lower) {
		job := lower[from]
		from++
		if slices.Contains(t.gone, job) || !reason.helps(&t.jobs[job]) || !t.isLower(job) {
			continue
		}
		t.lift(job, -1)
		if t.escalates(job) {
			t.lift(job, 1)
			continue
		}
		t.gone = append(t.gone, job)
		if place, ok := t.fits(); ok {
			return place, true
		}
		now := t.lack()
		if !now.isLike(reason) {
			reason, from, lower = now, 0, t.lowerOf(all)
		}
	}
	return cluster.Allocation{}, false
}

// lack returns why the job cannot start as things are in the trial.
func (t *trial) lack() lack {
	class := t.job.group.class
	for _, k := range class.checks {
		if k.reached() {
			return lack{counter: k.counter}
		}
	}
	return lack{shortage: t.state.ShortageOf(class.request, t.planned(t.job.job))}
}

// lowerOf returns those jobs that are of a lower level than the one that is to start, as things are in the trial.
func (t *trial) lowerOf(all []int32) []int32 {
	if t.preemption.soft == nil {
		return all
	}
	var lower []int32
	for _, job := range all {
		if t.isLower(job) {
			lower = append(lower, job)
		}
	}
	return lower
}

// isLower reports whether a job that runs is of a lower level than the one that is to start, as things are in the
// trial: that one's own level rises as jobs go under whose soft limits it is (R6, 21:03:03).
func (t *trial) isLower(job int32) bool {
	return t.preemption.soft == nil || t.preemption.levelOf(job) > t.levelNow()
}

// levelNow returns the level of the job that is to start, as things are in the trial.
func (t *trial) levelNow() int32 { return t.preemption.levelOf(t.job.job) }

// escalates reports whether a job that was taken away, or one that was before it, would be of a higher level than
// the one that is to start, once it no longer runs: PBS leaves it where it is.
func (t *trial) escalates(job int32) bool {
	if t.preemption.soft == nil {
		return false
	}
	level := t.levelNow()
	isHigher := func(other int32) bool { return t.preemption.levelOf(other) < level }
	return isHigher(job) || slices.ContainsFunc(t.gone, isHigher)
}

// fits returns where the job starts as things are in the trial.
func (t *trial) fits() (cluster.Allocation, bool) {
	class := t.job.group.class
	if class.isLimited() {
		return cluster.Allocation{}, false
	}
	return t.state.Place(class.request, t.planned(t.job.job))
}

// planned returns what the calendar has while a job runs from now on.
func (a *attempt) planned(job int32) cluster.Calendar {
	if a.calendar.isEmpty() {
		return nil
	}
	return a.calendar.view(math.Floor(a.now), math.Floor(a.now)+a.length(job))
}

// goesOn reports whether a job that was taken away may go on beside the one that starts, for what is left of its walltime.
func (t *trial) goesOn(job int32) bool {
	p := &t.jobs[job]
	class := t.backlog.class(t.work.Jobs[job], &t.terms[job])
	if slices.ContainsFunc(p.checks, check.reached) {
		return false
	}
	released := p.place
	if t.preemption.methodFor(job) == 'S' {
		released, _ = t.preemption.split(p.place)
	}
	if !t.state.HasRoom(released) {
		return false
	}
	if t.calendar.isEmpty() {
		return true
	}
	_, ok := t.state.Place(class.request.Resumption(released), t.calendar.view(math.Floor(t.now), t.dueAt(job)))
	return ok
}

// lift takes a job away, with sign -1, or puts it back, with 1.
func (t *trial) lift(job int32, sign float64) {
	place, kept := t.jobs[job].place, cluster.Allocation{}
	if t.preemption.methodFor(job) == 'S' {
		_, kept = t.preemption.split(place)
	}
	if sign > 0 {
		t.state.Keep(kept, -1)
		t.state.Occupy(place)
	} else {
		t.state.Release(place)
		t.state.Keep(kept, 1)
	}
	t.calendar.occupied(job, sign > 0)
	t.countChecks(job, sign)
	t.preemption.countSoft(job, sign)
}

// limits counts the job that is to start under its limits, or no longer does.
func (t *trial) limits(sign float64) {
	for _, k := range t.job.group.class.checks {
		k.counter.used += sign * k.need
	}
}

// reachedOf returns the limits that keep a class from starting.
func reachedOf(c *class) (reached []*counter) {
	for _, k := range c.checks {
		if k.reached() {
			reached = append(reached, k.counter)
		}
	}
	return reached
}
