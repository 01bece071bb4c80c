package replay

import (
	"cmp"
	"container/heap"
	"encoding/binary"
	"math"
	"slices"

	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
	"fairshare/formula"
)

// class is waiting jobs that fit or do not fit together, PBS's equivalence class:
// they ask for the same and the same limits hold for them. What cycles ask of many classes stands first, side by side.
type class struct {
	lookedAhead uint64 // the front's count when looks were found out, where they are once somebody asks
	looks       []look // what the cycle looks at
	peers       *peers
	checks      []check
	at          int     // among its peers, -1 for not
	shortest    float64 // no job of it that waits may run for less

	number    int
	request   *cluster.Request
	groups    shortHeap[*group]
	waiting   int
	preempted int  // of those that wait, how many were preempted
	hasArrays bool // whether subjobs of arrays have been in it
	isActive  bool // whether it is in backlog.active
	isUsed    bool // whether it has jobs, as its peers know
	isParked  bool // whether it is not among its peers since a limit holds it back
	kind      hourKind

	notPlanned bool // topjob_ineligible: none of its jobs is a top job

	booked *reservation // the reservation in which its jobs run, nil for none
	asks   map[string]float64
	shadow shadow

	failedAt  uint64  // see failures
	failedFor float64 // likewise

	gains  bool    // whether its jobs may find their place because others have started
	demand *demand // of those without reservation shared by all that ask for the same
	level  int32   // of preemption at any time at which jobs are preempted, as far as its queue gives it
}

// isLimited reports whether a limit keeps the class from starting.
func (c *class) isLimited() bool { return slices.ContainsFunc(c.checks, check.reached) }

// limit says which limit is reached, "" for none.
func (c *class) limit() string {
	if i := slices.IndexFunc(c.checks, check.reached); i >= 0 {
		return c.checks[i].counter.limit.String()
	}
	return ""
}

// never says which limit each job of the class alone exceeds, "" for none.
func (c *class) never(of *cluster.Cluster) string {
	if i := slices.IndexFunc(c.checks, check.exceeds); i >= 0 {
		return c.checks[i].never(of)
	}
	return ""
}

// canNever reports whether the class asks for more of what a script tells than that says there is in all: no time
// is looked for at which it starts, and it holds nobody back.
func (c *class) canNever() bool {
	return slices.ContainsFunc(c.checks, func(k check) bool { return k.counter.limit.isDynamic && k.reached() })
}

// group is jobs of a class whose order among themselves never changes: nothing that
// it depends on differs, but for when they came.
type group struct {
	class    *class
	entity   int32
	queue    int32
	value    *sharedValue
	fixed    []formula.Value // by variable of the formula, those that do not change
	keys     []float64       // for job_sort_key
	name     string          // all of this
	place    int             // among those of its value
	at       int             // among those of its class
	members  []member        // in the order in which they are considered
	shortest float64         // no job of it that waits may run for less
}

// member is a job of a group.
type member struct {
	job  int32
	rank float64
}

// join adds a job to its group: where the formula asks for eligible_time behind those
// that have more of it.
func (q *backlog) join(g *group, m member) {
	at, _ := slices.BinarySearchFunc(g.members, m, q.compare)
	g.members = slices.Insert(g.members, at, m)
	g.class.waiting++
}

// compare is the order of a group's members.
func (q *backlog) compare(a, b member) int {
	d := 0
	if q.values.usesEligible {
		d = cmp.Compare(q.clocks.eligible(b.job), q.clocks.eligible(a.job))
	}
	return cmp.Or(d, cmp.Compare(a.rank, b.rank), cmp.Compare(a.job, b.job))
}

// leave takes a job away. Those behind it stay where they are in memory: candidates refer to them.
func (g *group) leave(job int32) member {
	at := slices.IndexFunc(g.members, func(m member) bool { return m.job == job })
	m := g.members[at]
	copy(g.members[1:at+1], g.members[:at])
	g.members = g.members[1:]
	g.class.waiting--
	return m
}

// backlog is the jobs that wait.
type backlog struct {
	at         *situation
	limits     *limits
	values     *values
	accruals   *accruals
	hours      *hours                 // nil where all times are alike
	reserved   map[int32]*reservation // by queue, the reservation in which its jobs run
	preemption *preemption
	clocks     *clocks

	classes    map[string]*class
	groups     map[string]*group
	known      map[classOf]*class
	knownPeers map[string]*peers
	demands    map[*cluster.Request]*demand
	active     []*class           // those with jobs, and some without
	peers      []*peers           // those with jobs, but for those that are parked
	parked     map[int32][]*peers // by vnode, those of suspended jobs that do not find there what they had
	levels     map[int32]int      // how many peers with jobs are of each preemption level
	used       int                // how many classes have jobs
	groupOf    []*group           // by job, nil for one that does not wait
	budgets    []int32            // whose backfill_depth may count: of queues that have their own, and overallDepth
	waiting    int
	preempted  int // of those, how many were preempted
	numbers    int // of classes
	key        []byte
}

