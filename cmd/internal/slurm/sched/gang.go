package sched

import (
	"cmp"
	"container/heap"
	"math/bits"
	"slices"
)

// Under PreemptMode=SUSPEND,GANG and preempt/partition_prio, jobs start on cores of jobs of lower tiers, which are
// suspended until these cores are free again, and keep their memory and GRES.

// gang is which cores the running jobs have, by partition. Only jobs of one partition have cores of their own: those of
// another one may have the same.
type gang struct {
	setup   *Setup
	first   []int      // by node, its first word in a row, and at the end how many words there are
	rows    [][]uint64 // by partition, a bit for each core that its jobs have, suspended ones too
	others  []uint64   // the cores of Setup.Elsewhere, which no job gets: some of each node, since nobody knows which
	blocks  [][][]int  // by partition, the partitions whose cores its jobs do not get: in each of the attempts to place one
	tiers   []float64  // the highest one first
	free    []uint64
	machine Machine
}

// Suspends reports whether jobs of some partition are suspended for those of higher tiers.
func (s *Setup) Suspends() bool {
	if !s.Precedence().byTier {
		return false
	}
	for p := range s.Partitions {
		if s.isSuspendable(p) && slices.ContainsFunc(s.Partitions, func(x Partition) bool { return x.Tier > s.Partitions[p].Tier }) {
			return true
		}
	}
	return false
}

// isSuspendable reports whether the jobs of a partition are suspended for others.
func (s *Setup) isSuspendable(partition int) bool {
	own := ModeUnset
	if s.Preemption.Partitions != nil {
		own = s.Preemption.Partitions[partition]
	}
	return cmp.Or(own, s.Preemption.Mode) == ModeSuspend
}

// newGang returns a gang without jobs, nil for a site that suspends none.
func newGang(s *Setup) *gang {
	if !s.Suspends() {
		return nil
	}
	g := &gang{setup: s, first: []int{0}}
	for i := range s.Nodes {
		g.first = append(g.first, g.first[i]+(int(s.Nodes[i].cores())+63)/64)
	}
	words := g.first[len(s.Nodes)]
	g.free, g.others = make([]uint64, words), make([]uint64, words)
	for i := range s.Elsewhere {
		n, threads := &s.Nodes[i], max(1, s.Nodes[i].Threads)
		copy(g.others[g.first[i]:], n.choose(g.freeOf(i, nil), (s.Elsewhere[i].CPUs+threads-1)/threads, 1, s.socketsOf(i)))
	}
	for p := range s.Partitions {
		g.rows = append(g.rows, make([]uint64, words))
		g.blocks = append(g.blocks, s.blocks(p))
		g.tiers = append(g.tiers, s.Partitions[p].Tier)
	}
	slices.Sort(g.tiers)
	g.tiers = slices.Compact(g.tiers)
	slices.Reverse(g.tiers)
	return g
}

// blocks returns the partitions whose cores the jobs of one do not get, in the attempts to place one of them (Slurm's
// select/cons_tres, job_test.c, _job_test): on cores that nobody has, then on those that jobs of lower tiers have, and at
// last on all that neither higher tiers nor jobs of its own partition have.
func (s *Setup) blocks(partition int) (attempts [][]int) {
	tier := s.Partitions[partition].Tier
	add := func(blocks func(p int) bool) {
		var list []int
		for p := range s.Partitions {
			if isLower := s.Partitions[p].Tier < tier; isLower && !s.isSuspendable(p) || blocks(p) {
				list = append(list, p)
			}
		}
		if last := len(attempts) - 1; last < 0 || !slices.Equal(attempts[last], list) {
			attempts = append(attempts, list)
		}
	}
	add(func(int) bool { return true })
	add(func(p int) bool { return s.Partitions[p].Tier >= tier })
	add(func(p int) bool { return s.Partitions[p].Tier > tier || p == partition })
	return attempts
}

// socketsOf returns how many sockets a node has, one where nobody says.
func (s *Setup) socketsOf(node int) int32 { return max(1, s.Nodes[node].Sockets) }

// cores returns how many cores a node has.
func (n *Node) cores() int32 { return n.CPUs / max(1, n.Threads) }

