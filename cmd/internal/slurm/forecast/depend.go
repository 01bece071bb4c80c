package forecast

import (
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
)

// Jobs that wait for others (sbatch --dependency): they come when these have started or are over, all of which end well.

// followedKinds are the kinds of dependencies that are forecast. That a job ends badly (afternotok) is not.
var followedKinds = map[string]sched.DependencyKind{"after": sched.AfterStart, "afterany": sched.AfterEnd, "afterok": sched.AfterOK, "aftercorr": sched.AfterOK, "singleton": sched.AfterEnd}

// follow holds the jobs of the list that do not start as things are, with what each that waits for others waits for, and has of the
// others what Slurm says of limits that are not known here.
func (s *Site) follow() {
	s.followOthers()
	s.state = s.state.HeldBy(func(id string) (why, comment string) { return s.listed[id].why, s.commentOn(s.listed[id]) })
}

// followOthers gives the jobs of the list that wait for others what they wait for, and finds those of which nothing tells when that is met.
func (s *Site) followOthers() {
	waiting, texts := map[string]*slurm.Dependency{}, map[string]string{}
	for i := range s.Queue {
		n := &s.Queue[i]
		if d, ok := slurm.ParseDependency(n.Dependency); ok && n.State == "PENDING" {
			for _, id := range idsOf(n) {
				if p, isListed := s.listed[id]; isListed && p.why == "" {
					waiting[id], texts[id] = &d, n.Dependency
				}
			}
		}
	}
	if len(waiting) == 0 {
		return
	}
	parents := s.parents(false)
	ids := slices.Sorted(maps.Keys(waiting))
	for hasChanged := true; hasChanged; { // those that wait for one that is held are held as well
		hasChanged = false
		for _, id := range ids {
			p := s.listed[id]
			if p.why != "" {
				continue
			}
			var isMet bool
			if p.Depends, isMet = parents.dependency(waiting[id], id); p.Depends == nil && !isMet {
				p.why, p.isChanging, hasChanged = heldFor(texts[id]), false, true
				s.listed[id] = p
			}
		}
	}
}

// heldFor says that a job waits for others, and for which as Dependency of scontrol or --dependency of sbatch names them.
func heldFor(dependency string) string {
	if dependency == "" {
		return outcome.HeldForJobs
	}
	return outcome.HeldForJobs + ": " + dependency
}

// dependency returns what the job of an ID waits for, nil where that is met already, or where nothing tells when it is.
func (p *parents) dependency(d *slurm.Dependency, id string) (of *sched.Dependency, isMet bool) {
	of = &sched.Dependency{Any: d.Any}
	var names []string
	for i := range d.Conditions {
		c := &d.Conditions[i]
		jobs, isKnown := p.of(c, id)
		_, isFollowed := followedKinds[c.Kind]
		isHeld := slices.ContainsFunc(jobs, func(job string) bool { return p.listed[job].why != "" })
		switch isStuck := c.State == "failed" || !isKnown || !isFollowed || isHeld; {
		case c.State == "fulfilled" || !isStuck && len(jobs) == 0:
			if d.Any {
				return nil, true
			}
			continue
		case isStuck && d.Any:
			continue
		case isStuck:
			return nil, false
		}
		condition := sched.Condition{Kind: followedKinds[c.Kind], Delay: 60 * c.Minutes}
		for _, job := range jobs {
			condition.Jobs = append(condition.Jobs, p.listed[job].ID)
		}
		of.Conditions, names = append(of.Conditions, condition), append(names, jobs...)
	}
	if len(of.Conditions) == 0 {
		return nil, !d.Any
	}
	of.Reason = sched.WaitsForJobs + " (it waits for job " + names[0] + ")"
	if len(names) > 1 {
		of.Reason = sched.WaitsForJobs + " (it waits for " + report.Count(len(names), "job") + ": " + report.First(names) + ")"
	}
	return of, false
}

