package sched

// KeepElsewhere keeps from jobs what is in use of nodes, as the site says, and that none of those has which run. It returns
// what that is by node, and where those which run have more CPUs than are in use. CPUs that a suspended job has as well as the
// one that it is suspended for are in use once, their memory and GRES twice.
func (s *Setup) KeepElsewhere(running []*Job, used []Use) (elsewhere []Use, isMore []bool) {
	s.Elsewhere = nil
	m, twice := NewMachine(s.Cluster), s.twice(running)
	for _, j := range running {
		m.hold(j)
	}
	elsewhere, isMore = make([]Use, len(s.Nodes)), make([]bool, len(s.Nodes))
	for i := range s.Nodes {
		n, of, is := &s.Nodes[i], &used[i], &elsewhere[i]
		has := n.CPUs - m.cpus[i] - twice[i]
		is.CPUs, isMore[i] = max(0, of.CPUs-has), of.CPUs >= 0 && has > of.CPUs
		if !s.HasNoMemory {
			is.Memory = max(0, of.Memory-(n.Memory-m.memory[i]))
		}
		is.GRES = make([]int32, len(s.GRES))
		for k, free := range m.gresOf(i) {
			is.GRES[k] = max(0, of.gres(k)-(n.GRES[k]-free))
		}
	}
	s.Elsewhere = elsewhere
	return elsewhere, isMore
}

// Machine returns the nodes of a site on which no job runs that is known: what others have there is not free.
func (s *Setup) Machine() *Machine {
	m := NewMachine(s.Cluster)
	for i := range s.Elsewhere {
		m.moveUse(i, &s.Elsewhere[i], -1)
	}
	return m
}
