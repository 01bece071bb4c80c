package sched

import (
	"slices"
	"strings"
)

// shareGRES finds what jobs have of the GRES of their nodes and what that and their memory are where their requests do not
// come to it.
func (x *shareOut) shareGRES(jobs []Holding) {
	has := make([][]Use, len(jobs))
	for i := range jobs {
		h := &jobs[i]
		for at, of := range h.Job.Shares {
			has[i] = append(has[i], Use{CPUs: of.CPUs, Memory: x.setup.memoryOf(h, at), GRES: make([]int32, len(x.setup.GRES))})
		}
	}
	for k, kind := range x.setup.GRES {
		if !strings.Contains(kind, ":") {
			x.shareKind(jobs, has, k)
		}
	}
	for k, kind := range x.setup.GRES {
		if of, _, isType := strings.Cut(kind, ":"); isType {
			x.shareType(jobs, has, k, slices.Index(x.setup.GRES, of))
		}
	}
	for i := range jobs {
		if j := jobs[i].Job; x.isOther(j, has[i]) {
			j.Has = has[i]
		}
	}
}

// told returns what a site says that a job has of a kind of GRES of one of its nodes, negative where nothing says it.
func (x *shareOut) told(h *Holding, at, kind int) int32 {
	switch {
	case h.Told != nil:
		return h.Told[at].gres(kind)
	case len(h.Nodes) == 1:
		return h.Given.gres(kind)
	case h.Request.Exclusive:
		return x.used[h.Nodes[at]].gres(kind)
	}
	return -1
}

// asked returns how much of a kind of GRES the request of a job comes to on one of its nodes.
func (x *shareOut) asked(h *Holding, at, kind int) int32 {
	return h.Request.gresOn(kind, h.Request.runsOn(&x.setup.Nodes[h.Nodes[at]], h.Job.Shares[at].CPUs))
}

// shareKind finds what jobs have of a kind of GRES of each of their nodes.
func (x *shareOut) shareKind(jobs []Holding, has [][]Use, kind int) {
	var open []share
	number := map[*Holding]int{}
	for i := range jobs {
		h := &jobs[i]
		number[h] = i
		r := h.Request
		isOpen := len(h.Nodes) > 1 && !r.Exclusive && (kind < len(r.JobGRES) && r.JobGRES[kind] > 0 || kind < len(r.TaskGRES) && r.TaskGRES[kind] > 0)
		for at, node := range h.Nodes {
			n := x.told(h, at, kind)
			if n < 0 && isOpen {
				open = append(open, share{h, at, node})
				continue
			} else if n < 0 {
				n = x.asked(h, at, kind)
			}
			has[i][at].GRES[kind] = n
			x.left[node].GRES[kind] -= n
		}
	}
	for _, part := range x.parts(open) {
		values, ok := x.sumsOfGRES(part, kind).solve()
		for i, o := range part {
			to := &has[number[o.holding]][o.at].GRES[kind]
			if *to = x.asked(o.holding, o.at, kind); ok {
				*to = int32(values[i])
			}
		}
	}
}

// sumsOfGRES returns what is known of a kind of GRES of some shares: of each job and of each node how much it is together.
func (x *shareOut) sumsOfGRES(part []share, kind int) *sums {
	of := &sums{}
	inJob, inNode := map[*Holding]int{}, map[int32]int{}
	for i, o := range part {
		total := o.request().AllGRES(kind, int32(len(o.holding.Nodes)))
		of.add(addend{high: total, step: 1, wanted: int64(x.asked(o.holding, o.at, kind))})
		job, isKnown := inJob[o.holding]
		if !isKnown {
			job = of.equal(total)
			inJob[o.holding] = job
		}
		of.put(job, i, 1)
		node, isKnown := inNode[o.node]
		if !isKnown {
			node = of.atMost(int64(x.left[o.node].GRES[kind]))
			of.list[node].isEqual = x.used[o.node].gres(kind) >= 0
			inNode[o.node] = node
		}
		of.put(node, i, 1)
	}
	return of
}

// shareType finds what jobs have of a type of a kind of GRES: on nodes that have no other type, all that they have of the kind.
func (x *shareOut) shareType(jobs []Holding, has [][]Use, kind, of int) {
	for i := range jobs {
		h := &jobs[i]
		for at, node := range h.Nodes {
			n, to := &x.setup.Nodes[node], &has[i][at].GRES[kind]
			switch told := x.told(h, at, kind); {
			case of >= 0 && n.GRES[kind] == n.GRES[of]:
				*to = has[i][at].GRES[of]
			case n.GRES[kind] == 0:
			case told >= 0:
				*to = told
			default:
				*to = x.asked(h, at, kind)
			}
		}
	}
}

// isOther reports whether a job has something else of its nodes than its request comes to.
func (x *shareOut) isOther(j *Job, has []Use) bool {
	for at, of := range j.Shares {
		n := &x.setup.Nodes[of.Node]
		if !x.setup.HasNoMemory && has[at].Memory != j.Request.memoryOn(n, of.CPUs) {
			return true
		}
		for k, amount := range has[at].GRES {
			if amount != j.Request.gresOn(k, j.Request.runsOn(n, of.CPUs)) {
				return true
			}
		}
	}
	return false
}
