package order

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// Choose returns the rows of the jobs whose user and queue are wanted, at most so many of them
// (0: all), in their order. With all, those that are not considered follow.
func (o *Order) Choose(isWanted func(user, queue string) bool, all bool, most int) []int {
	l := o.List
	var rows []int
	add := func(row int) {
		if job := l.Job(row); isWanted(l.Users.List[job.User], l.Queues.List[job.Queue]) {
			rows = append(rows, row)
		}
	}
	isFull := func() bool { return most > 0 && len(rows) == most }
	for _, row := range o.Rows {
		if isFull() {
			return rows
		}
		add(int(row))
	}
	for row := 0; all && row < l.Len() && !isFull(); row++ {
		if o.Place(row) == 0 {
			add(row)
		}
	}
	return rows
}

// ValueBeside returns the value of the i-th row as PBS logs it, in fewer digits
// where it is long, in more where it would look like another value beside it.
func (o *Order) ValueBeside(rows []int, i int) string {
	const most = 14 // characters
	r := o.Values.Result(rows[i])
	log, value := r.Log(), r.Float32()
	for _, k := range []int{i - 1, i + 1} {
		isNumber := value == value // and not NaN
		if isNumber && k >= 0 && k < len(rows) && o.Values.LookAlike(rows[i], rows[k]) {
			return report.ShortestFloat(value)
		}
	}
	if len(log) > most {
		return report.Significant(float64(value), 6)
	}
	return log
}

