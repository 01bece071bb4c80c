package explain

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
	"fairshare/fstree"
)

// Bounds of what is tried in order to turn an order.
const (
	longestWait = 10 * 365 * 24 * 3600 // seconds
	mostShares  = 1_000_000
	largestTree = 200_000 // nodes, for changes of shares, which concern all of them
)

// turner looks for what would let the second of two rows go first. It names
// only changes in which the difference of the two values has one direction.
type turner struct {
	o             *order.Order
	first, second int
	stopped       []string // jobs whose eligible_time stands still, beside those of which the list tells it
	isInCycle     bool     // whether what happens earlier in the cycle may decide between the two
	isOfTurns     bool     // whether it is the turns of their queues that do
	isLifting     bool     // whether what lifts the second job over the threshold is looked for, and not what turns the order
	isUnder       bool     // whether the second job is below it
	points        []compare.TurningPoint
	tried         []string // changes of what alone were tried
	notes         []string
}

// find looks for changes that can act on the key that decides.
func (t *turner) find(key cycle.Key) {
	defer t.sayNone()
	switch key {
	case ByConsidered:
		t.byThreshold()
	case cycle.ByQueue, cycle.ByPreemption:
		t.byQueue()
		t.byPriority()
	case cycle.ByValue:
		t.byValue()
		t.byQueue()
	case cycle.ByFairshare, ByCycle:
		t.isInCycle = t.o.UsageGrows()
		t.byTree()
	case ByTurn:
		t.isInCycle, t.isOfTurns = true, true
		if t.o.Values != nil {
			t.byValue()
		} else {
			t.byTree()
		}
		t.byQueue()
		t.byPriority()
		t.notes = append(t.notes, "other jobs decide, too, which come before these in their queues: of changes of theirs, only more usage of the entity whose job is just ahead is tried, in queue "+t.o.QueueOf(t.second).Name)
	}
}

// byValue looks for changes that can act on the value of the formula.
func (t *turner) byValue() {
	t.byAmount("job_priority", formula.MaxJobPriority, func(from, to float64) string {
		return fmt.Sprintf("%s had job_priority %.0f (now %.0f)", t.name(), to, from)
	})
	t.byWaiting()
	// What other schedulers' algorithms give is not computed anew.
	if t.o.Plan.UsesTree() && len(t.o.Plan.OtherTerms()) == 0 {
		t.byTree()
	}
}

// sayNone says of which changes none reverses the order, where none of those that were tried does.
func (t *turner) sayNone() {
	if len(t.points) == 0 && len(t.tried) > 0 {
		t.notes = append(t.notes, "no single change was found that reverses the order; tried: "+strings.Join(t.tried, ", "))
	}
}

func (t *turner) name() string { return t.o.List.Job(t.second).ID }

func (t *turner) try(first, second order.Change) compare.Trial {
	result, va, vb := t.o.CompareChanged(t.first, t.second, first, second)
	threshold := t.o.Plan.Site.Sched.Threshold
	switch {
	case t.isLifting:
		return compare.Trial{Gain: float64(vb) - threshold, Turned: float64(vb) > threshold}
	case t.isUnder:
		return compare.Trial{Gain: float64(vb) - float64(va), Turned: result > 0 && float64(vb) > threshold}
	}
	return compare.Trial{Gain: float64(vb) - float64(va), Turned: result > 0}
}

// byPriority tries another priority of the second job's queue, for all its jobs: as high as that of the first one's, higher, and that of
// express queues.
func (t *turner) byPriority() {
	own, other := t.o.QueueOf(t.second), t.o.QueueOf(t.first)
	if own.Name == other.Name || own.Name == "" {
		return
	}
	t.tried = append(t.tried, "a higher priority of queue "+own.Name)
	candidates := []int{other.Priority, other.Priority + 1, t.o.Plan.Site.Sched.PreemptQueuePrio}
	slices.Sort(candidates)
	for _, to := range slices.Compact(candidates) {
		if to <= own.Priority || to > mostPriority {
			continue
		}
		changed, err := t.o.UnderSetting("queue."+own.Name+".priority", strconv.Itoa(to))
		if err != nil {
			return
		}
		if first, second := changed.Place(t.first), changed.Place(t.second); second != 0 && (first == 0 || second < first) {
			t.add(t.name(), "queue_priority", float64(own.Priority), float64(to), "queue %s had priority %d (now %d), for all its jobs", own.Name, to, own.Priority)
			return
		}
	}
}

