package study

import (
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// unmodelled returns warnings of what the site and the record show and a replay does otherwise than
// PBS, each with the jobs and cpu hours that it is about.
func (in *Inputs) unmodelled(w *work.Work) []diag.Remark {
	var lacks []pbs.Lack
	preempts := false
	if in.Site != nil {
		lacks, preempts = in.Site.LacksBeside(in.beside...), true
		if priv := in.Site.SchedPriv; priv != nil {
			preempts = priv.Config.Prime.Preemptive || priv.Config.NonPrime.Preemptive
		}
	}
	lacks = append(lacks, pbs.LacksOfRequests(asked(w))...)
	var remarks []diag.Remark
	add := func(l pbs.Lack, is func(*work.Job) bool) {
		if jobs, hours := weigh(w, is); jobs > 0 {
			remarks = append(remarks, l.Remark(jobs, &hours))
		}
	}
	for _, l := range lacks {
		asks := func(*work.Job) bool { return true }
		if l.Asks != nil {
			asks = asksFor(w, l.Asks)
		}
		add(l, func(j *work.Job) bool { return l.Concerns(w.Trace.Names.List[j.Queue]) && asks(j) })
	}
	add(pbs.Lack{Says: "jobs that somebody suspended, whose stops are left out of their run times"}, func(j *work.Job) bool { return !preempts && len(j.Pauses()) > 0 })
	if holds := in.queuesThatFill(); holds != nil {
		add(pbs.Lack{Says: "max_queued and the like, which keep jobs in routing queues: they come as the record has it, under each policy"}, func(j *work.Job) bool { return holds(w.Trace.Names.List[j.Queue]) })
	}
	return append(append(remarks, in.unplaced(w)...), in.starving(w)...)
}

// queuesThatFill returns what reports whether the jobs of a queue may have waited in a routing queue until a limit let them
// come, nil where no queue routes or no limit is set.
func (in *Inputs) queuesThatFill() func(queue string) bool {
	if in.Site == nil || !slices.ContainsFunc(in.Site.Queues, func(q pbs.Queue) bool { return q.Routes }) {
		return nil
	}
	limits := in.Site.QueuedLimits()
	if len(limits) == 0 {
		return nil
	}
	return func(queue string) bool {
		return slices.ContainsFunc(limits, func(l pbs.Limit) bool { return l.Queue == queue })
	}
}

// asked returns the resources that jobs ask for, each once, also those that are no amounts.
func asked(w *work.Work) []string {
	known, seen := map[int32]bool{}, map[string]bool{}
	for _, j := range w.Jobs {
		if known[j.Job.Request] {
			continue
		}
		known[j.Job.Request] = true
		for part := range strings.FieldsFuncSeq(w.Trace.Names.List[j.Job.Request], func(r rune) bool { return r == trace.RequestEnd || r == ':' || r == '+' }) {
			if name, _, ok := strings.Cut(part, "="); ok {
				seen[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// asksFor returns what reports whether a job asks for one of some resources.
func asksFor(w *work.Work, names []string) func(*work.Job) bool {
	known := map[int32]bool{} // by what jobs ask for, which many have in common
	return func(j *work.Job) bool {
		is, isKnown := known[j.Job.Request]
		if !isKnown {
			asked := string(trace.RequestEnd) + w.Trace.Names.List[j.Job.Request]
			is = slices.ContainsFunc(names, func(name string) bool {
				return strings.Contains(asked, string(trace.RequestEnd)+name+"=") || strings.Contains(asked, ":"+name+"=")
			})
			known[j.Job.Request] = is
		}
		return is
	}
}

// unplaced says which jobs are left out, since they are in the queues of a partition whose scheduler nothing tells of.
func (in *Inputs) unplaced(w *work.Work) []diag.Remark {
	if in.Site == nil {
		return nil
	}
	jobs, hours := 0, 0.
	for _, j := range w.Trace.Jobs {
		if j.IsArray || !in.Site.IsUnplaced(w.Trace.Names.List[j.Queue]) {
			continue
		}
		jobs++
		if seconds, hasRun := j.Length(); hasRun {
			hours += float64(seconds*max(1, j.NCPUs)) / 3600
		}
	}
	if jobs == 0 {
		return nil
	}
	return []diag.Remark{diag.Warningf("not modelled: jobs of queues in a partition, of whose scheduler nothing tells (qmgr -c 'list sched'), which are left out (%s, %.0f cpu hours)", report.Count(jobs, "job"), hours)}
}

// starving says of help_starving_jobs without a level of preempt_prio which jobs it is about: they
// keep their place, and nothing is kept free for them.
func (in *Inputs) starving(w *work.Work) []diag.Remark {
	if in.Site == nil || in.Site.SchedPriv == nil {
		return nil
	}
	config := in.Site.SchedPriv.Config
	helps := config.Prime.HelpStarving || config.NonPrime.HelpStarving
	if !helps || cycle.NewLevels(&in.Site.Sched, in.Site.Queues).Asks(cycle.Starving) {
		return nil
	}
	jobs, hours := weigh(w, func(j *work.Job) bool {
		end := j.Start
		if end == trace.Unknown {
			if end = w.Last; j.Deleted != trace.Unknown {
				end = j.Deleted
			}
		}
		return end-j.Arrival >= config.MaxStarve
	})
	if jobs == 0 {
		return nil
	}
	return []diag.Remark{diag.Warningf("help_starving_jobs has no effect here, as preempt_prio has no starving_jobs: %s (%.0f cpu hours) waited for max_starve (%s) or longer", report.Count(jobs, "job"), hours, report.Duration(float64(config.MaxStarve)))}
}

// weigh returns how many jobs are of a sort, and the cpu hours that they run.
func weigh(w *work.Work, is func(*work.Job) bool) (jobs int, hours float64) {
	for _, j := range w.Jobs {
		if !is(j) {
			continue
		}
		jobs++
		for _, seconds := range j.Runs {
			hours += float64(seconds) * w.Requests[j.Request].Amounts["ncpus"] / 3600
		}
	}
	return jobs, hours
}
