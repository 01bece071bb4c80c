package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
	"fairshare/fstree"
)

// QueuePriority is the one term of a formula that a queue has.
const QueuePriority = "queue_priority"

// unknowns returns values that terms of a tree and the priority of a queue can have, all together; nil where a term is
// among them whose values have no bounds.
func unknowns(names []string) (samples []map[string]formula.Value) {
	usages, shares := []float32{0}, []float32(nil)
	for x := 1e-7; x < 1; x *= 2 {
		usages, shares = append(usages, float32(x)), append(shares, float32(x))
	}
	usages, shares = append(usages, 1), append(shares, 1)
	priorities := []int64{-1024, -50, 0, 1, 100, 1023} // which qmgr takes
	if !slices.Contains(names, QueuePriority) {
		priorities = priorities[:1]
	}
	for _, usage := range usages {
		for _, share := range shares {
			at := fstree.Entity{TreePercentage: share, TreeUsage: usage}
			of := map[string]formula.Value{}
			for _, name := range names {
				term, isTerm := order.TermNamed(name)
				switch {
				case name == QueuePriority:
				case !isTerm || term.Of == nil:
					return nil
				default:
					of[name] = term.ValueOf(term.Of(at))
				}
			}
			for _, priority := range priorities {
				one := maps.Clone(of)
				if slices.Contains(names, QueuePriority) {
					one[QueuePriority] = formula.Int(priority)
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

// valuesOf returns the values of a job's formula at all samples of what is not known, nil where one cannot be evaluated.
func (t *Terms) valuesOf(row int) (values []float32) {
	if values, isKnown := t.values[row]; isKnown {
		return values
	}
	if t.values == nil {
		t.values, t.samples = map[int][]float32{}, unknowns(t.Unknown)
	}
	known := map[string]formula.Value{}
	if t.Known != nil {
		known = t.Known.Values.Of(row)
	}
	for _, sample := range t.samples {
		maps.Copy(known, sample)
		result := t.Formula.Eval(known)
		if result.Err != nil {
			values = nil
			break
		}
		values = append(values, result.Float32())
	}
	t.values[row] = values
	return values
}

// compare returns 1 where of two rows the first has somewhere the higher value and nowhere the lower one, -1 for the other way round, and 0
// where both have the same value everywhere: at the same values of what is not known where both have the same of it, and each at any of
// them otherwise. ok is false where it depends on what is not known.
func (t *Terms) compare(a, b int, isShared bool) (sign int, ok bool) {
	va, vb := t.valuesOf(a), t.valuesOf(b)
	if va == nil || vb == nil {
		return 0, false
	}
	if !isShared {
		va, vb = []float32{slices.Min(va), slices.Max(va)}, []float32{slices.Max(vb), slices.Min(vb)}
	}
	low, high := 0, 0
	for i := range va {
		at := cmp.Compare(va[i], vb[i])
		low, high = min(low, at), max(high, at)
	}
	return low + high, low == 0 || high == 0
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
	sign, ok := t.compare(rowA, rowB, isShared)
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
		v.Why = fmt.Sprintf("%s goes first: its value of the formula %s is the higher one, whatever %s", v.First, t.Formula.Source(), report.Having(t.Unknown, "is", "are"))
	}
	if isShared {
		v.Notes = append(v.Notes, fmt.Sprintf("%s the same of both, jobs of %s, where entities are users: fairshare_entity is euser unless sched_config has another", report.Having(t.Unknown, "is", "are"), entity))
	}
	v.Unplaced = ""
	return true
}
