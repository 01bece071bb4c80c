package nodes

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/report"
)

// hold takes what vnodes say that jobs have there which the list does not have.
// A vnode that names a job which waits by the list is of another time, and says nothing of now. From those that take no job by
// their state it keeps all jobs but those of a queue. What lost jobs had there is free, and a vnode of one takes others; what those had that
// the list does not have is not known, and stays in use.
func (r *reader) hold(queue string, lost []lostJob, unlisted []string) {
	isLost := func(id string) bool {
		return slices.Contains(unlisted, id) || slices.ContainsFunc(lost, func(j lostJob) bool { return j.id == id })
	}
	for told := range r.Listing.Vnodes() {
		v, ok := r.Cluster.Number(told[""])
		if !ok || r.away[told[""]] { // nothing is left on one that is down
			continue
		}
		has := assignedOf(told)
		slots := cluster.JobsOn(told["jobs"])
		if r.Cluster.IsTorque {
			has["ncpus"] = report.Plain(float64(len(slots)))
		}
		if !slices.ContainsFunc(slots, r.waits) {
			gone := slices.DeleteFunc(slices.Clone(lost), func(j lostJob) bool { return !slices.Contains(slots, j.id) })
			for _, j := range gone { // since the vnode tells it with the rest
				r.state.Occupy(j.had)
			}
			r.state.Hold(v, has)
			for _, j := range gone {
				r.state.Release(j.had)
			}
			if len(gone) == 0 {
				r.close(v, told["state"], queue)
			}
		}
		for _, id := range slots {
			isKnown := slices.ContainsFunc(r.jobs[v], func(j nodes.Job) bool { return j.ID == id }) || isLost(id)
			if !isKnown && !r.isStopped(id) {
				r.add(v, r.unlisted(id))
			}
		}
	}
}

// noJobsTold says why it is not told which jobs run on vnodes, and what tells it.
const noJobsTold = "the vnodes have no jobs = lines, and no list of jobs with their vnodes is there, so that neither which jobs run where is told, nor whether one has a vnode for itself, of which what it leaves counts as free (qstat -f tells)"

// noJobsInShort says so in short.
const noJobsInShort = "which jobs run where is not told (qstat -f tells): of a vnode that one has for itself, what it leaves counts as free"

// isUntold reports whether jobs have something of the vnodes, and nothing tells which.
func (r *reader) isUntold() bool {
	if len(r.known)+len(r.jobs) > 0 {
		return false
	}
	for told := range r.Listing.Vnodes() {
		if len(cluster.JobsOn(told["jobs"])) > 0 {
			return false
		}
	}
	for v := range int32(len(r.Cluster.Vnodes)) {
		if free, all := r.state.Has(v, "ncpus"); free < all && len(r.kept[v]) == 0 {
			return true
		}
	}
	for _, row := range r.rows {
		if row.State == 'R' || row.State == 'E' {
			return true
		}
	}
	return false
}

// assignedOf returns what a vnode says that jobs have of it.
func assignedOf(told map[string]string) map[string]string {
	has := map[string]string{}
	for name, value := range told {
		if resource, ok := strings.CutPrefix(name, "resources_assigned."); ok {
			has[resource] = value
		}
	}
	return has
}

// lostUnlisted returns the jobs that the list does not have and that run, as vnodes tell, on one which goes down.
func (r *reader) lostUnlisted() (ids []string) {
	for told := range r.Listing.Vnodes() {
		if !r.away[told[""]] {
			continue
		}
		for _, id := range cluster.JobsOn(told["jobs"]) {
			if r.known[id] == 0 && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// close keeps jobs from a vnode that takes none by its state, such as a busy or job-exclusive one, but for those of the queue
// of a reservation that has something there.
func (r *reader) close(v int32, state, queue string) {
	if r.state.IsAway(v) || !cluster.TakesNone(state) {
		return
	}
	if r.closed[v] = true; !slices.Contains(r.kept[v], "reserved="+queue) {
		r.state.SetAway(v, true)
	}
}

// waits reports whether a job waits by the list.
func (r *reader) waits(id string) bool {
	state := r.known[id]
	return state != 0 && strings.ContainsRune("QHWT", rune(state))
}

// isStopped reports whether a job of the list does not run, as one that is suspended: a vnode names it, and it has nothing.
func (r *reader) isStopped(id string) bool {
	state := r.known[id]
	return state != 0 && !strings.ContainsRune("REU", rune(state))
}

// unlisted returns a job that a vnode names, with what the list says of it.
func (r *reader) unlisted(id string) nodes.Job {
	for _, n := range r.Now {
		if n.ID == id {
			return nodes.Job{ID: id, User: r.Past.Names.List[n.User], End: r.end(n)}
		}
	}
	return r.tabled(id)
}
