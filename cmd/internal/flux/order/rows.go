package order

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/flux"
	"fairshare/cmd/internal/report"
)

// Row is a job that waits, with its place.
type Row struct {
	Job         *flux.Job
	Rank        int     // in the order of all queues, 0 where flux's scheduler does not consider it
	QueueRank   int     // within its queue
	Value       float64 // the priority by which it is ordered: flux's, or where there is none the one computed
	Computed    float64
	Factors     flux.Factors
	FactorQueue string // whose priority is the queue factor
	Why         string // by which inference its factors are known, "" where the lists tell them
	Reason      string // what it waits for besides its turn, "" for nothing
	Limit       string // that holds it, with its value where that is known
	Was         *Row   // at a changed site, the row at the site as it is

	points flux.Points
	cause  string
}

// Rows returns the jobs that wait: those that the scheduler considers in its order, then the others as they came.
func (s *Site) Rows() []Row {
	var rows []Row
	for i := range s.Jobs {
		if s.Jobs[i].Waits() {
			rows = append(rows, s.row(i))
		}
	}
	Sort(rows)
	return rows
}

// row returns the row of a job, without its place; Rank is 1 if it has one.
func (s *Site) row(i int) Row {
	j, k := &s.Jobs[i], s.kept[i]
	r := Row{Job: j, Factors: s.factors(j, k), FactorQueue: k.queue, Why: k.why}
	r.points = s.Weights.Points(r.Factors, j.Urgency)
	r.Computed = s.Weights.Priority(r.Factors, j.Urgency)
	r.Value = j.Priority
	if math.IsNaN(r.Value) {
		r.Value = r.Computed
	}
	switch j.State {
	case "SCHED", "":
		r.Rank = 1
		switch {
		case j.Urgency == flux.Held:
			r.Reason = "held"
		case r.Value == 0:
			r.Reason = "priority-hold"
		}
	default:
		r.Reason = strings.Join(j.Dependencies, ", ")
		if r.Reason == "" {
			r.Reason = strings.ToLower(j.State)
		}
		r.Limit = s.limit(j)
	}
	if r.Rank > 0 && r.Value != r.Computed {
		r.cause = s.causeOf(j, k, r)
	}
	return r
}

// Sort puts rows into flux's order, and numbers those that are considered: by priority, then by the numbers of jobs.
func Sort(rows []Row) {
	slices.SortStableFunc(rows, func(a, b Row) int {
		if isFirst := a.Rank > 0; isFirst != (b.Rank > 0) {
			if isFirst {
				return -1
			}
			return 1
		}
		if a.Rank > 0 {
			if c := cmp.Compare(b.Value, a.Value); c != 0 {
				return c
			}
		}
		return cmp.Compare(a.Job.Number, b.Job.Number)
	})
	in := map[string]int{}
	for i := range rows {
		if r := &rows[i]; r.Rank > 0 {
			in[r.Job.Queue]++
			r.Rank, r.QueueRank = i+1, in[r.Job.Queue]
		}
	}
}

// Difference says by what the priority that flux has differs from the one computed, and what may be the cause; "" where
// they are equal. At a changed site it is that of the site as it is.
func (r Row) Difference() string {
	if r.Was != nil {
		r = *r.Was
	}
	if r.Rank == 0 || math.IsNaN(r.Job.Priority) || r.Job.Priority == r.Computed {
		return ""
	}
	return fmt.Sprintf("%s in flux, %s computed: %s", report.Fixed(r.Job.Priority, 0), report.Fixed(r.Computed, 0), r.cause)
}

// causeOf returns what may be the cause of a difference.
func (s *Site) causeOf(j *flux.Job, k kept, r Row) string {
	isNow := func(f flux.Factors) bool { return s.Weights.Priority(f, j.Urgency) == j.Priority }
	if a := s.users[member(j)]; a != nil && !math.IsNaN(a.Fairshare) {
		f := r.Factors
		if f.Fairshare = a.Fairshare; isNow(f) {
			return fmt.Sprintf("with the fairshare that %s has now, %s, it is flux's", j.User, report.Plain(a.Fairshare))
		}
	}
	for _, q := range s.Queues {
		f := r.Factors
		if f.Queue = q.Priority; isNow(f) {
			return fmt.Sprintf("with the priority of queue %s it is flux's: a submission to it may be missing in the list (flux jobs -a -A --json has those that have ended)", q.Name)
		}
	}
	switch a := s.users[member(j)]; {
	case s.Weights.Queue != 0 && s.queues[k.queue] == nil:
		return fmt.Sprintf("the priority of queue %s is not known, and counts 0", k.queue)
	case a == nil && len(s.users) > 0:
		return fmt.Sprintf("%s is no user of bank %s in the list", j.User, j.Bank)
	case a != nil && !a.IsActive:
		return fmt.Sprintf("%s is disabled in bank %s", j.User, j.Bank)
	}
	if off := j.Priority - r.Computed; s.Weights.Bank != 0 && off == math.Trunc(off) && j.Priority > 0 {
		return fmt.Sprintf("it is flux's if bank %s had priority %s when %s submitted there last, or weights or priorities were edited since the last account-priority-update", j.Bank, report.Plain(k.bank+off/s.Weights.Bank), j.User)
	}
	return "weights or the priorities of queues may have been edited since the last account-priority-update"
}

// limits are those that hold a job before it has a priority, by the dependency that names each: of whom they are, and
// what they are called in the lists of users and queues.
var limits = map[string]struct {
	ofQueue bool
	names   []string
}{
	"max-running-jobs-user-limit": {false, []string{"max_running_jobs"}},
	"max-resources-user-limit":    {false, []string{"max_nodes", "max_cores"}},
	"max-sched-jobs-user-limit":   {false, []string{"max_sched_jobs"}},
	"max-run-jobs-queue":          {true, []string{"max_running_jobs"}},
	"max-resources-queue":         {true, []string{"max_nodes_per_assoc"}},
	"max-sched-jobs-queue-limit":  {true, []string{"max_sched_jobs"}},
	"max-sched-nodes-queue-limit": {true, []string{"max_sched_nodes_per_assoc"}},
	"max-sched-cores-queue-limit": {true, []string{"max_sched_cores_per_assoc"}},
}

// limit names the limits that hold a job, "" for none.
func (s *Site) limit(j *flux.Job) string {
	var said []string
	for _, name := range j.Dependencies {
		l, ok := limits[name]
		if !ok {
			continue
		}
		of, list := fmt.Sprintf("%s in bank %s", j.User, j.Bank), []flux.Limit(nil)
		if a := s.users[member(j)]; a != nil {
			list = a.Limits
		}
		if l.ofQueue {
			of, list = "queue "+j.Queue, nil
			if q := s.queues[j.Queue]; q != nil {
				list = q.Limits
			}
		}
		text := name + " of " + of
		for _, x := range list {
			if slices.Contains(l.names, x.Name) {
				text += fmt.Sprintf(" (%s=%s)", x.Name, x.Most)
			}
		}
		said = append(said, text)
	}
	return strings.Join(said, ", ")
}

// IsLimit reports whether a dependency of a job is the name of a limit.
func IsLimit(dependency string) bool {
	_, ok := limits[dependency]
	return ok
}
