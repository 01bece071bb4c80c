package sched

import (
	"math"
	"slices"

	"fairshare/cmd/internal/slurm"
)

// Stop says when a run may stop, though not everything has ended by then.
type Stop struct {
	Jobs  []*Job // the run ends when each of these has started, though it was requeued since
	Until int64  // or at this time
}

// FirstStart is where a job started before anything took it off its nodes again.
type FirstStart struct {
	At        int64
	Partition int
	Shares    []Share
}

// await prepares to wait for the first starts of jobs.
func (e *engine) await(stop *Stop) {
	if stop == nil {
		return
	}
	for _, j := range stop.Jobs {
		j.awaited = true
	}
	e.awaited, e.result.First = len(stop.Jobs), make(map[*Job]FirstStart, len(stop.Jobs))
}

// cease stops awaiting a job that starts: once it is requeued, nobody awaits it again.
func (e *engine) cease(j *Job) {
	if j.awaited {
		j.awaited = false
		e.awaited--
		e.result.First[j] = FirstStart{e.now, j.Partition, j.Shares}
	}
}

// begin puts a site into full swing: what runs holds its nodes, and what has come waits.
func (e *engine) begin() {
	e.priorities.swept = e.sweepAt - e.period()
	for e.hasMore() && e.comes() <= e.now {
		if j := e.take(); j.Start > 0 {
			e.ledger.come(j, 1)
			e.run(j)
		} else if !e.depends(j) {
			e.resume(j)
		}
	}
	e.sort()
	e.change()
	e.passAt = e.now + passDelay
}

// resume lets a job wait that has come before the run begins. What its priority has beside what is
// computed, such as the factor of a site, it keeps.
func (e *engine) resume(j *Job) {
	j.isRanked = true
	list := e.entries(j)
	e.queue = append(e.queue, list...)
	e.ledger.come(j, 1)
	switch {
	case !e.limitsAge():
	case j.IsAgeless:
		e.ageless = append(e.ageless, j)
	default:
		e.ledger.age(j, 1)
	}
	e.why.waitsFor(j, WaitsForPass, e.now)
	e.bePatient(j)
	if !j.isSettled {
		e.priorities.settle(j)
	}
	switch {
	case len(j.Partitions) > 0 && !e.Conf.Basic && !j.IsFixed: // of which entry the stored one is, nobody knows
		at := e.now
		if j.Priority > 0 {
			at = e.priorities.swept
		}
		for _, x := range list {
			x.Priority = e.priorities.of(x, at)
		}
	case j.Priority == 0:
		first := e.priorities.of(j, e.now)
		for _, x := range list {
			x.Priority = first
		}
	case e.Conf.Basic: // who comes next has less
		e.priorities.came = max(e.priorities.came, basicFirst-int64(j.Priority)+1)
	}
}

// Settle finds what the priorities of jobs that wait at a time have beside what the setup explains: they
// keep it in runs that begin then. One whose Priority is made 0 afterwards, since it is changed or the
// setup is, has it computed anew.
func (s *Setup) Settle(jobs []*Job, at, swept int64) {
	p := newPriorities(s.Conf, slices.Clone(s.Tree), s.QOS, s.Cluster, at)
	p.weighAssociations(s)
	p.swept = at
	if swept > 0 {
		p.swept = LastSweep(s.Conf, at, swept)
	}
	for _, j := range jobs {
		p.settle(j)
	}
}

// LastSweep returns when priorities were computed last before a time, if they were at some other.
func LastSweep(conf *slurm.Conf, at, swept int64) int64 {
	period := max(1, int64(conf.CalcPeriod))
	return at - ((at-swept)%period+period)%period
}

// settle finds what the priority of a job has beside what is computed.
func (p *priorities) settle(j *Job) {
	const rounding = 1
	j.isSettled = true
	if j.Priority == 0 || p.conf.Basic {
		return
	}
	extra := float64(j.Priority) - float64(p.of(j, p.swept))
	for _, at := range j.places()[1:] { // of several, it is the priority of one of them
		in := *j
		in.AnyQOS = nil // which of them tells the priority of all nobody knows
		in.enter(at)
		if x := float64(j.Priority) - float64(p.of(&in, p.swept)); math.Abs(x) < math.Abs(extra) {
			extra = x
		}
	}
	if math.Abs(extra) > rounding {
		j.extra = extra
	}
}

// Change makes a copy of a job that waits one that asks for something else, or under another setup: its
// priority is computed anew, unless somebody has set it.
func (j *Job) Change() *Job {
	of := *j
	of.constant, of.barred = constant{}, barred{}
	if !of.IsFixed {
		of.Priority = 0
	}
	return &of
}
