package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/formula"
	"fairshare/fstree"
)

// sides says how the values of two jobs stand to each other at all values that were tried of the terms that are not known.
type sides struct {
	higher, lower, equal bool // whether the first has the higher value anywhere, the lower one, or the same
}

// decided returns 1 where the first of two jobs has nowhere the lower value and somewhere the higher one, -1 for the other way round.
// ok is false where it depends on what is not known.
func (s sides) decided() (sign int, ok bool) {
	if s.higher && s.lower {
		return 0, false
	}
	switch {
	case s.higher:
		return 1, true
	case s.lower:
		return -1, true
	}
	return 0, s.equal
}

// queuePriority is the one term of a queue.
const queuePriority = "queue_priority"

// unknowns returns values that terms of a tree and the priority of a queue can have, all together; nil where a term is
// among them whose values have no bounds.
func unknowns(names []string) (samples []map[string]formula.Value) {
	usages, shares := []float32{0}, []float32(nil)
	for x := 1e-5; x < 1; x *= 1.9 {
		usages, shares = append(usages, float32(x)), append(shares, float32(x))
	}
	usages, shares = append(usages, 1), append(shares, 1)
	priorities := []int64{-1024, -50, 0, 1, 100, 1023} // which qmgr takes
	if !slices.Contains(names, queuePriority) {
		priorities = priorities[:1]
	}
	for _, usage := range usages {
		for _, share := range shares {
			at := fstree.Entity{TreePercentage: share, TreeUsage: usage}
			of := map[string]formula.Value{}
			for _, name := range names {
				term, isTerm := order.TermNamed(name)
				switch {
				case name == queuePriority:
				case !isTerm || term.Of == nil:
					return nil
				default:
					of[name] = term.ValueOf(term.Of(at))
				}
			}
			for _, priority := range priorities {
				one := maps.Clone(of)
				if slices.Contains(names, queuePriority) {
					one[queuePriority] = formula.Int(priority)
				}
				samples = append(samples, one)
			}
		}
	}
	return samples
}

// row returns the row of a job among those of which terms are known, and whether it is evaluated; any row where no term is known.
func (t *Terms) row(id string) (row int, ok bool) {
	if t.Known == nil {
		return 0, true
	}
	row, err := t.Known.List.Find(id)
	return row, err == nil && t.Known.List.IsEvaluated(row)
}

// valuesOf returns the values of a job's formula at all samples of what is not known. ok is false where one cannot be evaluated.
func (t *Terms) valuesOf(row int, samples []map[string]formula.Value) (values []float32, ok bool) {
	known := map[string]formula.Value{}
	if t.Known != nil {
		known = t.Known.Values.Of(row)
	}
	for _, sample := range samples {
		maps.Copy(known, sample)
		result := t.Formula.Eval(known)
		if result.Err != nil {
			return nil, false
		}
		values = append(values, result.Float32())
	}
	return values, true
}

// compare returns how the values of two rows stand to each other: at the same values of what is not known where both have
// the same of it, and each at any of them otherwise.
func (t *Terms) compare(a, b int, isShared bool) (s sides) {
	samples := unknowns(t.Unknown)
	va, okA := t.valuesOf(a, samples)
	vb, okB := t.valuesOf(b, samples)
	if !okA || !okB || len(va) == 0 {
		return sides{higher: true, lower: true}
	}
	add := func(x, y float32) {
		sign := cmp.Compare(x, y)
		s.higher, s.lower, s.equal = s.higher || sign > 0, s.lower || sign < 0, s.equal || sign == 0
	}
	if !isShared {
		add(slices.Min(va), slices.Max(vb))
		add(slices.Max(va), slices.Min(vb))
		return s
	}
	for i := range va {
		add(va[i], vb[i])
	}
	return s
}

// decide completes the verdict on two rows of an order without a formula where it is the same whatever the terms are that are not
// known, and reports whether it is. Jobs of one user have the same fairshare. Jobs of two queues are left alone: by_queue may have them apart.
func (t *Terms) decide(v *Verdict, o *order.Order, a, b int) bool {
	first, second, key := decide(o, a, b)
	if o.List.Job(a).Queue != o.List.Job(b).Queue || !slices.Contains([]cycle.Key{cycle.ByFairshare, cycle.BySortKey, cycle.ByRank, cycle.ByPlace}, key) {
		return false
	}
	rowA, isKnownA := t.row(o.List.Job(a).ID)
	rowB, isKnownB := t.row(o.List.Job(b).ID)
	if !isKnownA || !isKnownB {
		return false
	}
	entity := o.List.Entities.List[o.List.Job(a).Entity]
	isShared := o.List.Job(a).Entity == o.List.Job(b).Entity
	sign, ok := t.compare(rowA, rowB, isShared).decided()
	if !ok || sign == 0 && !isShared {
		return false
	}
	if sign == 0 {
		v.First, v.Second = o.List.Job(first).ID, o.List.Job(second).ID
		v.Why = fmt.Sprintf("%s goes first unless a job_sort_key says otherwise: the formula %s gives both the same value, and it was queued earlier", v.First, t.Formula.Source())
		v.Notes = append(v.Notes, "sched_config, which an ordinary user may not read, tells whether there is a job_sort_key")
	} else {
		if sign < 0 {
			a, b = b, a
			for i := range v.Parts {
				v.Parts[i].First, v.Parts[i].Second = v.Parts[i].Second, v.Parts[i].First
			}
		}
		v.First, v.Second, v.Key = o.List.Job(a).ID, o.List.Job(b).ID, cycle.ByValue
		v.Why = fmt.Sprintf("%s goes first: its value of the formula %s is the higher one, whatever %s", v.First, t.Formula.Source(), be(t.Unknown, "is", "are"))
	}
	if isShared {
		v.Notes = append(v.Notes, fmt.Sprintf("%s the same of both, jobs of %s, where entities are users: fairshare_entity is euser unless sched_config has another", be(t.Unknown, "is", "are"), entity))
	}
	v.Unplaced = ""
	return true
}
