package slurmsched

// pass is a main pass over the queue: it starts the jobs that fit, each partition strictly in its
// order.
type pass struct {
	machine  *Machine
	ledger   *ledger
	place    *placer
	up       Set    // the nodes that are not withdrawn
	failed   []bool // partitions of which a job did not fit
	failures int    // of them
	among    Set
	kept     []Kept
	now      int64
	over     hit // the limit of what the last job would have had on the nodes that it fits on
}

// newPass begins a main pass over the nodes that jobs may run on.
func newPass(m *Machine, l *ledger, up Set) *pass {
	return &pass{machine: m, ledger: l, place: &placer{}, up: up.clone(), failed: make([]bool, len(m.Partitions)), among: NewSet(len(m.Nodes))}
}

// verdict is what became of a job in a main pass.
type verdict int

const (
	started  verdict = iota
	skipped          // a job of its partition before it did not fit
	limited          // over a limit of its association or QOS: it holds nobody up
	reserved         // fits, but on nodes that are kept by a reservation: it is taken to hold nobody up
	lacks            // does not fit: later jobs of its partition are skipped, and its nodes withdrawn
)

// try considers a job.
func (p *pass) try(j *Job) (verdict, []Share) {
	if p.failed[j.Partition] {
		return skipped, nil
	}
	if !p.ledger.admits(j) || !p.ledger.affords(j, nil) {
		return limited, nil
	}
	nodes := p.machine.Partitions[j.Partition].Nodes
	copy(p.among, nodes)
	p.among.intersect(p.up)
	exclude(p.kept, p.among, p.now, p.now+j.Limit)
	shares := p.place.place(p.machine, j.Request, p.among)
	switch {
	case shares == nil && p.isKeptFrom(j):
		return reserved, nil
	case shares == nil:
		p.failed[j.Partition] = true
		p.failures++
		p.up.subtract(nodes)
		return lacks, nil
	}
	if p.over = p.ledger.exceeds(j, p.ledger.amountsOf(j.Request, shares)); p.over.kind != noLimit {
		return limited, nil
	}
	return started, shares
}

// isKeptFrom reports whether nothing but reservations keeps a job from nodes that it fits on.
func (p *pass) isKeptFrom(j *Job) bool {
	if len(p.kept) == 0 {
		return false
	}
	copy(p.among, p.machine.Partitions[j.Partition].Nodes)
	p.among.intersect(p.up)
	return p.place.place(p.machine, j.Request, p.among) != nil
}
