package sched

// hasGRES reports whether a job asks for GRES of any node.
func (r *Request) hasGRES() bool {
	return isAny(r.GRES) || isAny(r.JobGRES) || isAny(r.TaskGRES)
}

// isAny reports whether there is any of some kinds of GRES.
func isAny(of []int32) bool {
	for _, x := range of {
		if x > 0 {
			return true
		}
	}
	return false
}

// gresOn returns how much of a kind of GRES a job has of a node on some CPUs of which its tasks run.
func (r *Request) gresOn(kind int, cpus int32) (n int32) {
	if kind < len(r.GRES) {
		n = r.GRES[kind]
	}
	if r.Exclusive { // nobody else has any of its nodes
		return n
	}
	if kind < len(r.TaskGRES) {
		n += int32(min(int64(r.TaskGRES[kind])*int64(cpus/max(1, r.CPUsPerTask)), 1<<30))
	}
	if kind < len(r.JobGRES) && r.JobGRES[kind] > 0 {
		all, of := int64(r.JobGRES[kind]), int64(max(1, r.CPUs))
		n += int32(min(all, (int64(cpus)*all+of-1)/of))
	}
	return n
}

// AllGRES returns how much of a kind of GRES a job has of some nodes together.
func (r *Request) AllGRES(kind int, nodes int32) int64 {
	n := int64(r.GRES[kind]) * int64(nodes)
	if r.TaskGRES != nil {
		n += int64(r.TaskGRES[kind]) * int64(r.Tasks)
	}
	if r.JobGRES != nil {
		n += int64(r.JobGRES[kind])
	}
	return n
}

// capByGRES returns on how many of some CPUs of a node the tasks of a job can run for the GRES that are free there. Of
// GRES of all nodes together, each CPU takes its part, as slurmctld 22.05 and 24.11 were recorded to share them out.
func (r *Request) capByGRES(n *Node, gres []int32, cpus int32) int32 {
	most := cpus
	free := func(kind int) int64 {
		return int64(max(0, gres[kind]-r.GRES[kind]))
	}
	for k, x := range r.GRES {
		if x > 0 && x > gres[k] {
			return 0
		}
	}
	for k, x := range r.TaskGRES {
		if x > 0 {
			cpus = int32(min(int64(cpus), free(k)/int64(x)*int64(max(1, r.CPUsPerTask))))
		}
	}
	for k, x := range r.JobGRES {
		if x > 0 {
			cpus = int32(min(int64(cpus), free(k)*int64(r.CPUs)/int64(x)))
		}
	}
	if cpus == most {
		return most
	}
	_, used := r.threads(n)
	return cpus - cpus%used // of whole cores
}

// cpusOfOne returns the CPUs that each further node of a job has at least.
func (r *Request) cpusOfOne() (n int32) {
	n = 1
	for _, x := range r.JobGRES {
		if x > 0 {
			n = max(n, r.CPUs/x)
		}
	}
	return n
}
