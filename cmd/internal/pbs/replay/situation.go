package replay

import (
	"cmp"
	"math"
	"slices"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/work"
	"fairshare/fstree"
)

// situation is what all parts of a replay see of the site as it is: the time, the jobs and what they
// ask for, and the vnodes.
type situation struct {
	work     *work.Work
	entities *entities
	policy   fstree.Policy
	cluster  *cluster.Cluster
	requests *cluster.Requests
	queues   []pbs.Queue
	depths   []int   // backfill_depth, by queue
	window   float64 // opt_backfill_fuzzy, in seconds
	isPlain  bool    // Options.Plain

	eachValue  bool // Options.eachValue
	keepsStays bool // Options.keepsStays

	now     float64
	cycles  uint64
	freed   uint64 // counts releases of vnodes
	taken   uint64 // counts starts
	changed bool   // whether anything has happened since the last cycle that may let jobs start
	state   *cluster.State
	jobs    []progress // by job
	nobody  *stay      // of jobs that have not come, or are over
	left    []*stay    // of jobs that are over, for those that come
	spare   []stay     // likewise, of nobody yet
	terms   []terms    // by job
	lengths []lengths  // by request, what jobs say of how long they run besides their walltime; nil for nothing
	running running
}

// length returns for how long a job may run, or run on: for a second at least, also one that
// had used up its walltime before it was suspended.
func (p *situation) length(job int32) float64 {
	if w := p.planned(&p.terms[job]); w != work.Unlimited {
		return max(1, w-p.jobs[job].used)
	}
	return work.Unlimited
}

// dueOf returns when a job that runs is to end by its walltime.
func (p *situation) dueOf(job int32) float64 {
	due := math.Floor(p.jobs[job].starts) + p.length(job)
	if b := p.jobs[job].booking; b != nil {
		due = min(due, b.end)
	}
	return due
}

// overrun is how long a job that runs longer than its walltime is taken to run on, in seconds: until the next one, as all
// recorded plans have it.
const overrun = 1

// dueAt returns when a job that runs is to end.
func (p *situation) dueAt(job int32) float64 {
	if due := p.jobs[job].due; due > p.now {
		return due
	}
	return p.late()
}

// late returns when those jobs are to end that run longer than their walltime.
func (p *situation) late() float64 { return math.Floor(p.now) + overrun }

// overran reports whether a job runs longer than its walltime.
func (p *situation) overran() bool { return len(p.running) > 0 && p.jobs[p.running[0]].due <= p.now }

// ends returns the jobs that run, by when they are to end.
func (p *situation) ends() []int32 {
	over := 0
	for over < len(p.running) && p.jobs[p.running[over]].due <= p.now {
		over++
	}
	if over == 0 {
		return p.running
	}
	// Those that have run too long end in a while.
	ends := slices.Clone(p.running[over:])
	at, _ := slices.BinarySearchFunc(ends, p.late(), func(job int32, at float64) int {
		if p.jobs[job].due < at {
			return -1
		}
		return 1
	})
	return slices.Insert(ends, at, p.running[:over]...)
}

// request returns what a job asks of the cluster, nil where that cannot be read.
func (p *situation) request(t *terms) *cluster.Request {
	r, _ := p.requests.TryOf(t.request, p.queues[t.queue].Name, t.owner)
	return r
}

// countChecks counts a job that starts or ends under its limits.
func (p *situation) countChecks(job int32, sign float64) {
	for _, k := range p.jobs[job].checks {
		k.counter.used += sign * k.need
	}
}

// running is the jobs that run, by when they are to end.
type running []int32

func (r *running) find(p *situation, job int32) (int, bool) {
	return slices.BinarySearchFunc(*r, job, func(a, b int32) int {
		return cmp.Or(cmp.Compare(p.jobs[a].due, p.jobs[b].due), cmp.Compare(a, b))
	})
}

func (r *running) add(p *situation, job int32) {
	at, _ := r.find(p, job)
	*r = slices.Insert(*r, at, job)
}

func (r *running) remove(p *situation, job int32) {
	if at, ok := r.find(p, job); ok {
		*r = slices.Delete(*r, at, at+1)
	}
}
