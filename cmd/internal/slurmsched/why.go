package slurmsched

import (
	"cmp"
	"slices"
)

// What a job waits for, as squeue has it, with what that means. Limits have names of their own, see
// ledger.reached.
const (
	WaitsForPass      = "the first main pass that considers it"
	WaitsForPriority  = "Priority (jobs of its partition before it)"
	WaitsForResources = "Resources (it is the next of its partition, and does not fit)"
	WaitsForReserved  = "Reservation (it fits on nodes that are kept by one)"
	WaitsForSomeLimit = "a limit, of what it would have on the nodes that it fits on"
)

// Wait is a time in which a job waited for one thing.
type Wait struct {
	From, To int64
	Reason   string
}

// Waiting is a job that waits at Options.Until, and what for.
type Waiting struct {
	*Job
	Reason string
}

// Cause is what jobs of a partition waited for, and for how many seconds in all.
type Cause struct {
	Partition int
	Reason    string
	Seconds   int64
}

// cause is what jobs of a partition wait for.
type cause struct {
	partition int
	reason    string
}

// why keeps what jobs wait for. The nil why does nothing.
type why struct {
	watched *Job // whose waits are kept one by one, nil for nobody's
	waits   []Wait
	now     map[*Job]Wait // of those that wait
	sums    map[cause]int64
}

func newWhy(watched *Job) *why {
	return &why{watched: watched, now: map[*Job]Wait{}, sums: map[cause]int64{}}
}

// waitsFor notes what a job waits for from now on.
func (w *why) waitsFor(j *Job, reason string, now int64) {
	if w == nil {
		return
	}
	before, isKnown := w.now[j]
	if isKnown && before.Reason == reason {
		return
	}
	w.over(j, now)
	w.now[j] = Wait{From: now, Reason: reason}
}

// over notes that a job no longer waits.
func (w *why) over(j *Job, now int64) {
	if w == nil {
		return
	}
	x, isKnown := w.now[j]
	if !isKnown {
		return
	}
	delete(w.now, j)
	if x.To = now; x.To == x.From {
		return
	}
	w.sums[cause{j.Partition, x.Reason}] += x.To - x.From
	if j == w.watched {
		w.waits = append(w.waits, x)
	}
}

// reason returns what a job waits for, "" for one that does not wait.
func (w *why) reason(j *Job) string {
	if w == nil {
		return ""
	}
	return w.now[j].Reason
}

