package replay

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"fairshare/cmd/internal/cluster"
	"fairshare/formula"
)

// class is waiting jobs that fit or do not fit together, PBS's equivalence class:
// they ask for the same and the same limits hold for them.
type class struct {
	number  int
	request *cluster.Request
	checks  []check
	groups  []*group
	waiting int

	// failed is one more than engine.freed was when no vnodes were found: as long as
	// nothing more is released, none will be. It is 0 where that has not happened.
	failed uint64

	// The clock of eligible_time, which its jobs share: it stands still while a limit of
	// their own keeps them.
	grown    float64 // seconds up to since
	since    float64
	standing bool
}

// clock returns the class's eligible time up to a time, in whole seconds, as the server
// counts it.
func (c *class) clock(at float64) float64 {
	if at = math.Floor(at); c.standing || at < c.since {
		return c.grown
	}
	return c.grown + at - c.since
}

// stand lets the clock stand still from a time on, or go on.
func (c *class) stand(standing bool, at float64) {
	if c.standing == standing {
		return
	}
	c.grown, c.since, c.standing = c.clock(at), math.Floor(at), standing
}

// isLimited reports whether a limit keeps the class, and whether the first that does
// is one of the jobs' own.
func (c *class) isLimited() (limited, own bool) {
	for _, k := range c.checks {
		if k.reached() {
			return true, k.isOwn()
		}
	}
	return false, false
}

// group is jobs of a class whose order among themselves never changes: nothing that
// it depends on differs, but for when they came.
type group struct {
	class   *class
	entity  int32
	queue   int32
	value   *shared
	fixed   []formula.Value // by variable of the formula, those that do not change
	keys    []float64       // for job_sort_key
	name    string          // all of this
	members []member        // in the order in which they are considered
}

// member is a job of a group.
type member struct {
	job  int32
	base float64 // the class's clock when its eligible_time was 0
	rank float64
}

// join adds a job to its group.
func (g *group) join(m member, byEligible bool) {
	at, _ := slices.BinarySearchFunc(g.members, m, func(a, b member) int {
		d := 0
		if byEligible {
			d = cmp.Compare(a.base, b.base)
		}
		return cmp.Or(d, cmp.Compare(a.rank, b.rank), cmp.Compare(a.job, b.job))
	})
	g.members = slices.Insert(g.members, at, m)
	g.class.waiting++
}

// leave takes a job away.
func (g *group) leave(job int32) member {
	at := slices.IndexFunc(g.members, func(m member) bool { return m.job == job })
	m := g.members[at]
	if at == 0 {
		g.members = g.members[1:]
	} else {
		g.members = slices.Delete(g.members, at, at+1)
	}
	g.class.waiting--
	return m
}

// backlog is the jobs that wait.
type backlog struct {
	e       *engine
	classes map[string]*class
	groups  map[string]*group
	known   map[[6]int32]*class // by request, queue, user, group, project and array
	active  []*class            // those with jobs, and some without
	groupOf []*group            // by job, nil for one that does not wait
	waiting int
	key     []byte
}

func newBacklog(e *engine) *backlog {
	return &backlog{
		e: e, classes: map[string]*class{}, groups: map[string]*group{}, known: map[[6]int32]*class{},
		groupOf: make([]*group, len(e.work.Jobs)),
	}
}

// add lets a job wait, with an eligible_time that it has already.
func (q *backlog) add(job int32, eligible float64) {
	j := q.e.work.Jobs[job]
	t := &q.e.terms[job]
	c := q.class(j, t)
	g := q.group(c, j, t)
	if c.waiting == 0 {
		q.activate(c)
	}
	clock := c.clock(q.e.now)
	if c.standing {
		// It was not known to be kept until its first cycle ends.
		eligible += math.Floor(q.e.now+q.e.duration()) - math.Floor(q.e.now)
	}
	g.join(member{job, clock - eligible, t.rank}, q.e.values.usesEligible)
	q.groupOf[job] = g
	q.waiting++
}

// activate adds a class to those with jobs, and drops those without.
func (q *backlog) activate(c *class) {
	c.grown, c.since, c.standing = 0, math.Floor(q.e.now), false
	if len(q.active) > 32 {
		used := 0
		for _, a := range q.active {
			if a.waiting > 0 {
				used++
			}
		}
		if 2*used < len(q.active) {
			q.active = slices.DeleteFunc(q.active, func(a *class) bool { return a.waiting == 0 && a != c })
		}
	}
	if !slices.Contains(q.active, c) {
		q.active = append(q.active, c)
	}
}

