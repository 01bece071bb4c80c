package order

import (
	"fairshare/cmd/internal/slurm/sched"
)

// Step is that one job goes before another by a rule that needs no third one.
type Step struct {
	First  string `json:"first"`
	Second string `json:"second"`
	By     string `json:"by"` // one of sched.OrderRules
}

// MayCircle reports whether jobs of the site may stand in a circle of preemption, so that the place of each depends on others.
func (s *Site) MayCircle() bool { return !s.isAsListed && s.precedence.IsCircular() }

// known returns the standing of a row, with when its job was submitted where that is known.
func (s *Site) known(r *Row) sched.Standing {
	standing := s.standing(r)
	if !r.Job.Submitted.IsZero() {
		standing.Submitted = r.Job.Submitted.Unix()
	}
	return standing
}

// alone returns which of two entries would go first if there were no others, and by which rule.
func (s *Site) alone(a, b sched.Standing) (order int, by sched.OrderRule) {
	if a.Submitted == 0 || b.Submitted == 0 {
		a.Submitted, b.Submitted = 0, 0
	}
	return s.precedence.Compare(&a, &b)
}

// circle returns the circle by which a row stands ahead of one that would go before it if there were no others: the fewest
// steps that lead from the first over rows between the two to the second, and the one that leads back. Each entry of an
// order that is merged goes before the next, so that there are some, but where an entry stands apart or in two places.
func (s *Site) circle(rows []Row, first, second Row) []Step {
	between := rows[first.Rank-1 : second.Rank]
	standings, from, left := make([]sched.Standing, len(between)), make([]int, len(between)), make([]int, 0, len(between))
	for i := range between {
		standings[i] = s.known(&between[i])
		if i > 0 {
			left = append(left, i)
		}
	}
	last := len(between) - 1
	for reached := []int{0}; len(reached) > 0 && from[last] == 0; reached = reached[1:] {
		at, rest := reached[0], left[:0]
		for _, i := range left {
			if order, _ := s.alone(standings[at], standings[i]); order < 0 {
				from[i], reached = at+1, append(reached, i)
			} else {
				rest = append(rest, i)
			}
		}
		left = rest
	}
	if from[last] == 0 {
		return nil
	}
	step := func(a, b int) Step {
		_, by := s.alone(standings[a], standings[b])
		return Step{between[a].Named(), between[b].Named(), by.String()}
	}
	steps := []Step{step(last, 0)}
	for at := last; at > 0; at = from[at] - 1 {
		steps = append([]Step{step(from[at]-1, at)}, steps...)
	}
	return steps
}

// Named returns the number of a row's job, with its partition where it has several.
func (r *Row) Named() string {
	if len(r.Job.Partitions) > 1 {
		return r.Job.ID + "@" + r.Partition
	}
	return r.Job.ID
}

// Ranked returns the priority by which a row is ranked: its own, but of a job of several QOS and one partition that under
// the QOS with which Slurm tried it last.
func (r *Row) Ranked() float64 { return r.ranked }

// Behind reports whether the first of two rows would go behind the second if their priorities were equal, and there were no others.
func (s *Site) Behind(first, second Row) bool {
	a, b := s.known(&first), s.known(&second)
	a.Priority = b.Priority
	order, _ := s.alone(a, b)
	return order > 0
}
