package trace

import (
	"bytes"
	"iter"
	"strings"
)

// torqueRecord is what a record has by which TORQUE's are told from those of PBS, and their cpus counted: TORQUE places
// jobs by nodes=N:ppn=P, has no select and no exec_vnode, and its ncpus is not what a job has.
type torqueRecord struct {
	hosts, nodes, procs []byte // exec_host, and what is requested as nodes and procs
	slots, hostCount    int64  // total_execution_slots and unique_node_count, Unknown where they are not said
	isMarked            bool   // whether it has what TORQUE alone writes
	isOfPBS             bool   // whether it has what PBS alone writes
}

// note keeps an attribute of a record.
func (r *torqueRecord) note(name, value []byte) {
	switch string(name) {
	case "exec_host":
		r.hosts = value
	case "exec_vnode", "Resource_List.select":
		r.isOfPBS = true
	case "owner", "Resource_List.neednodes":
		r.isMarked = true
	case "Resource_List.nodes":
		r.nodes = value
	case "Resource_List.procs":
		r.procs = value
	case "total_execution_slots":
		r.slots, r.isMarked = Integer(value), true
	case "unique_node_count":
		r.hostCount, r.isMarked = Integer(value), true
	}
}

// is reports whether a record is TORQUE's.
func (r *torqueRecord) is() bool { return r.isMarked && !r.isOfPBS }

// settle gives a record of TORQUE the cpus and nodes of its job: those that it ran on, or else those that it asked for.
// ncpus counts where it is more, as for a job that asks for several cpus of one node by it alone.
func (e *event) settle(r *torqueRecord, keep Keep) {
	e.isTorque = true
	asked, isAsked := parseTorque(string(r.nodes), string(r.procs))
	cpus, nodes := torqueHosts(string(r.hosts))
	if r.slots > 0 && r.slots <= mostThings {
		cpus = r.slots
	}
	if r.hostCount > 0 && r.hostCount <= mostThings {
		nodes = r.hostCount
	}
	if isAsked && cpus <= 0 {
		cpus = asked.CPUs
	}
	if isAsked && nodes <= 0 {
		nodes = asked.Nodes
	}
	if cpus > 0 && cpus <= mostThings {
		e.request.ncpus = max(cpus, e.request.ncpus)
	}
	if nodes > 0 && nodes <= mostThings {
		e.request.nodes = nodes
	}
	for i, name := range keep.Asked {
		if name == gpuResource && isAsked && asked.GPUs > 0 {
			e.ask(i, len(keep.Asked), float64(asked.GPUs))
			keep.seen.add([]byte(name))
		}
	}
}

// gpuResource is what PBS calls GPUs.
const gpuResource = "ngpus"

// TorqueRequest is what a job asks TORQUE for.
type TorqueRequest struct{ CPUs, Nodes, GPUs int64 }

// parseTorque returns what a job asks for with nodes=2:ppn=6+n01:ppn=2:gpus=1#shared and procs=8, either of which may
// be "". ok is false for what is no such request.
func parseTorque(nodes, procs string) (r TorqueRequest, ok bool) {
	if n := count([]byte(procs)); n > 0 && n <= mostThings {
		r.CPUs, ok = n, true
	}
	nodes, _, _ = strings.Cut(nodes, "#")
	if nodes == "" {
		return r, ok
	}
	for part := range strings.SplitSeq(nodes, "+") {
		head, properties, _ := strings.Cut(part, ":")
		n, each, gpus := int64(1), int64(1), int64(0)
		if isNumber([]byte(head)) {
			n = count([]byte(head))
		}
		for property := range strings.SplitSeq(properties, ":") {
			switch name, value, _ := strings.Cut(property, "="); name {
			case "ppn":
				each = count([]byte(value))
			case "gpus":
				gpus = max(0, count([]byte(value)))
			}
		}
		if n <= 0 || each <= 0 || n > mostThings || product(n, each) > mostThings || product(n, gpus) > mostThings || product(n, each) < 0 || product(n, gpus) < 0 {
			return TorqueRequest{}, false
		}
		r.CPUs, r.Nodes, r.GPUs = r.CPUs+n*each, r.Nodes+n, r.GPUs+n*gpus
		if r.CPUs > mostThings || r.GPUs > mostThings {
			return TorqueRequest{}, false
		}
	}
	return r, true
}

// torqueHosts returns how many slots an exec_host of TORQUE has, and on how many hosts: n1/0+n1/1+n2/0, or with ranges
// n1/0-5,8+n2/0-5.
func torqueHosts(text string) (slots, hosts int64) {
	if text == "" {
		return 0, 0
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, "+") {
		host, numbers, isSlot := strings.Cut(part, "/")
		if !isSlot || host == "" {
			continue
		}
		seen[host] = true
		for number := range strings.SplitSeq(numbers, ",") {
			first, last, isRange := strings.Cut(number, "-")
			if a, b := count([]byte(first)), count([]byte(last)); isRange && a >= 0 && b >= a && b-a < mostThings {
				slots += b - a
			}
			slots++
		}
	}
	return slots, int64(len(seen))
}

// TorqueOf returns what a job asks TORQUE for by the names and amounts of resources. ok is false for a job of PBS, and for
// one that asks for neither nodes nor procs.
func TorqueOf(requested iter.Seq2[[]byte, []byte]) (r TorqueRequest, ok bool) {
	var nodes, procs []byte
	for name, value := range requested {
		switch {
		case string(name) == "select":
			return r, false
		case string(name) == "nodes":
			nodes = value
		case string(name) == "neednodes" && nodes == nil:
			nodes = value
		case string(name) == "procs":
			procs = value
		}
	}
	if nodes == nil && procs == nil {
		return r, false
	}
	return parseTorque(string(bytes.TrimSpace(nodes)), string(bytes.TrimSpace(procs)))
}

// IsTorque reports whether TORQUE has run jobs of a trace: its logs look like those of PBS, and are another scheduler's.
func (t *Trace) IsTorque() bool { return t.isTorque }

// SetTorque says so of a trace that is made of a list.
func (t *Trace) SetTorque(is bool) { t.isTorque = is }
