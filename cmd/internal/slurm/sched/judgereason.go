package sched

import "slices"

// Why the rules do not allow a start, and where it was.

// What does not allow a start besides limits, which squeue has names for.
const (
	waitsBehind   = "Priority: jobs of its partition before it that wait"
	waitsForPlans = "backfill: jobs before it that it would delay"
	waitsForCount = "bf_max_job_user, bf_max_job_part and the like: as many jobs were tried"
	notLetIn      = "AllowAccounts, DenyAccounts, AllowQos or DenyQos of its partition"
	onInUse       = "Resources: nodes that are in use"
	onDown        = "nodes that are down or drained"
	onReserved    = "a reservation of its nodes for others"
	onForeign     = "nodes that its partition does not have"
	onUnsuited    = "nodes that do not have what it asks for"
	onKept        = "nodes that jobs before it wait for"
)

// What a start had that the rules do not give it.
const (
	moreCPUs  = "more CPUs than the rules give"
	fewerCPUs = "fewer CPUs than the rules give"
)

// had returns what a start had of its nodes that the rules do not give it, "" where that is the same or nobody can tell.
func (s *nearStart) had() string {
	switch {
	case !s.isKnown || s.given == 0 || s.run.CPUs == 0 || s.given == s.run.CPUs:
		return ""
	case s.given < s.run.CPUs:
		return moreCPUs
	}
	return fewerCPUs
}

// Nearest returns the nearest explanation of starts that a rule does not allow, or that had what the rules do not give, as a
// question; "" where none is nearer than another.
func Nearest(rule string) string {
	switch rule {
	case waitsBehind:
		return "is the order of jobs another one: shares, usage, priorities or tiers of partitions?"
	case waitsForPlans, onKept:
		return "is the order of jobs another one, or are nodes kept for fewer of them: time limits or settings of backfill?"
	case waitsForCount:
		return "is the order of jobs another one, or are more of them tried: settings of backfill?"
	case onInUse:
		return "is more free on these nodes than the rules know?"
	case onUnsuited:
		return "have these nodes more than the rules know?"
	case onDown:
		return "were these nodes back by then?"
	case onReserved, WaitsForReserved:
		return "did the reservation let them in, or was it another one?"
	case onForeign:
		return "did the partition have these nodes then?"
	case notLetIn:
		return "did the partition let them in then?"
	case moreCPUs:
		return "do they have whole nodes or cores, or more CPUs for the memory that they ask for?"
	case fewerCPUs:
		return "do the nodes have fewer CPUs than the rules know, or does a CPU have several threads?"
	}
	return ""
}

// isOfOrder reports whether a rule is about jobs that go first.
func isOfOrder(rule string) bool {
	return rule == waitsBehind || rule == waitsForPlans || rule == waitsForCount || rule == onKept
}

// reasonOf returns why a main pass does not start a job: as many jobs have it in common, and of this job.
func (g *judge) reasonOf(p *pass, s *nearStart, j *Job, v verdict) (rule, reason string) {
	if rule, reason = g.held(j); rule != "" {
		return rule, reason
	}
	switch v {
	case limited:
		if rule = p.over.name(); rule == "" {
			rule = "a limit"
		}
	case reserved:
		rule = WaitsForReserved
	default:
		if rule = g.barsOn(j, p.machine, s.nodes); rule != onKept {
			break
		}
		if rule = waitsBehind; v == absent {
			rule = WaitsForNodes
		}
	}
	return rule, rule
}

// reasonOfCycle returns why a cycle does not start a job.
func (g *judge) reasonOfCycle(f *backfillRun, s *nearStart, j *Job, isFull bool) (rule, reason string) {
	if rule, reason = g.held(j); rule != "" {
		return rule, reason
	}
	if isFull {
		return waitsForCount, waitsForCount
	}
	if rule = g.barsOn(j, f.machine, s.nodes); rule == onKept {
		rule = waitsForPlans
	}
	return rule, rule
}

