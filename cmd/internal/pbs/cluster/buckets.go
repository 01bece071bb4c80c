package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// usesBuckets reports whether vnodes for a job are tried bucket by bucket, as PBS's job_should_use_buckets: it has them
// for itself and names none, each host has one vnode, and their order does not change with what runs.
func (s *State) usesBuckets(r *Request) bool {
	if r.sharing != excl || r.arrangement == pack || s.buckets == nil || s.hasLargeHosts() || len(s.keys) > 0 {
		return false
	}
	namesPlace := func(w word) bool { return w.name == "host" || w.name == "vnode" }
	return !slices.ContainsFunc(r.Chunks, func(c Chunk) bool { return slices.ContainsFunc(c.words, namesPlace) })
}

// findBuckets returns the vnodes that have the same to the scheduler, in the order in which it comes upon them, as PBS's
// create_node_buckets: the same resources, but for their own names, the same queue and the same priority.
func (c *Cluster) findBuckets() [][]int32 {
	var buckets [][]int32
	numbers := map[string]int{}
	for v := range c.Vnodes {
		of := &c.Vnodes[v]
		var key strings.Builder
		fmt.Fprint(&key, of.Queue, "\x00", of.Priority)
		for k, name := range c.Consumables {
			if c.checks.checked(name) {
				fmt.Fprint(&key, "\x00", of.Amounts[k])
			}
		}
		for _, name := range slices.Sorted(maps.Keys(of.Words)) {
			if name != "host" && name != "vnode" && c.checks.checked(name) {
				fmt.Fprint(&key, "\x00", name, "=", of.Words[name])
			}
		}
		at, ok := numbers[key.String()]
		if !ok {
			at = len(buckets)
			numbers[key.String()] = at
			buckets = append(buckets, nil)
		}
		buckets[at] = append(buckets[at], int32(v))
	}
	return buckets
}

// spreadOverBuckets places each chunk on vnodes bucket by bucket: in each of them first where a top job is to start later,
// if this one ends in time, and then where nothing is planned, as PBS's bucket_match.
func (p *placer) spreadOverBuckets() bool {
	for i := range p.r.Chunks {
		chunk := &p.r.Chunks[i]
		left := chunk.Count
		for _, bucket := range p.s.buckets() {
			for _, isLater := range []bool{true, false} {
				for _, v := range bucket {
					if left == 0 {
						break
					}
					if !p.isWithin(v) || p.s.isClosed(v) {
						continue
					}
					if p.isPlannedOn(v) != isLater {
						continue
					}
					if n := p.fits(v, chunk, left); n > 0 {
						p.add(Part{v, int32(n), chunk})
						left -= n
					}
				}
			}
		}
		if left > 0 {
			return false
		}
	}
	return true
}

// isPlannedOn reports whether a top job is to start on a vnode at any time.
func (p *placer) isPlannedOn(v int32) bool {
	if p.planned == nil {
		return false
	}
	_, _, ever := p.planned.Left(v)
	return ever
}
