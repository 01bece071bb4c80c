package sched

// A row are the jobs of one class that stand one behind the other in the queue. Where one of them gets neither a start nor a plan
// in a cycle, those behind it do not either, as long as they ask for the same time: a cycle counts them, and looks at none.

// isLike reports whether a cycle would do with a job what it does with another one of its class.
func (j *Job) isLike(other *Job) bool {
	return j.Limit == other.Limit && j.NoLimit == other.NoLimit && j.IsLetIn == other.IsLetIn && j.Licences == nil && j.isDrawn() == other.isDrawn()
}

// reachRow puts those jobs into the queue that follow its last one, are of the class of it, and belong to a row, up to some number, and
// returns how many these are. Only the first and the last of them have their priorities then, so that they have to be given back.
func (e *engine) reachRow(most int, belongs func(j *Job) bool) (n int) {
	r := e.rest
	if len(r.heads) == 0 || len(e.queue) == 0 || r.heads[0] != e.queue[len(e.queue)-1].class {
		return 0
	}
	c := r.heads[0]
	jobs := c.jobs[c.first:]
	var next *Job // the first one of another class
	for i := 1; i < min(3, len(r.heads)); i++ {
		other := r.heads[i]
		if j := other.jobs[other.first]; next == nil || e.compare(j, next) < 0 {
			next = j
		}
	}
	goesFirst := func(i int) bool {
		e.rankOne(jobs[i])
		return next == nil || e.compare(jobs[i], next) < 0
	}
	if n = min(len(jobs), most); n > 0 && !goesFirst(n-1) {
		from, behind := 1, n-1 // it is the head of all
		for from < behind {
			if middle := (from + behind) / 2; goesFirst(middle) {
				from = middle + 1
			} else {
				behind = middle
			}
		}
		n = from
	}
	for i := range n {
		if !belongs(jobs[i]) {
			n = i
			break
		}
	}
	if n <= 0 {
		return 0
	}
	e.rankOne(jobs[n-1])
	e.queue = append(e.queue, jobs[:n]...)
	r.count -= n
	if c.first += n; c.isEmpty() {
		e.dropHead()
	} else {
		e.rankOne(c.jobs[c.first])
		e.sink(0)
	}
	return n
}

// passRow counts those jobs that follow one of which a cycle has made nothing, and of which it would make nothing either.
func (f *backfillRun) passRow(j *Job) {
	e, c := f.engine, j.class
	if f.isPlain || !e.mayPassOver() || f.isSeveral || j.Licences != nil || j.Request.Switches > 0 || f.HasOnePlan || f.ledger.threshold != (Threshold{}) || f.ledger.hasThreshold {
		return
	}
	x := &c.hopeless
	if f.isEnded || !f.holds(x) || x.key.limit != j.Limit { // that of another job
		return
	}
	most := f.mostBeside(j)
	if x.outcome.isTested && f.MaxTest > 0 {
		most = min(most, f.MaxTest-f.tests)
	}
	belongs := func(x *Job) bool { return x.isLike(j) }
	end := f.at
	for end < len(e.queue) && end-f.at < most && e.queue[end].class == c && belongs(e.queue[end]) {
		end++
	}
	if end == len(e.queue) {
		if n := e.reachRow(most-(end-f.at), belongs); n > 0 {
			if f.kept < 0 {
				f.kept = len(f.left) + end - f.at
			}
			end += n
		}
	}
	row := e.queue[f.at:end]
	f.left, f.looked, f.at = append(f.left, row...), append(f.looked, row...), end
	f.count.add(f.ledger, j, len(row))
	f.spared += len(row)
	e.result.rows += len(row)
	if x.outcome.isTested {
		f.tests += len(row)
	}
}
