package sched

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"fairshare/cmd/internal/slurm"
	"fairshare/fstree"
)

// decayed is 0.693, which Slurm takes for the natural logarithm of 2.
const decayed = 0.693

// priorities computes priorities as priority/multifactor does: of all jobs in one sweep every
// PriorityCalcPeriod, and of a job when it comes. In between, nothing changes them.
type priorities struct {
	conf       *slurm.Conf
	usage      []fstree.Association // by Job.Association
	tree       *fstree.Associations // of usage
	qosFactors []float64            // UsageFactor, by QOS
	qosNames   []string
	partitions []Partition
	kinds      []string         // of GRES
	factor     float64          // by which a second of use decays in a second
	power      power            // of it that was asked for last
	fairshare  []float64        // by Job.Association, of the last sweep
	standing   *fstree.Standing // of that, whose memory the next one takes
	swept      int64            // when that was
	came       int64            // jobs so far, under priority/basic
	cluster    slurm.Cluster
	assoc      []float64 // by Job.Association, of a factor from 0 to 1; nil where no association has a priority
}

// DecayFactor returns what remains of usage after a second.
func DecayFactor(conf *slurm.Conf) float64 {
	if conf.HalfLife > 0 {
		return 1 - decayed/conf.HalfLife
	}
	return 1
}

// Decay returns what remains of usage after some seconds.
func (s *Setup) Decay(seconds int64) float64 { return math.Pow(DecayFactor(s.Conf), float64(seconds)) }

// Used returns what a run adds to usage from its start on, as that stands at some time: each sweep charges what has run since the one before
// it, and the end of the run what has since then; what is charged decays from sweep to sweep alone. An end of 0, or behind that time, is none.
// Sweeps are a whole number of periods from one of them.
func (s *Setup) Used(j *Job, start, end, at, swept int64) float64 {
	last := LastSweep(s.Conf, at, swept)
	if end == 0 || end > at {
		end = last
	}
	if end <= start {
		return 0
	}
	f, period := DecayFactor(s.Conf), LastSweep(s.Conf, at, at)-LastSweep(s.Conf, at-1, at)
	charged := func(seconds int64) float64 { return float64(seconds) * math.Pow(f, float64(seconds)) }
	next, before := LastSweep(s.Conf, start, swept)+period, LastSweep(s.Conf, end, swept) // sweeps: the first that charges it, and the last
	used := charged(end - max(start, before))
	if next <= before {
		used += charged(next-start) * math.Pow(f, float64(before-next))
		if n, decays := (before-next)/period, math.Pow(f, float64(period)); decays == 1 {
			used += float64(before - next)
		} else {
			used += charged(period) * (1 - math.Pow(decays, float64(n))) / (1 - decays)
		}
	}
	return used * math.Pow(f, float64(last-before)) * j.Billing * s.QOS[j.QOS].UsageFactor
}

// newPriorities returns what computes priorities, with usage as it is in a tree.
func newPriorities(conf *slurm.Conf, tree []fstree.Association, qos []QOS, c *Cluster, now int64) *priorities {
	p := &priorities{conf: conf, usage: tree, partitions: c.Partitions, kinds: c.GRES, factor: DecayFactor(conf), power: power{0, 1}, swept: now}
	p.cluster = slurm.Cluster{Conf: conf, QOS: map[string]float64{}}
	for _, q := range qos {
		p.qosFactors, p.qosNames = append(p.qosFactors, q.UsageFactor), append(p.qosNames, q.Name)
		p.cluster.QOS[q.Name] = q.Priority
	}
	p.cluster.Prepare()
	p.rank()
	return p
}

// weighAssociations notes the associations' own priorities, as parts of the largest.
func (p *priorities) weighAssociations(s *Setup) {
	if s.MostPriority == 0 {
		return
	}
	most := s.MostPriority
	if s.Conf.NoNormal["ASSOC"] {
		most = 1
	}
	p.assoc = make([]float64, len(s.Tree))
	for i := range p.assoc {
		if i < len(s.Priorities) {
			p.assoc[i] = s.Priorities[i] / most
		}
	}
}

