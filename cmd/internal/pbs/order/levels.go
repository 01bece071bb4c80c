package order

import (
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// softLimits returns the soft limits on which the order depends: none where they make no
// difference. An error is one of pbs.Site.Limits.
func softLimits(site *pbs.Site) ([]pbs.Limit, error) {
	levels := cycle.NewLevels(&site.Sched, site.Queues)
	if !site.Policy().Preemptive || !levels.Asks(cycle.OverServerLimit|cycle.OverQueueLimit) {
		return nil, nil
	}
	return site.Limits(true)
}

// starves reports whether jobs that wait for long have a preemption level of their own.
func (p *Plan) starves() bool {
	policy := p.Site.Policy()
	return policy.Preemptive && policy.HelpStarving && cycle.NewLevels(&p.Site.Sched, p.Site.Queues).Asks(cycle.Starving)
}

// softUsage counts what runs under the soft limits of a site.
type softUsage struct {
	o      *Order
	used   map[pbs.Limit]float64
	limits map[[4]int32][]pbs.Limit // by the numbers of queue, user, group and project
}

// newSoft returns what runs under soft limits, nil if there are none.
func newSoft(o *Order) *softUsage {
	if len(o.Plan.soft) == 0 {
		return nil
	}
	s := &softUsage{o: o, used: map[pbs.Limit]float64{}, limits: map[[4]int32][]pbs.Limit{}}
	l := o.List
	hasSubjobs := map[string]bool{} // arrays whose subjobs are listed, which are counted themselves
	for row := range l.Len() {
		if array, _, isSubjob := trace.Subjob(l.Job(row).ID); isSubjob {
			hasSubjobs[array] = true
		}
	}
	for row := range l.Len() {
		job := l.Job(row)
		if job.Running == 0 || job.IsRepeated || hasSubjobs[job.ID] {
			continue
		}
		for _, limit := range s.of(job) {
			s.used[limit] += s.need(row, limit) * float64(job.Running)
		}
	}
	return s
}

// of returns the soft limits that a job counts under.
func (s *softUsage) of(job *joblist.Job) []pbs.Limit {
	l := s.o.List
	numbers := [4]int32{job.Queue, job.User, job.Group, job.Project}
	limits, isKnown := s.limits[numbers]
	if !isKnown {
		limits = pbs.LimitsFor(s.o.Plan.soft, l.Queues.List[job.Queue], l.Users.List[job.User], l.Groups.Of(job.Group), l.Projects.Of(job.Project))
		s.limits[numbers] = limits
	}
	return limits
}

// need returns what a job, or a subjob, takes of a limit.
func (s *softUsage) need(row int, limit pbs.Limit) float64 {
	if limit.Resource == "" {
		return 1
	}
	column := slices.Index(s.o.List.Columns, limit.Resource)
	if column < 0 {
		return 0
	}
	return s.o.List.Amount(row, column)
}

// status returns which soft limits a job's user, group, project or queue exceeds with what
// runs, as PBS's check_soft_limits.
func (s *softUsage) status(row int) (status cycle.Status) {
	if s == nil {
		return 0
	}
	for _, limit := range s.of(s.o.List.Job(row)) {
		switch {
		case s.need(row, limit) == 0 || s.used[limit] <= limit.Most:
		case limit.Queue == "":
			status |= cycle.OverServerLimit
		default:
			status |= cycle.OverQueueLimit
		}
	}
	return status
}

// statuses returns what sets the rows apart for their preemption levels, PBS's
// preempt_status.
func (o *Order) statuses(levels *cycle.Levels) []cycle.Status {
	statuses := make([]cycle.Status, o.List.Len())
	limits := newSoft(o)
	eligible := -1
	if o.Plan.starves() {
		eligible = slices.Index(o.List.Columns, EligibleTime)
	}
	isShared := levels.Asks(cycle.OverShare) && o.Tree != nil
	for row := range statuses {
		if isShared && o.Tree.OverShare(o.Entity(row)) {
			statuses[row] |= cycle.OverShare
		}
		if eligible >= 0 && o.Amount(row, eligible) >= float64(o.Plan.Site.SchedPriv.Config.MaxStarve) {
			statuses[row] |= cycle.Starving
		}
		statuses[row] |= limits.status(row)
	}
	return statuses
}

// groupless says of jobs whose group nothing tells that soft limits of groups are not applied to them.
func (o *Order) groupless() []diag.Remark {
	if len(o.Plan.soft) == 0 {
		return nil
	}
	jobs := 0
	for row := range o.List.Len() {
		if j := o.List.Job(row); !j.HasLeft() && o.List.Groups.Of(j.Group) == "" {
			jobs++
		}
	}
	return pbs.Groupless(jobs, o.Plan.soft)
}

// unknownLimits warns of soft limits that a change gives to somebody who has no job in the list
// and is not in the tree.
func (o *Order) unknownLimits() (remarks []diag.Remark) {
	listed := func(kind byte) []string {
		return map[byte]*joblist.Names{'u': &o.List.Users, 'g': &o.List.Groups, 'p': &o.List.Projects}[kind].List
	}
	for c, why := range o.Plan.Site.UnknownLimits(o.Tree, listed) {
		remarks = append(remarks, diag.Warningf("%s=%s: %s", c.Name, c.Value, why))
	}
	return remarks
}

// preempted says what a list of jobs does not tell of those that were preempted.
func (o *Order) preempted() []diag.Remark {
	suspended, mayBe := 0, 0
	for _, row := range o.Rows {
		switch job := o.List.Job(int(row)); {
		case job.IsPreempted:
			suspended++
		case job.HasRun:
			mayBe++
		}
	}
	var remarks []diag.Remark
	if suspended > 1 && !o.List.TellsSuspension {
		remarks = append(remarks, diag.Notef("%s among themselves are in the order of their first starts: the scheduler goes by when it suspended them, which qstat does not tell", report.Count(suspended, "suspended job")))
	}
	if mayBe > 0 && o.Plan.Site.Policy().Preemptive {
		remarks = append(remarks, diag.Notef("%s in state Q run before: one that was preempted and requeued goes before the others of its preemption level, but qstat does not tell which were", report.Count(mayBe, "job")))
	}
	return remarks
}