// classOf is what the class of a job is found by.
type classOf struct {
	request, queue, user, group, project int32
	array                                int32 // of one whose subjobs have a limit of their own, else 0
	notPlanned                           bool
}

func newBacklog(at *situation, limits *limits, values *values, accruals *accruals, hours *hours, reserved map[int32]*reservation, preemption *preemption, clocks *clocks) *backlog {
	budgets := []int32{overallDepth}
	for queue, depth := range at.depths {
		if depth >= 0 {
			budgets = append(budgets, int32(queue))
		}
	}
	return &backlog{
		budgets: budgets,
		at:      at, limits: limits, values: values, accruals: accruals, hours: hours, reserved: reserved, preemption: preemption, clocks: clocks,
		demands: map[*cluster.Request]*demand{},
		classes: map[string]*class{}, groups: map[string]*group{}, known: map[classOf]*class{}, knownPeers: map[string]*peers{},
		groupOf: make([]*group, len(at.work.Jobs)), parked: map[int32][]*peers{}, levels: map[int32]int{},
	}
}

// add lets a job wait, with an eligible_time that it has already.
func (q *backlog) add(job int32, eligible float64) {
	j := q.at.work.Jobs[job]
	t := &q.at.terms[job]
	c := q.class(j, t)
	if q.at.jobs[job].state == suspended {
		c = q.resumption(job)
	}
	g := q.group(c, job)
	if c.waiting == 0 {
		q.activate(c)
	}
	if least := q.at.least(job); least < g.shortest {
		g.shortest = least
		q.mend(g)
	}
	c.hasArrays = c.hasArrays || j.Array != 0
	q.clocks.begin(job, eligible)
	q.join(g, member{job, t.rank})
	if q.at.jobs[job].preempted != 0 {
		c.preempted++
		q.preempted++
	}
	q.groupOf[job] = g
	q.waiting++
	q.accruals.begin(job, c)
}

// activate adds a class to those with jobs, and drops those without.
func (q *backlog) activate(c *class) {
	if len(q.active) > 32 {
		used := 0
		for _, a := range q.active {
			if a.waiting > 0 {
				used++
			}
		}
		if 2*used < len(q.active) {
			q.active = slices.DeleteFunc(q.active, func(a *class) bool {
				a.isActive = a.waiting > 0 || a == c && a.isActive
				return !a.isActive
			})
		}
	}
	if !c.isActive {
		c.isActive = true
		q.active = append(q.active, c)
	}
}

// remove takes a job away and returns the eligible_time that it had.
func (q *backlog) remove(job int32) (eligible float64) {
	g := q.groupOf[job]
	g.leave(job)
	if q.at.jobs[job].preempted != 0 {
		g.class.preempted--
		q.preempted--
	}
	q.shorten(g, q.at.least(job))
	q.groupOf[job] = nil
	q.waiting--
	if len(g.members) == 0 {
		q.drop(g)
	}
	return q.clocks.eligible(job)
}

// booked returns the jobs that wait in the queue of a reservation.
func (q *backlog) booked(of *reservation) (jobs []int32) {
	for _, c := range q.active {
		if c.booked != of {
			continue
		}
		for _, g := range c.groups {
			for _, m := range g.members {
				jobs = append(jobs, m.job)
			}
		}
	}
	return jobs
}

// settle puts a job whose clock stands still to where it belongs in its group: one that
// came later has perhaps more.
func (q *backlog) settle(g *group, job int32) {
	at := slices.IndexFunc(g.members, func(m member) bool { return m.job == job })
	m := g.members[at]
	isBehind := at == 0 || q.compare(g.members[at-1], m) < 0
	isBefore := at+1 == len(g.members) || q.compare(m, g.members[at+1]) < 0
	if !isBehind || !isBefore {
		g.leave(job)
		q.join(g, m)
	}
}

// budget returns whose backfill_depth counts for the jobs of a queue: its own, or the
// server's, overallDepth.
func (q *backlog) budget(queue int32) int32 {
	if q.at.depths[queue] >= 0 {
		return queue
	}
	return overallDepth
}

