package qstat

import (
	"bytes"
	"strconv"

	"fairshare/cmd/internal/trace"
)

// settleTorque gives a job of TORQUE among the resources that are not closed yet the cpus and nodes that it asks for by
// nodes=2:ppn=6 or procs=8: its ncpus is of something else, or lacks. It reports whether it is such a job.
func (b *Batch) settleTorque() bool {
	own := b.resources[b.closed:]
	isMarked, hasCPUs := false, false
	for _, r := range own {
		switch string(r.Name) {
		case "select":
			return false
		case "neednodes", "procs":
			isMarked = true
		case "nodes":
			isMarked = isMarked || bytes.Contains(r.Value, []byte("ppn="))
		case "ncpus":
			hasCPUs = true
		}
	}
	if !isMarked && hasCPUs {
		return false
	}
	asked, ok := trace.TorqueOf(Requested(own))
	if !ok {
		return false
	}
	b.raise("ncpus", asked.CPUs)
	b.raise("nodect", asked.Nodes)
	b.raise("ngpus", asked.GPUs)
	return true
}

// raise gives the record begun last so much of a resource, unless it has more.
func (b *Batch) raise(name string, amount int64) {
	if amount == 0 {
		return
	}
	text := strconv.AppendInt(nil, amount, 10)
	for i := b.closed; i < len(b.resources); i++ {
		if r := &b.resources[i]; string(r.Name) == name {
			if trace.Integer(r.Value) < amount {
				r.Value = text
			}
			return
		}
	}
	b.addResource([]byte(name), text)
}
