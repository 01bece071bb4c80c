package sched

import "slices"

// claims are what the jobs of a cycle could start on at once if those went that they may take off their nodes (Slurm's
// select/cons_tres, job_test.c, _will_run_test): one that fits nowhere now, and does without them, is started, and has them
// go for it. slurmctld finds its nodes busy then, and plans it from now on; it starts once they are clean, in the next pass
// that comes to it or in the next cycle.
type claims struct {
	engine  *engine // nil where no cycle takes jobs off their nodes
	cleared map[Place]*outlook
	isLater bool // whether jobs would be taken off their nodes later that are not yet
}

// reset forgets what depends on the jobs that run, since others do now.
func (x *claims) reset() { clear(x.cleared) }

// of returns where a job runs, which says whom it may take off their nodes; nothing where no cycle does that.
func (x *claims) of(j *Job) (in Place) {
	if x.engine != nil {
		in = j.place()
	}
	return in
}

// outlook returns the outlook of a job from which those are gone that it may take off their nodes, nil where there are none.
func (x *claims) outlook(c *cycle, j *Job) *outlook {
	if x.engine == nil {
		return nil
	}
	o, isKnown := x.cleared[j.place()]
	if !isKnown {
		list, isExempt := x.engine.candidates(j, c.machine.Partitions[j.Partition].Nodes)
		if x.isLater = x.isLater || isExempt; len(list) > 0 {
			o = c.outlook.without(list)
		}
		x.cleared[j.place()] = o
	}
	return o
}

// without returns an outlook without some of the jobs that run.
func (o *outlook) without(jobs []*Job) *outlook {
	of := *o
	of.machine, of.future, of.timelines, of.gang, of.running = &Machine{}, Machine{}, &timelines{}, o.gang.clone(), nil
	of.machine.copyFrom(o.machine)
	for _, b := range o.running {
		if slices.Contains(jobs, b.job) {
			of.machine.release(b.job)
			of.gang.remove(b.job)
		} else {
			of.running = append(of.running, b)
		}
	}
	return &of
}

// preempt takes running jobs off some nodes for one that could start there without them.
func (f *backfillRun) preempt(j *Job, among Set) {
	e := f.engine
	was := e.result.Evicted + len(e.leaving)
	_, _, isLater := e.preempt(j, among)
	f.claims.isLater = f.claims.isLater || isLater
	if e.result.Evicted+len(e.leaving) > was { // at once or after their grace time
		f.goOn(e.running, e.uncleanNodes(nil))
		f.remainder.last = len(e.queue) - 1 // limits leave more than before
	}
}
