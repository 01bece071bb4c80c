package cluster

import "slices"

// PBS's scheduler looks past vnodes of which all cpus are in use, and so sends a job that asks for place=exclhost to a
// host of which others use one up. The server starts it there, and has all vnodes of the host as job-exclusive. When the job
// has left, a vnode that others use yet stays so. The next such job the server gives the host vnode by vnode, comes upon
// that one, refuses to start the job, and never takes back what it has given. So two recorded runs of one site have it.

// Leave notes that a job has left an allocation, which was released.
func (s *State) Leave(a Allocation) {
	if !s.hasLargeHosts() {
		return
	}
	if s.stale == nil {
		s.stale = make([]bool, len(s.Vnodes))
	}
	for _, p := range a.Parts {
		s.stale[p.Vnode] = s.stale[p.Vnode] && s.jobs[p.Vnode] > 0
	}
	for _, v := range a.Own {
		s.stale[v] = s.jobs[v] > 0
	}
}

// Refused returns the vnodes that the server keeps for good of a place at which it does not start a job; there are none
// where it does.
func (s *State) Refused(a Allocation) (kept []int32) {
	if s.stale == nil || len(a.Own) == 0 {
		return nil
	}
	for _, p := range a.Parts {
		kept = append(kept, p.Vnode)
	}
	for _, v := range a.Own { // as exec_vnode has them
		if s.stale[v] && s.jobs[v] > 0 {
			return kept
		}
		if !slices.Contains(kept, v) {
			kept = append(kept, v)
		}
	}
	return nil
}