// byThreshold tries what lifts the second job over the threshold that keeps it, and what puts it before the first one as well.
func (t *turner) byThreshold() {
	if !t.o.IsUnderThreshold(t.second) || t.o.Place(t.first) == 0 {
		return
	}
	threshold := t.o.Plan.Site.Sched.Threshold
	lift := *t
	lift.isLifting = true
	lift.byValue()
	for _, p := range lift.points {
		t.notes = append(t.notes, "it would be considered if "+p.Text)
	}
	t.notes = append(t.notes, fmt.Sprintf("it would be considered if job_sort_formula_threshold were below %s (now %s), for all jobs", report.Significant(float64(t.o.Value(t.second)), 6), report.Plain(threshold)))
	_, key := t.o.Compare(t.first, t.second)
	t.isUnder, t.isOfTurns = true, takeTurns(t.o, t.first, t.second, key)
	t.isInCycle = t.isOfTurns || t.o.UsageGrows()
	t.byValue()
}

func (t *turner) add(job, variable string, from, to float64, format string, args ...any) {
	t.points = append(t.points, compare.TurningPoint{Job: job, Variable: variable, From: report.Number(from), To: report.Number(to), Text: fmt.Sprintf(format, args...)})
}

// amount returns the number of a row's variable that the formula has.
func (t *turner) amount(row int, variable string) (x float64, ok bool) {
	v, ok := t.o.Values.Of(row)[variable]
	if !ok {
		return 0, false
	}
	return v.Number()
}

func with(variable string, x float64) order.Change {
	return order.Change{Variables: map[string]float64{variable: x}, Queue: order.OwnQueue}
}

// byAmount tries a larger amount of the second job.
func (t *turner) byAmount(variable string, most float64, text func(from, to float64) string) bool {
	from, ok := t.amount(t.second, variable)
	if !ok || from >= most {
		return false
	}
	t.tried = append(t.tried, "a larger "+variable)
	more, ok := t.least(most-from, func(more float64) compare.Trial { return t.try(order.Unchanged, with(variable, from+more)) },
		func(more float64) (*order.Order, error) { return t.o.UnderAmount(t.second, variable, from+more) })
	if ok {
		t.add(t.name(), variable, from, from+more, "%s", text(from, from+more))
	}
	return ok
}

// byWaiting tries a longer wait of the second job, and whether it is enough
// that both wait on.
func (t *turner) byWaiting() {
	const variable = order.EligibleTime
	turns := t.byAmount(variable, longestWait, func(from, to float64) string {
		other := fmt.Sprintf(", and %s no longer", t.o.List.Job(t.first).ID)
		switch {
		case t.isLifting:
			other = ""
		case t.isOfTurns:
			other = ", and the others no longer"
		}
		return fmt.Sprintf("%s had been eligible for %s longer than it has%s (eligible_time %.0f, now %.0f)", t.name(), report.Span(to-from), other, to, from)
	})
	switch {
	case t.isOfTurns: // where it depends on how long all jobs of their queues wait
		return
	case t.standsStill(t.second):
		t.notes = append(t.notes, fmt.Sprintf("waiting does not reverse the order as long as the eligible_time of %s stands still, as it does now (formula explain %[1]s)", t.name()))
		return
	case turns && t.standsStill(t.first):
		t.notes = append(t.notes, fmt.Sprintf("waiting on reverses the order, if the eligible_time of %s, which does not grow now, stands still for so long", t.o.List.Job(t.first).ID))
		return
	}
	first, ok1 := t.amount(t.first, variable)
	second, ok2 := t.amount(t.second, variable)
	if !turns || !ok1 || !ok2 {
		return
	}
	wait, ok := compare.LeastWhole(longestWait, func(wait float64) compare.Trial {
		return t.try(with(variable, first+wait), with(variable, second+wait))
	})
	if ok {
		t.notes = append(t.notes, fmt.Sprintf("if both wait %s longer and nothing else changes, their order reverses by itself", report.Span(wait)))
	} else {
		t.notes = append(t.notes, "waiting alone does not reverse the order, since both wait")
	}
}

// standsStill reports whether the eligible_time of the job of a row does not grow.
func (t *turner) standsStill(row int) bool {
	return standsStill(t.o, row) || slices.Contains(t.stopped, t.o.List.Job(row).ID)
}