// charge adds seconds of a job to its association and to all above it.
func (p *priorities) charge(j *Job, seconds float64) {
	used := seconds * j.Billing * p.qosFactors[j.QOS] * p.decayIn(seconds)
	for i := int32(j.Association); i >= 0; i = p.usage[i].Parent {
		p.usage[i].Usage += used
	}
}

// power is what remains of usage after some seconds.
type power struct{ seconds, left float64 }

// decayIn returns what remains of usage after some seconds: nearly all running jobs are charged as many in a sweep.
func (p *priorities) decayIn(seconds float64) float64 {
	if p.power.seconds != seconds {
		p.power = power{seconds, math.Pow(p.factor, seconds)}
	}
	return p.power.left
}

// charge charges what a running job has used since it was charged last.
func (e *engine) charge(j *Job) {
	seconds := float64(e.now - max(j.Start, e.priorities.swept))
	e.priorities.charge(j, seconds)
	e.ledger.use(j, seconds, e.priorities.decayIn(seconds))
}

// decay lets old usage decay, up to a sweep that begins. It returns what remains of it.
func (p *priorities) decay(now int64) float64 {
	f := p.decayIn(float64(now - p.swept))
	for i := range p.usage {
		p.usage[i].Usage *= f
	}
	return f
}

// rank computes the fairshare factors of the usage.
func (p *priorities) rank() {
	var err error
	if p.tree == nil {
		p.tree, err = fstree.NewAssociations(p.usage)
	} else {
		err = p.tree.Refresh()
	}
	if err != nil {
		panic(err) // it was a tree when the site was read, and only usage has changed
	}
	if p.conf.HasNoAccounts {
		p.fairshare = make([]float64, len(p.usage))
		return
	}
	algorithm := p.conf.Algorithm()
	p.standing = algorithm.Compute(p.tree, fstree.Options{DampFactor: p.conf.DampFactor, Memory: p.standing})
	p.fairshare = p.standing.Fairshare
	for i := range p.usage {
		p.fairshare[i] = p.fairshare[algorithm.FactorAt(p.tree, i)] // that of an account which has shares of its own
	}
}

// of returns the priority of a job, with the fairshare of the last sweep.
func (p *priorities) of(j *Job, now int64) uint32 {
	whole := j.whole()
	switch {
	case p.conf.Basic:
		return p.basic(whole)
	case j.IsFixed:
		return whole.Priority
	}
	if !j.constant.isKnown {
		j.constant = p.constantOf(j)
	}
	age := 1.0
	if waited := float64(now - whole.Eligible); p.conf.MaxAge > 0 && waited < p.conf.MaxAge {
		age = max(0, waited) / p.conf.MaxAge
	}
	if whole.IsAgeless {
		age = 0
	}
	w := &p.conf.Weights
	assoc := 0.
	if p.assoc != nil {
		assoc = p.assoc[j.Association]
	}
	sum := w.Age*age + w.Assoc*assoc + w.Fairshare*p.fairshare[j.Association] + j.constant.jobSize + j.constant.partition + j.constant.qos
	for _, x := range j.constant.tres {
		sum += x
	}
	if sum = sum - j.Nice + whole.extra; 1 <= sum && sum <= math.MaxUint32 { // as nearly always, so that nothing else is asked
		return uint32(sum)
	}
	return uint32(min(max(sum, 1), math.MaxUint32))
}

// constant is what of a job's priority stays as it is while the job waits.
type constant struct {
	jobSize, partition, qos float64
	tres                    []float64 // those that count
	isKnown                 bool
}

