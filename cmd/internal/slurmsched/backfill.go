package slurmsched

import "slices"

// Backfilling is how backfill is configured, bf_* of SchedulerParameters; times are in seconds.
type Backfilling struct {
	Interval   int64 // bf_interval
	Resolution int64 // bf_resolution
	Window     int64 // bf_window
	MaxPerUser int   // bf_max_job_user, 0 for no limit
	MaxTest    int   // bf_max_job_test
}

// Plan is when and where a job is to start.
type Plan struct {
	Job        *Job
	Start, End int64
	Nodes      Set
}

// cycle is a backfill cycle: it goes through the queue, starts jobs that delay no plan of an
// earlier one, and plans the others.
type cycle struct {
	Backfilling
	outlook
	ledger   *ledger
	begun    int64
	slots    slots
	up       Set         // the nodes that jobs may run on
	cleaning Set         // the nodes on which jobs are over that still clean up
	nodes    Set         // those that a job may run on
	among    Set         // those of them that are not planned
	tested   Set         // the nodes that a job was tested on last
	count    map[int]int // plans by association
	kept     []Kept
	hopeless map[asked]bool // what got neither a start nor a plan since the last one that did
	spared   int            // how many jobs were like one of those
	isMoved  bool           // whether a job would start earlier but for the plans of others
}

// asked is all of a job on which a cycle depends besides its array.
type asked struct {
	request                     *Request
	partition, association, qos int
	limit                       int64
}

// outcome is what became of a job in a cycle.
type outcome struct {
	shares []Share // where it starts at once, nil if it does not
	plan   *Plan   // nil if it got none
}

// newCycle begins a cycle. The running jobs are in the order of their ends.
func newCycle(b Backfilling, m *Machine, l *ledger, running []busy, up Set, now int64, cleaning Set) *cycle {
	return &cycle{
		Backfilling: b, outlook: outlook{machine: m, running: running}, ledger: l, begun: now, hopeless: map[asked]bool{},
		slots: newSlots(now, now+b.Window, up), up: up, cleaning: cleaning, nodes: NewSet(len(m.Nodes)), among: NewSet(len(m.Nodes)), tested: NewSet(len(m.Nodes)), count: map[int]int{},
	}
}

// keep keeps the nodes of reservations from the jobs of a cycle.
func (c *cycle) keep(kept []Kept) {
	c.kept = kept
	for _, k := range kept {
		c.slots.reserve(k.Nodes, k.Start, k.End)
	}
}

func (c *cycle) meets(shares []Share, nodes Set) bool {
	return slices.ContainsFunc(shares, func(s Share) bool { return nodes.Has(int(s.Node)) })
}

// goOn goes on with what runs and what cleans up now that another job has started.
func (c *cycle) goOn(running []busy, cleaning Set) {
	c.running, c.cleaning = running, cleaning
	clear(c.hopeless)
	clear(c.seen)
}

// try considers a job.
func (c *cycle) try(j *Job, now int64) outcome {
	var o outcome
	if !c.ledger.admits(j) {
		return o
	}
	if c.MaxPerUser > 0 {
		if c.count[j.Association] >= c.MaxPerUser {
			return o
		}
		c.count[j.Association]++
	}
	is := asked{j.Request, j.Partition, j.Association, j.QOS, j.Limit}
	if !c.isPlain && c.hopeless[is] {
		c.spared++
		return o // nothing has changed since another one like it was considered
	}
	if o = c.find(j, now); o.shares == nil && o.plan == nil {
		c.hopeless[is] = true
	}
	return o
}

// find finds when and where a job that limits admit may start.
func (c *cycle) find(j *Job, now int64) (o outcome) {
	copy(c.nodes, c.machine.Partitions[j.Partition].Nodes)
	c.nodes.intersect(c.up)
	var start int64 // what first said of tested
	var shares []Share
	isTested := false
	for later := now; ; {
		from := later
		later = c.slots.narrow(c.among, c.nodes, from, max(from, now)+j.Limit)
		exclude(c.kept, c.among, from, from+j.Limit)
		if c.among.count() < int(j.Request.MinNodes) {
			if later == 0 {
				return o
			}
			continue
		}
		c.suited(j.Request, c.among)
		if c.isPlain || !isTested || !slices.Equal(c.among, c.tested) {
			isTested = true
			copy(c.tested, c.among)
			start, shares = c.first(j.Request, c.among, now)
		}
		if shares == nil {
			if later == 0 {
				return o
			}
			continue
		}
		c.isMoved = c.isMoved || start < from
		start := max(start, from)
		if start <= now && c.meets(shares, c.cleaning) {
			start, later = now+1, 0
		}
		isAfforded := c.ledger.affords(j, c.ledger.amountsOf(j.Request, shares))
		if start <= now {
			if isAfforded {
				o.shares = shares
			}
			return o
		}
		if later != 0 && start > later {
			continue
		}
		if start > c.begun+c.Window || !isAfforded {
			return o // a job over a limit waits for others of its user, and nobody knows until when
		}
		nodes := nodesOf(shares, len(c.machine.Nodes))
		gridStart, gridEnd := start/c.Resolution*c.Resolution, (start+j.Limit)/c.Resolution*c.Resolution
		if c.slots.overlap(nodes, gridStart, gridEnd) {
			if start <= from {
				return o
			}
			later = start
			continue
		}
		o.plan = &Plan{j, start, gridEnd, nodes}
		return o
	}
}

// reserve keeps the nodes of a plan from the jobs that follow.
func (c *cycle) reserve(p *Plan) {
	c.slots.reserve(p.Nodes, p.Start/c.Resolution*c.Resolution, p.End)
	clear(c.hopeless)
}