// setDependency gives a job what it is asked to wait for.
func (o *offer) setDependency(j *sched.Job) error {
	text, ok := o.asked["dependency"]
	if !ok {
		return nil
	}
	if _, isTaken := slurm.SubmittedDependency(text); !isTaken {
		return refused("Job dependency problem", "dependency=%s is none on jobs by their numbers, such as afterok:103, nor singleton", text)
	}
	j.Depends, _ = o.depends()
	return nil
}

// awaits reports whether what a job waits for is still to come about: not where jobs have begun long enough ago that it names with after.
func (s *Site) awaits(d *sched.Dependency) bool {
	if d == nil {
		return false
	}
	started := map[int]int64{}
	for _, p := range s.listed {
		started[p.ID] = p.Start
	}
	isOpen := func(c sched.Condition) bool {
		return slices.ContainsFunc(c.Jobs, func(id int) bool {
			return c.Kind != sched.AfterStart || started[id] == 0 || started[id]+c.Delay > s.At
		})
	}
	if d.Any {
		return !slices.ContainsFunc(d.Conditions, func(c sched.Condition) bool { return !isOpen(c) })
	}
	return slices.ContainsFunc(d.Conditions, isOpen)
}

// depends returns what a job that is asked for waits for (--dependency), and whether nothing tells when that is met. Jobs that the
// list does not have are taken to have ended as it asks.
func (o *offer) depends() (of *sched.Dependency, isStuck bool) {
	d, ok := slurm.SubmittedDependency(o.asked["dependency"])
	d.Conditions = slices.DeleteFunc(d.Conditions, func(c slurm.DependencyCondition) bool { return c.Kind == "singleton" })
	if !ok || len(d.Conditions) == 0 {
		return nil, false
	}
	of, isMet := o.parents().dependency(&d, forecast.NewID)
	return of, of == nil && !isMet
}

// ofDependencies says what is taken of the jobs of the list that wait for others.
func (s *Site) ofDependencies() (remarks []diag.Remark) {
	var followed, stuck, untold, unsaid []string
	for i := range s.Queue {
		n := &s.Queue[i]
		if n.State != "PENDING" {
			continue
		}
		_, isRead := slurm.ParseDependency(n.Dependency)
		isSaid := strings.HasPrefix(strings.ReplaceAll(n.Reason, " ", ""), "Dependency") && slurm.ReasonNamed(n.Reason).Fate == slurm.ReasonDecided
		p, isListed := s.listed[firstOf(idsOf(n))]
		switch {
		case !isListed:
		case isSaid && !isRead:
			untold = append(untold, n.ID)
		case p.Depends != nil:
			if followed = append(followed, n.ID); !isSaid {
				unsaid = append(unsaid, n.ID)
			}
		case strings.HasPrefix(p.why, outcome.HeldForJobs):
			stuck = append(stuck, n.ID)
		}
	}
	// The row of each such job says what it waits for: a page for one person does not tell of those of others.
	say := func(ids []string, remark func(format string, args ...any) diag.Remark, short, text string) {
		if ids == nil {
			return
		}
		jobs := report.Count(len(ids), "waiting job")
		said := remark("%s: %s", jobs, text).OfJobs(ids)
		if short != "" {
			said = said.Briefly("%s (%s): %s", jobs, report.First(ids), short)
		}
		remarks = append(remarks, said)
	}
	say(followed, diag.Generalf, "", "waiting for others (--dependency), to come when these have started or ended, as was asked; all jobs are taken to end well")
	say(unsaid, diag.Warningf, "taken to wait for the jobs that they name (Dependency)", "each names jobs for which it waits (Dependency), and Slurm says that it waits for something else: taken to wait for these jobs as well")
	say(untold, diag.Warningf, "nothing is forecast, for it is not told which jobs they wait for", "Slurm says of each that it waits for others, and not for which in a way that can be read (Dependency of scontrol show job): nothing is forecast of it")
	say(stuck, diag.Warningf, "no start is forecast, for nothing tells when what they wait for (Dependency) comes about", "each waits for jobs that do not start or go on as things are, that the list lacks, that are behind the first 1000 tasks of an array, or of which it is not forecast that they end badly (afternotok): nothing is forecast of it")
	return remarks
}

// firstOf returns the first of some IDs, "" for none.
func firstOf(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return ids[0]
}
