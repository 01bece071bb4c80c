package sched

import (
	"cmp"
	"slices"
	"strings"
)

// OrderRule is one of the rules by which Slurm puts one entry of its queue ahead of another, in the order in which it
// asks them (its job_scheduler.c, sort_job_queue2): the first that tells the two apart decides.
type OrderRule byte

// The rules of Slurm's order.
const (
	ByPreemption  OrderRule = iota // a job goes before one that it may preempt
	ByReservation                  // one of a reservation, or attracted by a MAGNETIC one, before one of none
	ByTier                         // of the partition
	ByPriority                     // of the entry
	BySubmission                   // the last one of a job that was requeued
	ByNumber                       // of the job, or of its array and then the task
	ByCircle                       // none of them: others put the later one first, and jobs between the two stand so by preemption, see Precedence.IsCircular
)

// OrderRules are the names of the rules, in their order, and what stands in place of one in a circle.
var OrderRules = []string{"preemption", "reservation", "tier", "priority", "submission", "number", "a circle of preemption"}

func (r OrderRule) String() string { return OrderRules[r] }

// Standing is what the place of an entry of the queue depends on.
type Standing struct {
	QOS            int // its place among those of the Precedence, -1 for one that it does not know
	IsReserved     bool
	Tier, Priority float64
	Submitted      int64 // in seconds
	Number         int64 // of the job, or of its array
	Task           int64 // of the array
}

// Precedence is Slurm's order at a site: it says which of two entries of the queue goes first.
type Precedence struct {
	byTier bool             // whether a job of a higher tier may preempt one of a lower one (preempt/partition_prio)
	over   [][]bool         // by QOS, those whose jobs its jobs may preempt; nil where none may preempt any
	places map[string]int32 // of the QOS, by name in lower case
}

// NewPrecedence returns the order of a site with a PreemptType and some QOS.
func NewPrecedence(preemptType string, qos []QOS) *Precedence {
	p := &Precedence{byTier: strings.EqualFold(preemptType, "preempt/partition_prio"), places: map[string]int32{}}
	for i, q := range slices.Backward(qos) {
		p.places[strings.ToLower(q.Name)] = int32(i)
	}
	if !strings.EqualFold(preemptType, "preempt/qos") {
		return p
	}
	for i, q := range qos {
		for _, name := range q.Preempts {
			at := p.QOSNamed(name)
			if at < 0 {
				continue
			}
			if p.over == nil {
				p.over = make([][]bool, len(qos))
			}
			if p.over[i] == nil {
				p.over[i] = make([]bool, len(qos))
			}
			p.over[i][at] = true
		}
	}
	return p
}

// PreemptionLoop returns the QOS through which one preempts itself, from it back to it, as slurmdbd looks for them (as_mysql_qos.c); nil
// where there is no such loop. One that names itself alone makes none.
func PreemptionLoop(all []QOS, name string) (loop []string) {
	of := map[string][]string{}
	for i := range all {
		of[strings.ToLower(all[i].Name)] = all[i].Preempts
	}
	begin := strings.ToLower(name)
	seen := map[string]bool{}
	var walk func(at string, path []string) []string
	walk = func(at string, path []string) []string {
		for _, next := range of[at] {
			key := strings.ToLower(next)
			switch {
			case key == begin && at != begin:
				return append(path, name)
			case key == begin || seen[key]:
				continue
			}
			seen[key] = true
			if loop := walk(key, append(slices.Clip(path), next)); loop != nil {
				return loop
			}
		}
		return nil
	}
	return walk(begin, []string{name})
}

// Precedence returns the order of the site.
func (s *Setup) Precedence() *Precedence { return NewPrecedence(s.PreemptType, s.QOS) }

// QOSNamed returns the place of a QOS, -1 for one that is not known.
func (p *Precedence) QOSNamed(name string) int {
	if at, ok := p.places[strings.ToLower(name)]; ok {
		return int(at)
	}
	return -1
}

// preempts reports whether a job may preempt another by its QOS.
func (p *Precedence) preempts(a, b *Standing) bool {
	return a.QOS >= 0 && b.QOS >= 0 && p.over[a.QOS] != nil && p.over[a.QOS][b.QOS]
}

// Compare returns a negative number where the first of two entries goes first, a positive one where the second does, and
// 0 where nothing tells them apart, and which rule decides.
func (p *Precedence) Compare(a, b *Standing) (order int, by OrderRule) {
	if p.over != nil {
		switch {
		case p.preempts(a, b):
			return -1, ByPreemption
		case p.preempts(b, a):
			return 1, ByPreemption
		}
	}
	if p.byTier && a.Tier != b.Tier {
		return cmp.Compare(b.Tier, a.Tier), ByPreemption
	}
	switch {
	case a.IsReserved && !b.IsReserved:
		return -1, ByReservation
	case b.IsReserved && !a.IsReserved:
		return 1, ByReservation
	case a.Tier != b.Tier:
		return cmp.Compare(b.Tier, a.Tier), ByTier
	case a.Priority != b.Priority:
		return cmp.Compare(b.Priority, a.Priority), ByPriority
	case a.Submitted != b.Submitted:
		return cmp.Compare(a.Submitted, b.Submitted), BySubmission
	}
	return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Task, b.Task)), ByNumber
}

// IsCircular reports whether three entries may each go before the next: one may preempt a second, which has a higher
// priority than a third, and that one than the first. The order of all then depends on how they are sorted, see Arrange.
func (p *Precedence) IsCircular() bool { return p.over != nil }

// Arrange sorts a list that is in the order of slurmctld's records as slurmctld does: by halves that are merged, as
// qsort of the GNU C library.
func Arrange[T any](list []T, compare func(a, b T) int) { arrange(list, make([]T, len(list)), compare) }

func arrange[T any](list, spare []T, compare func(a, b T) int) {
	if len(list) < 2 {
		return
	}
	half := len(list) / 2
	first, second := list[:half], list[half:]
	arrange(first, spare, compare)
	arrange(second, spare, compare)
	merged := spare[:0]
	for len(first) > 0 && len(second) > 0 {
		if compare(first[0], second[0]) <= 0 {
			merged, first = append(merged, first[0]), first[1:]
		} else {
			merged, second = append(merged, second[0]), second[1:]
		}
	}
	copy(list, append(merged, first...)) // what is left of the second half is in its place
}
