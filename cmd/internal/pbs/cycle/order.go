package cycle

import "math"

// Fate is what a cycle makes of a job.
type Fate struct {
	Starts int32 // how many subjobs start, 1 for a job that is no array
	IsTop  bool  // whether the job, or the subjob behind those, is planned for later, so that nobody delays it
}

// Order returns the jobs in the order in which the scheduler considers them if every one of them starts, or, with
// static, if none does, and as OrderBy whether another fate might give another order.
func Order(jobs []Job, considered []int32, s Settings, static bool) (order []int32, turns bool) {
	every := Fate{Starts: math.MaxInt32}
	if static {
		every = Fate{}
	}
	return OrderBy(jobs, considered, s, func(int32) Fate { return every })
}

// OrderBy returns the jobs in the order in which a cycle considers them which makes something of each: those that start
// and those that it plans add to the usage of their entities. turns reports whether another fate of them might
// give another order.
func OrderBy(jobs []Job, considered []int32, s Settings, fateOf func(job int32) Fate) (order []int32, turns bool) {
	c := New(jobs, considered, s)
	order = make([]int32, 0, len(considered))
	started := make([]int32, len(jobs))
	seen := make([]bool, len(jobs)) // arrays come once for each subjob
	hasArrays := false
	for i, ok := c.Next(); ok; i, ok = c.Next() {
		if !seen[i] {
			seen[i] = true
			order = append(order, i)
			hasArrays = hasArrays || jobs[i].Subjobs > 1
		}
		switch fate := fateOf(i); {
		case started[i] < fate.Starts:
			started[i]++
			c.Started()
		case fate.IsTop:
			c.Charge(i)
		}
	}
	return order, c.turns || hasArrays && s.Policy.RoundRobin // whose subjobs take turns
}
