package cluster

import (
	"math"
	"slices"
)

// IsInTurn reports whether some jobs go from host to host: smp_cluster_dist of sched_config.
func (c *Cluster) IsInTurn() bool { return c.checks.InTurn }

// goesInTurn reports whether a job does: one that asks for a single chunk, with place=pack.
func (s *State) goesInTurn(r *Request) bool {
	return s.checks.InTurn && r.arrangement == pack && len(r.Chunks) == 1 && r.Chunks[0].Count == 1
}

// Deal notes when a job has started, and where: the next one that goes in turn is tried from the host after that of the
// last one on, also in later cycles, as PBS's reorder_nodes.
func (s *State) Deal(r *Request, place Allocation, at float64) {
	if s.goesInTurn(r) && len(place.Parts) > 0 && at >= s.lastAt {
		s.lastHost, s.lastAt = s.hostOf[place.Parts[0].Vnode], max(at, math.SmallestNonzeroFloat64)
	}
}

// turned returns hosts in the order in which a job is tried on them: those after the last one that was dealt come first.
func (p *placer) turned(hosts []int32) []int32 {
	at := slices.Index(hosts, p.s.lastHost)
	if !p.s.goesInTurn(p.r) || p.s.lastAt == 0 || at < 0 {
		return hosts
	}
	return slices.Concat(hosts[at+1:], hosts[:at+1])
}