// byTree tries other usage and other shares of the two entities.
func (t *turner) byTree() {
	tree := t.o.Tree
	first, second := t.o.Entity(t.first), t.o.Entity(t.second)
	if first == second {
		return
	}
	loser := tree.Entity(second)
	t.tried = append(t.tried, "other usage of either entity, more shares of "+loser.Name)
	charged := func(id fstree.ID, to float64) compare.Trial {
		defer tree.TryCharge(id, to-tree.Entity(id).Usage)()
		return t.try(order.Unchanged, order.Unchanged)
	}
	// What is printed is whole, and turns the order as it is printed.
	lower := func(less float64) float64 { return math.Floor(loser.Usage - less) }
	if less, ok := t.least(loser.Usage-1, func(less float64) compare.Trial { return charged(second, lower(less)) }, t.under(loser.Name, "usage", lower)); ok {
		to := lower(less)
		t.add(t.name(), "usage", loser.Usage, to, "%s had used %.0f less (%.0f, now %.0f)%s", loser.Name, loser.Usage-to, to, loser.Usage, decay(t.o).Less(loser.Usage, loser.Usage-to, t.running(second)))
	}
	t.byMoreUsage(t.first, charged)
	if ahead, ok := t.aheadInQueue(); ok && t.isOfTurns && t.o.Entity(ahead) != first && t.o.Entity(ahead) != second {
		t.byMoreUsage(ahead, charged)
	}
	if tree.Len() > largestTree || loser.Shares >= mostShares {
		return
	}
	shares := float64(loser.Shares)
	sum := func(more float64) float64 { return shares + more }
	if more, ok := t.least(mostShares-shares, func(more float64) compare.Trial {
		defer tree.TryShares(second, int32(sum(more)))()
		return t.try(order.Unchanged, order.Unchanged)
	}, t.under(loser.Name, "shares", sum)); ok {
		t.add(t.name(), "shares", shares, sum(more), "%s had %.0f shares (now %.0f)", loser.Name, sum(more), shares)
	}
}

// running returns how many listed jobs of an entity run.
func (t *turner) running(entity fstree.ID) (n int) {
	for row := range t.o.List.Len() {
		if t.o.List.Job(row).State == 'R' && t.o.Entity(row) == entity {
			n++
		}
	}
	return n
}

// byMoreUsage tries more usage of the entity of a row, which stands in the way of the second job.
func (t *turner) byMoreUsage(row int, charged func(id fstree.ID, to float64) compare.Trial) {
	id := t.o.Entity(row)
	of := t.o.Tree.Entity(id)
	higher := func(more float64) float64 { return math.Ceil(of.Usage + more) }
	if more, ok := t.least(1e6*t.o.Tree.Entity(fstree.Root).Usage, func(more float64) compare.Trial { return charged(id, higher(more)) }, t.under(of.Name, "usage", higher)); ok {
		to := higher(more)
		t.add(t.o.List.Job(row).ID, "usage", of.Usage, to, "%s had used %.0f more (%.0f, now %.0f)", of.Name, to-of.Usage, to, of.Usage)
	}
}

// aheadInQueue returns the row that is just ahead of the second job in its queue.
func (t *turner) aheadInQueue() (row int, ok bool) {
	for _, other := range t.o.Rows {
		switch {
		case int(other) == t.second:
			return row, ok
		case t.o.List.Job(int(other)).Queue == t.o.List.Job(t.second).Queue:
			row, ok = int(other), true
		}
	}
	return 0, false
}

// under makes the order in which an entity has other usage or other shares.
func (t *turner) under(entity, what string, to func(change float64) float64) func(change float64) (*order.Order, error) {
	return func(change float64) (*order.Order, error) { return t.o.Under(entity, what, to(change)) }
}

// least returns the least change that turns the order. Where other jobs decide as well, since those that start add to usage before the two
// come or their queues give jobs in turn, the order is made anew for each change that is tried, from the one on that turns the two when
// the cycle begins; else the two jobs are compared.
func (t *turner) least(most float64, atBegin func(change float64) compare.Trial, under func(change float64) (*order.Order, error)) (change float64, ok bool) {
	change, ok = compare.LeastWhole(most, atBegin)
	if !t.isInCycle {
		return change, ok
	}
	if !ok {
		change = math.Sqrt(most)
	}
	return compare.LeastAbout(change, most, func(change float64) bool {
		changed, err := under(change)
		if err != nil {
			return false
		}
		first, second := changed.Place(t.first), changed.Place(t.second)
		return second != 0 && (first == 0 || second < first)
	})
}

// byQueue tries the second job in the site's other queues in which it may be, and names the one of the lowest priority that
// would do.
func (t *turner) byQueue() {
	t.tried = append(t.tried, "another queue in which "+t.name()+" may be")
	best, site, job := -1, t.o.Plan.Site, t.o.List.Job(t.second)
	user, group := t.o.List.Users.List[job.User], t.o.List.Groups.Of(job.Group)
	for i, q := range site.Queues { // they are the first of the order's
		if !site.MayMove(t.o.QueueOf(t.second), q, user, group) || best >= 0 && q.Priority >= t.o.Queues[best].Priority {
			continue
		}
		if t.isOfTurns && q.Priority <= t.o.QueueOf(t.second).Priority { // where turns decide again
			continue
		}
		if t.try(order.Unchanged, order.Change{Queue: i}).Turned {
			best = i
		}
	}
	if best >= 0 {
		from, to := t.o.QueueOf(t.second), t.o.Queues[best]
		t.add(t.name(), "queue", float64(from.Priority), float64(to.Priority), "%s were in queue %s, priority %d (now %s, %d), where it may be there",
			t.name(), to.Name, to.Priority, from.Name, from.Priority)
	}
}
