package trace

import "slices"

// Released are jobs that gave vnodes back while they went on, as pbs_release_nodes lets them. They count with all that they
// had when they started.
type Released struct {
	Jobs        int
	CoreSeconds int64  // that they did not have any more, as far as records tell
	Untold      int    // jobs of which no record tells how many cpus they kept
	Example     string // the ID of the first
}

// phase is what a job went on with from a time on.
type phase struct{ from, ncpus int64 }

// release keeps what a job goes on with from a time on. Records of one time tell what it had until then and what it kept, of
// which the least is what it kept.
func (j *Job) release(ncpus, at int64) {
	r := j.makeRare()
	if n := len(r.phases); n == 0 || r.phases[n-1].from != at {
		r.phases = append(r.phases, phase{at, ncpus})
		return
	}
	last := &r.phases[len(r.phases)-1].ncpus
	if ncpus != Unknown && (*last == Unknown || ncpus < *last) {
		*last = ncpus
	}
}

// released counts what a job gave back in its last run, the log of which is read to its end.
func (t *Trace) released(j *Job) {
	if _, isOver := j.Run(); !isOver || j.rare == nil || len(j.rare.phases) == 0 {
		return
	}
	t.Released.Jobs++
	if t.Released.Example == "" {
		t.Released.Example = j.ID
	}
	phases := slices.DeleteFunc(slices.Clone(j.rare.phases), func(p phase) bool { return p.from < j.Start || p.from > j.End || p.ncpus == Unknown })
	slices.SortStableFunc(phases, func(a, b phase) int { return int(a.from - b.from) })
	kept := j.NCPUs
	for i, p := range phases {
		until := j.End
		if i+1 < len(phases) {
			until = phases[i+1].from
		}
		kept = min(kept, p.ncpus)
		t.Released.CoreSeconds += (j.NCPUs - kept) * j.Active(p.from, until)
	}
	if kept == j.NCPUs {
		t.Released.Untold++
	}
}