// class returns the equivalence class of a job, as PBS's find_resresv_set.
func (q *backlog) class(j *work.Job, t *terms) *class {
	names := classOf{t.request, t.queue, j.User, j.Group, j.Project, 0, j.NotPlanned}
	if j.Subjobs > 0 {
		names.array = j.Array // it has a limit of its own
	}
	if c := q.known[names]; c != nil {
		return c
	}
	request := q.at.request(t)
	name := func(of int32) string { return q.at.work.Trace.Names.List[of] }
	amounts := q.at.work.Requests[t.request].Amounts
	checks := q.limits.of(q.at.queues[t.queue].Name, name(j.User), name(j.Group), name(j.Project), func(resource string) float64 { return amounts[resource] })
	if j.Subjobs > 0 {
		array, _, _ := trace.Subjob(j.ID)
		checks = append(checks, q.limits.ofArray(array, j.Subjobs))
	}
	q.key = binary.LittleEndian.AppendUint32(q.key[:0], uint32(t.request))
	for _, k := range checks {
		q.key = binary.LittleEndian.AppendUint64(q.key, uint64(k.counter.number))
	}
	if q.at.requests.ByQueue {
		q.key = binary.LittleEndian.AppendUint32(append(q.key, '/'), uint32(t.queue))
	}
	if q.at.requests.ByOwner {
		q.key = binary.LittleEndian.AppendUint32(append(q.key, 'o'), uint32(j.User))
		q.key = binary.LittleEndian.AppendUint32(q.key, uint32(j.Group))
	}
	if q.preemption.isEver {
		q.key = binary.LittleEndian.AppendUint32(append(q.key, 'p'), uint32(q.preemption.ever(q.at.queues[t.queue].Priority)))
	}
	kind := anytime
	if q.hours != nil {
		kind = q.hours.kinds[t.queue]
		q.key = append(q.key, 'h', byte(kind))
	}
	if j.NotPlanned {
		q.key = append(q.key, 'u')
	}
	booked := q.reserved[t.queue]
	if booked != nil {
		q.key = binary.LittleEndian.AppendUint32(append(q.key, 'r'), uint32(t.queue))
	}
	c := q.classes[string(q.key)]
	if c == nil {
		q.numbers++
		c = &class{
			number: q.numbers, request: request, checks: checks, kind: kind, booked: booked, asks: amounts, demand: &demand{number: q.numbers}, at: -1, shortest: math.Inf(1),
			gains: q.at.cluster.StartsMayHelp(request), notPlanned: j.NotPlanned, level: q.preemption.ever(q.at.queues[t.queue].Priority),
		}
		if booked == nil {
			if q.demands[request] == nil {
				q.demands[request] = c.demand
			}
			c.demand = q.demands[request]
		}
		c.peers = q.peersOf(c)
		q.classes[string(q.key)] = c
	}
	q.known[names] = c
	return c
}

// group returns the group of a job in its class.
func (q *backlog) group(c *class, job int32) *group {
	t, entity := &q.at.terms[job], q.at.entities.Of[job]
	fixed, numbers := q.values.fixed(t)
	keys := q.values.sortKeys(t, entity)
	q.key = binary.LittleEndian.AppendUint32(q.key[:0], uint32(c.number))
	q.key = binary.LittleEndian.AppendUint32(q.key, uint32(entity))
	q.key = binary.LittleEndian.AppendUint32(q.key, uint32(t.queue))
	if at := q.at.jobs[job].preempted; at != 0 {
		q.key = binary.LittleEndian.AppendUint64(append(q.key, 'p'), math.Float64bits(at))
	}
	for _, list := range [][]float64{numbers, keys} {
		for _, x := range list {
			q.key = binary.LittleEndian.AppendUint64(q.key, math.Float64bits(x))
		}
	}
	g := q.groups[string(q.key)]
	if g == nil {
		g = &group{class: c, shortest: math.Inf(1), entity: entity, queue: t.queue, fixed: slices.Clone(fixed), keys: slices.Clone(keys), name: string(q.key)}
		q.groups[g.name] = g
		q.key = binary.LittleEndian.AppendUint32(q.key[:0], uint32(entity))
		q.key = binary.LittleEndian.AppendUint32(q.key, uint32(q.at.queues[t.queue].Priority))
		for _, x := range numbers {
			q.key = binary.LittleEndian.AppendUint64(q.key, math.Float64bits(x))
		}
		preempted := q.at.jobs[job].preempted
		if preempted != 0 {
			q.key = binary.LittleEndian.AppendUint64(append(q.key, 'p'), math.Float64bits(preempted))
		}
		if g.value = q.values.shared[string(q.key)]; g.value == nil {
			g.value = &sharedValue{level: q.preemption.ofQueue(t.queue), preempted: preempted, entity: entity}
			q.values.shared[string(q.key)] = g.value
		}
		q.values.join(g, q.budget(g.queue))
		heap.Push(&c.groups, g)
	}
	return g
}

// mend puts a group to where it belongs since its shortest job is another one.
func (q *backlog) mend(g *group) {
	heap.Fix(&g.class.groups, g.at)
	q.rank(g.class)
}

// drop forgets a group without jobs.
func (q *backlog) drop(g *group) {
	delete(q.groups, g.name)
	q.values.leave(g)
	heap.Remove(&g.class.groups, g.at)
	q.rank(g.class)
}