// held returns what keeps a job from starting wherever it would run, "" for nothing.
func (g *judge) held(j *Job) (rule, reason string) {
	switch limit := g.ledger.reach(j); {
	case limit.kind != noLimit:
		return limit.name(), limit.name() + ": " + g.ledger.detail(j, limit, j.Request.asks(g.ledger.kinds))
	case g.ledger.lacks(j):
		return WaitsForLicences, WaitsForLicences
	case !g.isOpenTo(j):
		rule := g.keptOutBy(j).rule()
		return rule, rule
	}
	return "", ""
}

// isHeld reports whether a start is kept from starting wherever it would run.
func (g *judge) isHeld(s *nearStart) bool {
	rule, _ := g.held(g.EntryOf(s.job, s.run.Place))
	return rule != ""
}

// barsOn returns what keeps a job from the nodes that it had.
func (g *judge) barsOn(j *Job, m *Machine, nodes []int32) string {
	rule := onKept
	for _, n := range nodes {
		i := int(n)
		on := NewSet(len(g.Setup.Nodes))
		on.Add(i)
		switch {
		case !g.Partitions[j.Partition].Nodes.Has(i):
			return onForeign
		case !g.up.Has(i):
			return onDown
		case areReserved(g.reservations, on, g.now, g.now+j.Limit, j.Reservation):
			return onReserved
		case g.empty.usable(j.Request, i) == 0:
			return onUnsuited
		case g.gang == nil && m.usable(j.Request, i) == 0:
			rule = onInUse
		}
	}
	if len(nodes) > 0 && rule == onKept && g.placeOn(j, m, g.Partitions[j.Partition].Nodes, nodes) == nil {
		rule = onInUse
	}
	return rule
}

// placeOn returns what the rules give a job of each of some nodes, which are among others, nil where it does not fit there. It holds
// until the next one.
func (g *judge) placeOn(j *Job, m *Machine, among Set, nodes []int32) []Share {
	on := NewSet(len(g.Setup.Nodes))
	for _, n := range nodes {
		if !among.Has(int(n)) {
			return nil
		}
		on.Add(int(n))
	}
	if shares := g.gang.place(&g.places, m, j.Request.onNodes(len(nodes)), on, j.Partition); len(shares) == len(nodes) {
		return shares
	}
	return nil
}

// onNodes returns a request for a number of nodes.
func (r *Request) onNodes(n int) *Request {
	of := *r
	of.MinNodes, of.MaxNodes = int32(n), int32(n)
	return &of
}

// shares returns what a job has of the nodes that it had: nothing, which is not nil, where no record tells them.
func (g *judge) shares(s *nearStart, j *Job, m *Machine) []Share {
	n := int32(len(s.nodes))
	if n == 1 && s.run.CPUs > 0 {
		return []Share{{s.nodes[0], s.run.CPUs}}
	}
	if s.shares != nil {
		return s.shares
	}
	on := NewSet(len(g.Setup.Nodes))
	for _, i := range s.nodes {
		on.Add(int(i))
	}
	if n > 0 {
		if shares := g.gang.place(&g.places, m, j.Request.onNodes(int(n)), on, j.Partition); len(shares) == int(n) {
			return slices.Clone(shares)
		}
	}
	cpus := s.run.CPUs
	if cpus == 0 {
		cpus = j.Request.CPUs
	}
	shares := []Share{}
	for k, i := range s.nodes { // what it has of each, nobody knows
		shares = append(shares, Share{i, max(1, cpus/n)})
		if int32(k) < cpus%n {
			shares[k].CPUs++
		}
	}
	return shares
}

// hasRoom reports whether there is room for a job in a main pass that has started all others.
func (g *judge) hasRoom(j *Job) bool {
	among := g.Partitions[j.Partition].Nodes.clone()
	among.intersect(g.up)
	among.subtract(g.uncleanNodes(nil))
	exclude(g.reservations, among, g.now, g.now+j.Limit, j.Reservation)
	confine(g.reservations, among, g.now, j.Reservation)
	return g.gang.place(&g.places, g.settled, j.Request, among, j.Partition) != nil
}
