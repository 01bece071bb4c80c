package explain

import (
	"fmt"
	"math"
	"time"

	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
	"fairshare/fstree"
)

// TurningPoint is a change of one number that would turn the order of two jobs.
type TurningPoint struct {
	Job      string        `json:"job"`      // whose number it is
	Variable string        `json:"variable"` // what would have to change
	From     report.Number `json:"from"`
	To       report.Number `json:"to"`
	Text     string        `json:"text"`
}

// Bounds of what is tried in order to turn an order.
const (
	longestWait   = 10 * 365 * 24 * 3600 // seconds
	mostShares    = 1_000_000
	largestTree   = 200_000 // nodes, for changes of shares, which concern all of them
	samples       = 64      // at which the values must change in one direction
	smallInterval = 2048    // in which every whole number is tried
)

// turner looks for what would let the second of two rows go first. It names
// only changes in which the difference of the two values has one direction.
type turner struct {
	o             *order.Order
	first, second int
	points        []TurningPoint
	notes         []string
}

// find looks for changes that can act on the key that decides.
func (t *turner) find(key cycle.Key) {
	switch key {
	case cycle.ByQueue, cycle.ByPreemption:
		t.byQueue()
	case cycle.ByValue:
		t.byAmount("job_priority", formula.MaxJobPriority, func(from, to float64) string {
			return fmt.Sprintf("%s had job_priority %.0f (now %.0f)", t.name(), to, from)
		})
		t.byWaiting()
		// What other schedulers' algorithms give is not computed anew.
		if t.o.Plan.UsesTree() && len(t.o.Plan.OtherTerms()) == 0 {
			t.byTree()
		}
		t.byQueue()
	case cycle.ByFairshare:
		t.byTree()
	}
}

func (t *turner) name() string { return t.o.List.Job(t.second).ID }

// trial is what a change comes to.
type trial struct {
	gain   float64 // the second value above the first
	turned bool    // the second goes first
}

func (t *turner) try(first, second order.Change) trial {
	result, va, vb := t.o.CompareChanged(t.first, t.second, first, second)
	return trial{float64(vb) - float64(va), result > 0}
}

func (t *turner) add(job, variable string, from, to float64, format string, args ...any) {
	t.points = append(t.points, TurningPoint{job, variable, report.Number(from), report.Number(to), fmt.Sprintf(format, args...)})
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
	more, ok := leastWhole(most-from, func(more float64) trial { return t.try(order.Unchanged, with(variable, from+more)) })
	if ok {
		t.add(t.name(), variable, from, from+more, "%s", text(from, from+more))
	}
	return ok
}

// byWaiting tries a longer wait of the second job, and whether it is enough
// that both wait on.
func (t *turner) byWaiting() {
	const variable = "eligible_time"
	turns := t.byAmount(variable, longestWait, func(from, to float64) string {
		return fmt.Sprintf("%s had waited %s longer than it has, and %s no longer (eligible_time %.0f, now %.0f)",
			t.name(), span(to-from), t.o.List.Job(t.first).ID, to, from)
	})
	first, ok1 := t.amount(t.first, variable)
	second, ok2 := t.amount(t.second, variable)
	if !turns || !ok1 || !ok2 {
		return
	}
	wait, ok := leastWhole(longestWait, func(wait float64) trial {
		return t.try(with(variable, first+wait), with(variable, second+wait))
	})
	if ok {
		t.notes = append(t.notes, fmt.Sprintf("if both wait %s longer and nothing else changes, their order reverses by itself", span(wait)))
	} else {
		t.notes = append(t.notes, "waiting alone does not reverse the order, since both wait")
	}
}

// byTree tries other usage and other shares of the two entities.
func (t *turner) byTree() {
	tree := t.o.Tree
	first, second := t.o.Entity(t.first), t.o.Entity(t.second)
	if first == second {
		return
	}
	winner, loser := tree.Entity(first), tree.Entity(second)
	charged := func(id fstree.ID, usage float64) trial {
		defer tree.TryCharge(id, usage)()
		return t.try(order.Unchanged, order.Unchanged)
	}
	if less, ok := leastWhole(loser.Usage-1, func(less float64) trial { return charged(second, -less) }); ok {
		t.add(t.name(), "usage", loser.Usage, loser.Usage-less, "%s had used %.0f less (%.0f, now %.0f)", loser.Name, less, loser.Usage-less, loser.Usage)
	}
	if more, ok := leastWhole(1e6*tree.Entity(fstree.Root).Usage, func(more float64) trial { return charged(first, more) }); ok {
		t.add(t.o.List.Job(t.first).ID, "usage", winner.Usage, winner.Usage+more, "%s had used %.0f more (%.0f, now %.0f)", winner.Name, more, winner.Usage+more, winner.Usage)
	}
	if tree.Len() > largestTree || loser.Shares >= mostShares {
		return
	}
	shares := float64(loser.Shares)
	if more, ok := leastWhole(mostShares-shares, func(more float64) trial {
		defer tree.TryShares(second, int32(shares+more))()
		return t.try(order.Unchanged, order.Unchanged)
	}); ok {
		t.add(t.name(), "shares", shares, shares+more, "%s had %.0f shares (now %.0f)", loser.Name, shares+more, shares)
	}
}

// byQueue tries the second job in other queues and names the one of the lowest
// priority that would do.
func (t *turner) byQueue() {
	best := -1
	for i, q := range t.o.Queues {
		if q.Stopped || best >= 0 && q.Priority >= t.o.Queues[best].Priority {
			continue
		}
		if t.try(order.Unchanged, order.Change{Queue: i}).turned {
			best = i
		}
	}
	if best >= 0 {
		from, to := t.o.QueueOf(t.second), t.o.Queues[best]
		t.add(t.name(), "queue", float64(from.Priority), float64(to.Priority), "%s were in queue %s, priority %d (now %s, %d)",
			t.name(), to.Name, to.Priority, from.Name, from.Priority)
	}
}

// leastWhole returns the least whole change from 1 to most that turns the order.
// ok is false if none does, or if the gain does not grow with the change all
// the way.
func leastWhole(most float64, try func(change float64) trial) (change float64, ok bool) {
	most = math.Floor(most)
	if !(most >= 1) {
		return 0, false
	}
	last := try(0)
	if math.IsNaN(last.gain) || last.turned {
		return 0, false
	}
	steps, at := samples, func(i int) float64 { return math.Floor(math.Pow(most, float64(i)/samples)) }
	if most <= smallInterval {
		steps, at = int(most), func(i int) float64 { return float64(i) }
	}
	for i := 1; i <= steps; i++ {
		t := try(at(i))
		if !(t.gain >= last.gain) || last.turned && !t.turned {
			return 0, false
		}
		last = t
	}
	if !last.turned {
		return 0, false
	}
	low, high := 0., most
	for high-low > 1 {
		middle := math.Floor(low + (high-low)/2)
		if middle <= low || middle >= high {
			break
		}
		if try(middle).turned {
			high = middle
		} else {
			low = middle
		}
	}
	return high, true
}

// span returns a time as people say it.
func span(seconds float64) string {
	if seconds >= 48*3600 {
		return fmt.Sprintf("%.1f days", seconds/86400)
	}
	return (time.Duration(seconds) * time.Second).String()
}
