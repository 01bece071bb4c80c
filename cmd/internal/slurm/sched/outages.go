package sched

import (
	"cmp"
	"math"
	"slices"
)

// Outage is a time in which a node takes no job, such as one that is down or drained. Nobody knows of it
// before it begins, nor when it ends. A job that runs there goes on, unless the node fails.
type Outage struct {
	Node       int
	From, To   int64
	IsCleaning bool // whether it cleans up after a job meanwhile, so that jobs wait for it as for one that is in use
}

// Failure is a moment at which a node goes down, and is not drained: its jobs are killed, and wait again if they may.
type Failure struct {
	Node   int
	At, To int64 // To is when it is up again
}

// FailuresFrom returns the failures that still come at a time, and those that are not over.
func (s *Setup) FailuresFrom(at int64) []Failure {
	return slices.DeleteFunc(slices.Clone(s.Failures), func(f Failure) bool { return f.To <= at })
}

// ForGood is the To of a node that nothing tells to have come back.
const ForGood = math.MaxInt64

// turn is a moment at which a node goes away, or comes back.
type turn struct {
	at    int64
	node  int
	by    int   // 1 and -1, or 0
	fatal int64 // until when those that run there are killed, 0 where it kills nobody

	isCleaning bool
}

// turns returns what happens to nodes, in the order of time.
func turns(away []Outage, failures []Failure) []turn {
	var list []turn
	for _, a := range away {
		list = append(list, turn{at: a.From, node: a.Node, by: 1, isCleaning: a.IsCleaning})
		if a.To != ForGood {
			list = append(list, turn{at: a.To, node: a.Node, by: -1, isCleaning: a.IsCleaning})
		}
	}
	for _, f := range failures {
		list = append(list, turn{at: f.At, node: f.Node, fatal: f.To})
	}
	slices.SortStableFunc(list, func(a, b turn) int { return cmp.Compare(a.at, b.at) })
	return list
}

// turnNodes takes nodes away that go now, and gives those back that return. A pass and a cycle follow: what
// waited for a node that is gone holds nobody up any more.
func (e *engine) turnNodes() {
	for ; len(e.turns) > 0 && e.turns[0].at <= e.now; e.turns = e.turns[1:] {
		t := e.turns[0]
		if t.isCleaning {
			e.unclean[t.node] += t.by
		} else {
			e.outages[t.node] += t.by
		}
		if is := e.outages[t.node] == 0 && e.Nodes[t.node].CPUs > 0; is {
			e.up.Add(t.node)
		} else {
			e.up.remove(t.node)
		}
		if t.fatal > e.now && e.judge == nil { // of a record, the runs that it ended are over by themselves
			e.fail(t.node)
		}
		e.change()
		e.wantPass()
	}
}

// fail kills the jobs that run on a node (Slurm's job_mgr.c, kill_running_job_by_node_name): those that may be requeued wait
// again.
func (e *engine) fail(node int) {
	var gone []*Job
	for i := range e.running {
		if e.running[i].nodes.Has(node) {
			gone = append(gone, e.running[i].job)
		}
	}
	for _, j := range gone {
		e.evict(j, e.WaitsAgain(j))
	}
}

// isAbsent reports whether a job would not fit on the nodes of its partition that are up and not withdrawn even if
// nothing ran there. slurmctld takes such a job for one whose nodes are not available (ESLURM_NODE_NOT_AVAIL), and goes
// on with the next one.
func (p *pass) isAbsent(j *Job) bool {
	copy(p.among, p.machine.Partitions[j.Partition].Nodes)
	p.among.intersect(p.up)
	excludeMaintained(p.reservations, p.among, p.now, p.now+j.Limit, j.Reservation)
	for int(j.kind) >= len(p.present) {
		p.present = append(p.present, presence{})
	}
	x := &p.present[j.kind]
	if x.request == j.Request && slices.Equal(x.among, p.among) && !p.ledger.setup.isPlain {
		return false
	}
	p.place.onFew = false
	if p.place.place(p.empty, j.Request, p.among) == nil {
		return true
	}
	x.request, x.among = j.Request, append(x.among[:0], p.among...)
	return false
}

// presence are nodes on which a request is known to fit if nothing runs there.
type presence struct {
	request *Request
	among   Set
}