// clone returns a gang to try things with, nil for none.
func (g *gang) clone() *gang {
	if g == nil {
		return nil
	}
	of := *g
	of.free, of.machine, of.rows = slices.Clone(g.free), Machine{}, nil
	for _, row := range g.rows {
		of.rows = append(of.rows, slices.Clone(row))
	}
	return &of
}

// freeOf returns the cores of a node that are free in an attempt.
func (g *gang) freeOf(node int, blocks []int) []uint64 {
	free := g.free[g.first[node]:g.first[node+1]]
	for w := range free {
		free[w] = ^uint64(0)
	}
	if more := g.setup.Nodes[node].cores() % 64; more > 0 {
		free[len(free)-1] = 1<<more - 1
	}
	for w, x := range g.others[g.first[node]:g.first[node+1]] {
		free[w] &^= x
	}
	for _, p := range blocks {
		for w, x := range g.rows[p][g.first[node]:g.first[node+1]] {
			free[w] &^= x
		}
	}
	return free
}

// twice returns how many CPUs of each node are had by one job and again by another one, of jobs that run or are suspended.
func (s *Setup) twice(jobs []*Job) []int32 {
	g, twice := newGang(s), make([]int32, len(s.Nodes))
	if g == nil {
		return twice
	}
	jobs = slices.SortedStableFunc(slices.Values(jobs), func(a, b *Job) int { return cmp.Compare(a.Start, b.Start) })
	had := make([]uint64, len(g.free))
	for _, j := range jobs {
		own := *j
		own.cores = nil
		g.add(&own)
		at := 0
		for _, share := range own.Shares {
			for w := g.first[share.Node]; w < g.first[share.Node+1]; w++ {
				twice[share.Node] += countCores([]uint64{had[w] & own.cores[at]}) * max(1, s.Nodes[share.Node].Threads)
				had[w] |= own.cores[at]
				at++
			}
		}
	}
	return twice
}

func countCores(words []uint64) (n int32) {
	for _, w := range words {
		n += int32(bits.OnesCount64(w))
	}
	return n
}

// place returns where a job of a partition would run on some nodes, nil if it does not fit. Where no job is suspended for
// others, it is placer.place.
func (g *gang) place(p *placer, m *Machine, r *Request, among Set, partition int) []Share {
	if g == nil {
		return p.place(m, r, among)
	}
	g.machine.copyFrom(m)
	for _, blocks := range g.blocks[partition] {
		among.all(func(i int) bool {
			g.machine.cpus[i] = min(g.setup.Nodes[i].CPUs, countCores(g.freeOf(i, blocks))*max(1, g.setup.Nodes[i].Threads))
			return true
		})
		if shares := p.place(&g.machine, r, among); shares != nil {
			return shares
		}
	}
	return nil
}

// give gives a job that starts its cores: in the first attempt in which there are enough on each of its nodes.
func (g *gang) give(j *Job) {
	attempts := g.blocks[j.Partition]
	blocks := attempts[len(attempts)-1]
	for _, x := range attempts {
		if !slices.ContainsFunc(j.Shares, func(s Share) bool {
			return countCores(g.freeOf(int(s.Node), x)) < s.CPUs/max(1, g.setup.Nodes[s.Node].Threads)
		}) {
			blocks = x
			break
		}
	}
	j.cores = nil
	for _, s := range j.Shares {
		free := g.freeOf(int(s.Node), blocks)
		n := &g.setup.Nodes[s.Node]
		j.cores = append(j.cores, n.choose(free, s.CPUs/max(1, n.Threads), max(1, j.Request.CPUsPerTask/max(1, n.Threads)), g.setup.socketsOf(int(s.Node)))...)
	}
}

// choose returns some of the free cores of a node: those of one task after the other, of each socket in turn (Slurm's
// dist_tasks.c, _cyclic_sync_core_bitmap).
func (n *Node) choose(free []uint64, cores, each, sockets int32) []uint64 {
	chosen, all := make([]uint64, len(free)), n.cores()
	perSocket := (all + sockets - 1) / sockets
	next := make([]int32, sockets)
	for isMore := true; isMore && cores > 0; {
		isMore = false
		for s := range sockets {
			for left := each; left > 0 && cores > 0; {
				at := s*perSocket + next[s]
				if next[s] >= perSocket || at >= all {
					break
				}
				next[s]++
				if free[at/64]&(1<<(at%64)) != 0 {
					chosen[at/64] |= 1 << (at % 64)
					left--
					cores--
					isMore = true
				}
			}
		}
	}
	return chosen
}