// finish ends the time that is looked at, and returns what jobs have waited for, the longest first.
func (w *why) finish(queue []*Job, now int64) []Cause {
	for _, j := range queue {
		w.over(j, now)
	}
	var all []Cause
	for c, seconds := range w.sums {
		all = append(all, Cause{c.partition, c.reason, seconds})
	}
	slices.SortFunc(all, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}

// finish fills in what is known at the end.
func (e *engine) finish(o Options) {
	r := &e.result
	r.Last = e.now
	if o.Until > 0 {
		for _, j := range e.queue {
			r.Queue = append(r.Queue, Waiting{j, e.why.reason(j)})
		}
	}
	if e.why != nil {
		r.Causes, r.Waits = e.why.finish(e.queue, e.now), e.why.waits
	}
}

// saw notes what a main pass made of a job that it did not start.
func (w *why) saw(e *engine, j *Job, v verdict) {
	if w == nil {
		return
	}
	limit := e.ledger.reached(j)
	switch {
	case limit != "":
		w.waitsFor(j, limit, e.now)
	case v == lacks:
		w.waitsFor(j, WaitsForResources, e.now)
	case v == reserved:
		w.waitsFor(j, WaitsForReserved, e.now)
	case v == limited:
		w.waitsFor(j, WaitsForSomeLimit, e.now)
	default:
		w.waitsFor(j, WaitsForPriority, e.now)
	}
}

// limitNames are what squeue calls the limits of CPUs, memory, nodes and GRES.
type limitNames [fixedAmounts + 1]string

var (
	qosJob  = limitNames{"QOSMaxCpuPerJobLimit", "QOSMaxMemoryPerJob", "QOSMaxNodePerJobLimit", "QOSMaxGRESPerJob"}
	qosAll  = limitNames{"QOSGrpCpuLimit", "QOSGrpMemLimit", "QOSGrpNodeLimit", "QOSGrpGRES"}
	qosUser = limitNames{"QOSMaxCpuPerUserLimit", "QOSMaxMemoryPerUser", "QOSMaxNodePerUserLimit", "QOSMaxGRESPerUser"}

	qosMinutes   = limitNames{"QOSMaxCpuMinutesPerJobLimit", "QOSMaxMemoryMinutesPerJob", "QOSMaxNodeMinutesPerJob", "QOSMaxGRESMinutesPerJob"}
	assocMinutes = limitNames{"AssocMaxCpuMinutesPerJobLimit", "AssocMaxMemMinutesPerJob", "AssocMaxNodeMinutesPerJob", "AssocMaxGRESMinutesPerJob"}

	assocAll = limitNames{"AssocGrpCpuLimit", "AssocGrpMemLimit", "AssocGrpNodeLimit", "AssocGrpGRES"}
	assocJob = limitNames{"AssocMaxCpuPerJobLimit", "AssocMaxMemPerJob", "AssocMaxNodePerJobLimit", "AssocMaxGRESPerJob"}
)

// of returns the name of a limit by its place in Amounts.
func (n *limitNames) of(at int) string { return n[min(at, fixedAmounts)] }

// reached returns the limit that keeps a job from running, as squeue calls it, "" for none. It says
// what admits and affords say of what the job asks for, in the order in which slurmctld asks: how many
// jobs there are and how long they run, QOS before associations, then what they ask for.
func (l *ledger) reached(j *Job) string {
	a := j.Request.asks(l.kinds)
	q := &l.qos[j.QOS]
	user := l.user(j.QOS, j.Association)
	of := " (QOS " + q.Name + ")"
	switch {
	case j.Together > 0 && l.together[j.Array] >= j.Together:
		return "JobArrayTaskLimit"
	case l.byQOS[j.QOS].jobs >= q.Limits.AllJobs:
		return "QOSGrpJobsLimit" + of
	case user.jobs >= q.Limits.UserJobs:
		return "QOSMaxJobsPerUserLimit" + of
	case j.Limit > q.Limits.MaxWall:
		return "QOSMaxWallDurationPerJobLimit" + of
	}
	for i := j.Association; i >= 0; i = l.accounts[i].Parent {
		x, isOwn := &l.accounts[i].Limits, i == j.Association
		switch {
		case l.byAccount[i].jobs >= x.AllJobs:
			return "AssocGrpJobsLimit"
		case isOwn && l.byAccount[i].jobs >= x.UserJobs:
			return "AssocMaxJobsLimit"
		case isOwn && j.Limit > x.MaxWall:
			return "AssocMaxWallDurationPerJobLimit"
		}
	}
	for _, x := range []struct {
		names       limitNames
		limit, used Amounts
	}{{qosJob, q.Limits.JobTRES, nil}, {qosAll, q.Limits.AllTRES, l.byQOS[j.QOS].tres}, {qosUser, q.Limits.UserTRES, user.tres}} {
		if at := a.firstAbove(x.limit, x.used); at >= 0 {
			return x.names.of(at) + of
		}
	}
	own := &l.accounts[j.Association].Limits
	for _, x := range []struct {
		names limitNames
		limit Amounts
		of    string
	}{{qosMinutes, q.Limits.JobMinutes, of}, {assocMinutes, own.JobMinutes, ""}} {
		if x.limit == nil {
			continue
		}
		if at := a.minutes(j).firstAbove(x.limit, nil); at >= 0 {
			return x.names.of(at) + x.of
		}
	}
	for i := j.Association; i >= 0; i = l.accounts[i].Parent {
		x, isOwn := &l.accounts[i].Limits, i == j.Association
		if at := a.firstAbove(x.AllTRES, l.byAccount[i].tres); at >= 0 {
			return assocAll.of(at)
		}
		if at := a.firstAbove(x.JobTRES, nil); isOwn && at >= 0 {
			return assocJob.of(at)
		}
	}
	return ""
}