// sayRouted says how many jobs wait in each routing queue, and for which queues.
func (o *Order) sayRouted() (remarks []diag.Remark) {
	jobs := map[string]int{}
	for row, why := range o.reasons {
		if why == queueRoutes {
			jobs[o.QueueOf(row).Name]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(jobs)) {
		n, waits, them := jobs[name], "wait", "them"
		if n == 1 {
			waits, them = "waits", "it"
		}
		remarks = append(remarks, diag.Notef("%s %s in routing queue %s, which the scheduler does not look at: the server moves %s when %s takes %s", report.Count(n, "job"), waits, name, them, o.Plan.Site.Queue(name).Takers(), them))
	}
	return remarks
}

// sayReserved says of which reservations with jobs that are considered it is not told whether they have begun.
func (o *Order) sayReserved() []diag.Remark {
	const most = 3 // that are told
	queues, jobs := map[string]bool{}, 0
	for row, why := range o.reasons {
		name := o.QueueOf(row).Name
		isTold := o.Plan.Site.Reserved[name] || slices.ContainsFunc(o.Plan.Site.Queues, func(q pbs.Queue) bool { return q.Name == name })
		if why == isConsidered && trace.IsReservation(name) && !isTold {
			queues[name] = true
			jobs++
		}
	}
	if jobs == 0 {
		return nil
	}
	return []diag.Remark{diag.Notef("%s in queues of reservations (%s): nothing tells whether these have begun, before which no job of theirs is considered (pbs_rstat -f)", report.Count(jobs, "job"), report.Some(slices.Sorted(maps.Keys(queues)), most))}
}

// sayClosed says how many waiting jobs are left out since their queue is closed now or their entity has zero shares, and why.
func (o *Order) sayClosed() []diag.Remark {
	const most = 3
	jobs, n := map[string]int{}, 0
	for row, why := range o.reasons {
		switch why {
		case queueIsClosed, queueIsStopped, hasZeroShares:
			word := o.Reason(row)
			switch {
			case why == hasZeroShares:
				word = "zero shares for fairshare"
			case trace.IsReservation(o.QueueOf(row).Name):
				word = "in a reservation that has not begun"
			}
			jobs[word]++
			n++
		}
	}
	if n == 0 {
		return nil
	}
	words := slices.SortedFunc(maps.Keys(jobs), func(a, b string) int { return cmp.Or(jobs[b]-jobs[a], cmp.Compare(a, b)) })
	var parts []string
	rest := n
	for _, word := range words[:min(most, len(words))] {
		parts = append(parts, fmt.Sprintf("%d: %s", jobs[word], word))
		rest -= jobs[word]
	}
	if rest > 0 {
		parts = append(parts, fmt.Sprintf("%d: other reasons like these", rest))
	}
	return []diag.Remark{diag.Notef("%s not considered now (%s); --all shows them", report.Count(n, "waiting job"), strings.Join(parts, "; "))}
}

// SayUnder says how many of the waiting jobs the threshold of the formula keeps, and whether time lifts them over it. It warns where it keeps
// most of them, or jobs that it does not keep under the formula in force, which orders them otherwise: nil if that is the formula itself.
func (o *Order) SayUnder(inForce *Order) []diag.Remark {
	n, of, before, newly, most := 0, 0, 0, 0, math.Inf(-1)
	for row := range o.List.Len() {
		isUnder := o.IsUnderThreshold(row)
		if isUnder || o.Place(row) > 0 {
			of++
		}
		wasUnder := inForce != nil && inForce.IsUnderThreshold(row)
		if wasUnder {
			before++
		}
		if isUnder {
			n++
			most = max(most, float64(o.Value(row)))
			if inForce != nil && !wasUnder {
				newly++
			}
		}
	}
	if n == 0 {
		return nil
	}
	what := fmt.Sprintf("job_sort_formula_threshold is %s, and ", report.Plain(o.Plan.Site.Sched.Threshold))
	if n == of {
		what += fmt.Sprintf("no job that waits has a higher value (%s, the highest is %s)", report.Count(n, "job"), report.Fixed(most, 2))
	} else {
		what += fmt.Sprintf("%d of %s have no higher value", n, report.Count(of, "waiting job"))
	}
	if inForce != nil {
		what += fmt.Sprintf("; %d under the formula in force", before)
	}
	if o.Plan.Drifts() {
		what += ": they do not start now, and by themselves their values change only with fairshare, as usage decays and others use more"
	} else {
		what += ": they never start, since nothing that their values are made of changes while they wait"
	}
	if newly == 0 && n <= of-n {
		return []diag.Remark{diag.Notef("%s", what).At("job_sort_formula_threshold", 0)}
	}
	return []diag.Remark{diag.Warningf("%s", what).At("job_sort_formula_threshold", 0)}
}

// Drifts reports whether the value of a job that the threshold keeps changes by itself: not by its eligible_time, which does not grow
// meanwhile, but by fairshare, as usage decays and others use more.
func (p *Plan) Drifts() bool { return p.UsesTree() || len(p.OtherTerms()) > 0 }

// Remarks returns what the list met as a whole: of how many values tie, and whether jobs that
// are not considered are shown.
func (o *Order) Remarks(tied int, showsAll bool) []diag.Remark {
	var remarks []diag.Remark
	leftOut := o.LeftOut()
	if all := o.List.Len(); len(o.Rows) == 0 && all > 0 {
		var parts []string
		for _, reason := range slices.Sorted(maps.Keys(leftOut)) {
			parts = append(parts, fmt.Sprintf("%d %s", leftOut[reason], reason))
		}
		hint := "; --all shows them"
		if showsAll {
			hint = ""
		}
		remarks = append(remarks, diag.Notef("0 of %s considered: %s%s", report.Count(all, "job"), strings.Join(parts, ", "), hint))
	}
	remarks = append(remarks, o.sayRouted()...)
	remarks = append(remarks, o.sayReserved()...)
	if len(o.Rows) > 0 && !showsAll {
		remarks = append(remarks, o.sayClosed()...)
	}
	if n := leftOut[reasonTexts[isUnderThreshold].counted]; n > 0 && len(o.Rows) > 0 && !showsAll {
		remarks = append(remarks, diag.Notef("%s not considered, with a value at or below job_sort_formula_threshold: no job runs while it has such a value; --all shows them", report.Count(n, "job")))
	}
	if o.Values != nil {
		counts := o.Values.Errors()
		for i, message := range slices.Sorted(maps.Keys(counts)) {
			remark := diag.Notef("%s: %s, value 0", report.Count(counts[message], "job"), message)
			remark.IsDamage = i == 0 // for all of them, which are told one by one
			remarks = append(remarks, remark)
		}
	}
	if tied > 0 {
		remarks = append(remarks, diag.Notef("%s tie only because PBS keeps values as C floats", report.Count(tied, "job")))
	}
	return append(remarks, o.List.SayUnreadable()...)
}