// each goes through the words of the row of a job's partition in which it has cores.
func (g *gang) each(j *Job, row []uint64, do func(word *uint64, cores uint64)) {
	at := 0
	for _, s := range j.Shares {
		for w := g.first[s.Node]; w < g.first[s.Node+1]; w++ {
			do(&row[w], j.cores[at])
			at++
		}
	}
}

// add takes a running job into the row of its partition, and gives it cores where it has none yet.
func (g *gang) add(j *Job) {
	if g == nil {
		return
	}
	if j.cores == nil {
		g.give(j)
	}
	g.each(j, g.rows[j.Partition], func(word *uint64, cores uint64) { *word |= cores })
}

// remove takes a job out of the row of its partition.
func (g *gang) remove(j *Job) {
	if g == nil {
		return
	}
	g.each(j, g.rows[j.Partition], func(word *uint64, cores uint64) { *word &^= cores })
}

// shadow says of running jobs which are to be suspended: those that have a core of one that runs in a higher tier (Slurm's
// gang.c, _update_active_row).
func (g *gang) shadow(jobs []*Job, tell func(j *Job, isSuspended bool)) {
	shadow := make([]uint64, len(g.free))
	var cast []*Job
	for _, tier := range g.tiers {
		cast = cast[:0]
		for _, j := range jobs {
			if g.setup.Partitions[j.Partition].Tier != tier {
				continue
			}
			isSuspended := false
			g.each(j, shadow, func(word *uint64, cores uint64) { isSuspended = isSuspended || *word&cores != 0 })
			if tell(j, isSuspended); !isSuspended {
				cast = append(cast, j)
			}
		}
		for _, j := range cast {
			g.each(j, shadow, func(word *uint64, cores uint64) { *word |= cores })
		}
	}
}

// Suspended returns for how many seconds a job that is over was suspended for others.
func (j *Job) Suspended() int64 { return j.halted }

// ran returns for how many seconds a running job has run, without those for which it was suspended.
func (j *Job) ran(now int64) int64 {
	if j.haltedAt > 0 {
		now = j.haltedAt
	}
	return now - j.Start - j.halted
}

// suspend stops a running job, or lets it go on: the time until then is not of its run, nor of its time limit. It reports
// whether anything changes.
func (j *Job) suspend(isSuspended bool, now int64) bool {
	switch {
	case isSuspended == (j.haltedAt > 0):
		return false
	case isSuspended:
		j.haltedAt = now
	default:
		j.halted += now - j.haltedAt
		j.haltedAt = 0
	}
	return true
}

// suspend stops the running jobs whose cores others have, which it returns, and lets those go on whose cores are free again.
func (e *engine) suspend() (stopped []*Job) {
	if e.gang == nil {
		return nil
	}
	jobs := make([]*Job, len(e.running))
	for i, b := range e.running {
		jobs[i] = b.job
	}
	isChanged := false
	e.gang.shadow(jobs, func(j *Job, isSuspended bool) {
		switch isSame := !j.suspend(isSuspended, e.now); {
		case isSame:
		case isSuspended:
			heap.Remove(&e.ending, slices.Index(e.ending, j))
			e.result.Suspended++
			stopped = append(stopped, j)
		default:
			isChanged = true
			heap.Push(&e.ending, j)
		}
	})
	if isChanged { // time limits end later
		for i := range e.running {
			e.running[i].end = e.running[i].job.expectedEnd()
		}
		slices.SortStableFunc(e.running, runningJob.compare)
		e.timelines.reset()
	}
	return stopped
}

// takeCores gives a job that has started its cores.
func (e *engine) takeCores(j *Job) {
	e.gang.add(j)
	for _, x := range e.suspend() {
		e.why.goes(Eviction{j, x, ModeSuspend, 0, j.Shares})
	}
}

// leaveCores frees the cores of a job that runs no more.
func (e *engine) leaveCores(j *Job) {
	e.gang.remove(j)
	e.suspend()
}