// constantOf returns what of a job's priority stays as it is.
func (p *priorities) constantOf(j *Job) constant {
	tres := j.TRES
	if tres == nil {
		tres = j.Request.TRES(p.kinds)
	}
	f := p.cluster.Factors(&slurm.Job{QOS: p.qosNames[j.rankedQOS()], TRES: tres, TimeLimit: float64(j.Limit) / 60, Exclusive: j.Request.Exclusive}, p.partitions[j.Partition].Name, p.qosNames[j.rankedQOS()]).Weighted
	c := constant{jobSize: f.JobSize, partition: f.Partition, qos: f.QOS, isKnown: true}
	for _, a := range f.TRES {
		if a.Count != 0 {
			c.tres = append(c.tres, a.Count)
		}
	}
	return c
}

// basicFirst is what the first job gets under priority/basic.
const basicFirst = 0xffff0000 - 1

// basic returns the priority of a job under priority/basic: each job that comes gets one less than the
// one before it, less its nice value, and keeps it.
func (p *priorities) basic(j *Job) uint32 {
	if j.Priority == 0 {
		p.came++
		j.Priority = uint32(min(max(basicFirst-float64(p.came-1)-j.Nice, 1), basicFirst))
	}
	return j.Priority
}

// sweep charges, decays, and computes all priorities anew.
func (e *engine) sweep() {
	p := e.priorities
	isIdle := len(e.running)+len(e.cleaning)+len(e.toCancel) == 0 && !e.hasMore()
	if isIdle {
		e.gather()
	}
	held, before := e.held(isIdle), []*Job(nil)
	if isIdle {
		before = slices.Clone(e.queue)
	}
	e.ledger.decay(p.decay(e.now))
	for _, b := range e.running {
		e.charge(b.job)
	}
	p.swept = e.now
	if e.judge.needsOrder() {
		p.rank()
		e.order(isIdle)
	}
	e.result.Sweeps++
	if e.waiting() > 0 && (e.isDecaying || !isIdle || !slices.Equal(before, e.queue) || !maps.Equal(held, e.held(isIdle))) {
		e.isDecaying = false
		e.change()
	}
	e.wake()
}

// order puts the queue into the order of new priorities.
func (e *engine) order(isIdle bool) {
	least := e.deep
	if e.rest != nil {
		least /= 2
	}
	if !isIdle && e.waiting() >= least && e.mayDefer() {
		e.deferOrder()
		return
	}
	e.gather()
	switch isOrdered := e.rank(); {
	case e.isPlain || e.precedence.IsCircular():
		e.sort()
	case !isOrdered:
		e.mend(e.turned)
	}
}

// rank computes the priorities of all entries of the queue anew, and reports whether they are still in its order: each one
// is above, below or level with the one before it, as it was. It notes of which that is not so.
func (e *engine) rank() (isOrdered bool) {
	isOrdered = true
	e.turned = e.turned[:0]
	var before, wasBefore uint32
	for i, j := range e.queue {
		was := j.Priority
		if len(j.AnyQOS) > 0 && !j.isRanked {
			j.isRanked, j.constant = true, constant{}
		}
		j.Priority = e.priorities.of(j, e.now)
		isTurned := i > 0 && cmp.Compare(j.Priority, before) != cmp.Compare(was, wasBefore)
		e.turned, isOrdered = append(e.turned, isTurned), isOrdered && !isTurned
		before, wasBefore = j.Priority, was
	}
	return isOrdered
}

// decays returns the sweep after which the first job may start that waits, when nothing else happens any
// more, for the decay of what has been used; never if there is none. The sweeps until then are left out.
func (e *engine) decays() int64 {
	const longest = 100 * 365 * 24 * 3600.
	in := math.Inf(1)
	e.gather()
	for _, j := range e.queue {
		h, a := e.holding(j)
		in = min(in, e.ledger.decaysIn(j, h, a, e.priorities.factor))
	}
	if in > longest {
		return never
	}
	e.isDecaying = true
	if late := e.priorities.swept + int64(math.Ceil(in)) - e.sweepAt; late > 0 {
		e.sweepAt += (late + e.period() - 1) / e.period() * e.period()
	}
	return e.sweepAt
}