// remove takes a job away and returns the eligible_time that it had.
func (q *backlog) remove(job int32) (eligible float64) {
	g := q.groupOf[job]
	m := g.leave(job)
	q.groupOf[job] = nil
	q.waiting--
	if len(g.members) == 0 {
		q.drop(g)
	}
	return g.class.clock(q.e.now) - m.base
}

// eligible returns the eligible_time of a job that waits.
func (q *backlog) eligible(g *group, m member) float64 { return g.class.clock(q.e.now) - m.base }

// class returns the equivalence class of a job, as PBS's find_resresv_set.
func (q *backlog) class(j *Job, t *terms) *class {
	names := [6]int32{t.request, t.queue, j.User, j.Group, j.Project}
	if j.Subjobs > 0 {
		names[5] = j.Array // it has a limit of its own
	}
	if c := q.known[names]; c != nil {
		return c
	}
	request := q.e.request(t.request, t.queue)
	name := func(of int32) string { return q.e.work.Trace.Names.List[of] }
	amounts := q.e.work.Requests[t.request].Amounts
	checks := q.e.limits.of(q.e.queues[t.queue].Name, name(j.User), name(j.Group), name(j.Project), func(resource string) float64 { return amounts[resource] })
	if j.Subjobs > 0 {
		array, _, _ := cutSubjob(j.ID)
		checks = append(checks, q.e.limits.ofArray(array, j.Subjobs))
	}
	q.key = binary.LittleEndian.AppendUint32(q.key[:0], uint32(t.request))
	for _, k := range checks {
		q.key = binary.LittleEndian.AppendUint64(q.key, uint64(k.counter.number))
	}
	if q.e.cluster.HasQueues() {
		q.key = binary.LittleEndian.AppendUint32(append(q.key, '/'), uint32(t.queue))
	}
	if q.e.policy.Preemptive {
		q.key = binary.LittleEndian.AppendUint32(append(q.key, 'p'), uint32(q.e.preemptLevel(t.queue)))
	}
	c := q.classes[string(q.key)]
	if c == nil {
		c = &class{number: len(q.classes), request: request, checks: checks}
		q.classes[string(q.key)] = c
	}
	q.known[names] = c
	return c
}

// group returns the group of a job in its class.
func (q *backlog) group(c *class, j *Job, t *terms) *group {
	fixed, numbers := q.e.values.fixed(j, t)
	keys := q.e.values.sortKeys(j, t)
	q.key = binary.LittleEndian.AppendUint32(q.key[:0], uint32(c.number))
	q.key = binary.LittleEndian.AppendUint32(q.key, uint32(j.Entity))
	q.key = binary.LittleEndian.AppendUint32(q.key, uint32(t.queue))
	for _, list := range [][]float64{numbers, keys} {
		for _, x := range list {
			q.key = binary.LittleEndian.AppendUint64(q.key, math.Float64bits(x))
		}
	}
	g := q.groups[string(q.key)]
	if g == nil {
		g = &group{class: c, entity: j.Entity, queue: t.queue, fixed: slices.Clone(fixed), keys: slices.Clone(keys), name: string(q.key)}
		q.groups[g.name] = g
		q.key = binary.LittleEndian.AppendUint32(q.key[:0], uint32(j.Entity))
		q.key = binary.LittleEndian.AppendUint32(q.key, uint32(q.e.queues[t.queue].Priority))
		for _, x := range numbers {
			q.key = binary.LittleEndian.AppendUint64(q.key, math.Float64bits(x))
		}
		if g.value = q.e.values.shared[string(q.key)]; g.value == nil {
			g.value = &shared{}
			q.e.values.shared[string(q.key)] = g.value
		}
		c.groups = append(c.groups, g)
	}
	return g
}

// drop forgets a group without jobs.
func (q *backlog) drop(g *group) {
	delete(q.groups, g.name)
	at := slices.Index(g.class.groups, g)
	last := len(g.class.groups) - 1
	g.class.groups[at] = g.class.groups[last]
	g.class.groups = g.class.groups[:last]
}
