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

// unknowns returns values that terms of a tree and the priority of a queue can have: for each of some priorities all that the terms of the
// tree can be; nil where a term is among them whose values have no bounds.
func unknowns(names []string) (samples [][]map[string]formula.Value) {
	ofTree := ofTree(names)
	if ofTree == nil || !slices.Contains(names, QueuePriority) {
		return [][]map[string]formula.Value{ofTree}
	}
	for _, priority := range priorities(len(ofTree)) {
		var of []map[string]formula.Value
		for _, sample := range ofTree {
			one := maps.Clone(sample)
			one[QueuePriority] = formula.Int(priority)
			of = append(of, one)
		}
		samples = append(samples, of)
	}
	return samples
}

// The priorities that qmgr takes for a queue.
const (
	leastPriority = -1024
	mostPriority  = 1023
)

// priorities returns priorities that a queue can have: a few where terms of the tree have many values beside each.
func priorities(beside int) (list []int64) {
	if beside > 1 {
		return []int64{leastPriority, -50, 0, 1, 100, mostPriority}
	}
	for p := int64(leastPriority); p < mostPriority; p++ {
		if p%32 == 0 || -10 <= p && p <= 200 {
			list = append(list, p)
		}
	}
	return append(list, mostPriority)
}

// namesOfTree returns those of some unknown names whose values come from the fairshare tree.
func namesOfTree(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == QueuePriority })
}

// ofTree returns values that those of some terms can have, all together, which come from the fairshare tree; nil where the values of one have
// no bounds.
func ofTree(names []string) (samples []map[string]formula.Value) {
	names = namesOfTree(names)
	if len(names) == 0 {
		return []map[string]formula.Value{{}}
	}
	usages, shares := []float32{0}, []float32(nil)
	for x := 1e-7; x < 1; x *= 2 {
		usages, shares = append(usages, float32(x)), append(shares, float32(x))
	}
	usages, shares = append(usages, 1), append(shares, 1)
	for _, usage := range usages {
		for _, share := range shares {
			at := fstree.Entity{TreePercentage: share, TreeUsage: usage}
			of := map[string]formula.Value{}
			for _, name := range names {
				term, isTerm := order.TermNamed(name)
				if !isTerm || term.Of == nil {
					return nil
				}
				of[name] = term.ValueOf(term.Of(at))
			}
			samples = append(samples, of)
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
func (t *Terms) valuesOf(row int) (values [][]float32) {
	if values, isKnown := t.values[row]; isKnown {
		return values
	}
	if t.values == nil {
		t.values, t.samples = map[int][][]float32{}, unknowns(t.Unknown)
	}
	known := map[string]formula.Value{}
	if t.Known != nil {
		known = t.Known.Values.Of(row)
	}
	t.values[row] = nil
	for _, samples := range t.samples {
		if samples == nil {
			return nil
		}
		var of []float32
		for _, sample := range samples {
			maps.Copy(known, sample)
			result := t.Formula.Eval(known)
			if result.Err != nil {
				return nil
			}
			of = append(of, result.Float32())
		}
		values = append(values, of)
	}
	t.values[row] = values
	return values
}

// compare returns 1 where of two rows the first has somewhere the higher value and nowhere the lower one, -1 for the other way round, and 0
// where both have the same value everywhere: at the same priority of their queue, which is one, at the same values of the tree's terms where
// both have the same of them, and each at any of these otherwise. ok is false where it depends on what is not known.
func (t *Terms) compare(a, b int, isShared bool) (sign int, ok bool) {
	va, vb := t.valuesOf(a), t.valuesOf(b)
	if va == nil || vb == nil {
		return 0, false
	}
	low, high := 0, 0
	for i, va := range va {
		vb := vb[i]
		if !isShared {
			va, vb = []float32{slices.Min(va), slices.Max(va)}, []float32{slices.Max(vb), slices.Min(vb)}
		}
		for i := range va {
			at := cmp.Compare(va[i], vb[i])
			low, high = min(low, at), max(high, at)
		}
	}
	return low + high, low == 0 || high == 0
}

// decide completes the verdict on two rows of an order without a formula where it is the same whatever the terms are that are not
// known, and reports whether it is. Jobs of one user have the same fairshare. Of jobs of two queues that is so where the one that has the
// higher value is in the queue of the higher priority, so that it goes first whether or not sched_config puts queues first.
func (t *Terms) decide(v *Verdict, o *order.Order, a, b int) bool {
	first, second, _ := decide(o, a, b)
	ofTree := namesOfTree(t.Unknown)
	isOfQueue, ahead := o.List.Job(a).Queue == o.List.Job(b).Queue, 0 // by the priorities of their queues
	if pa, pb := priorityOf(o, a), priorityOf(o, b); !isOfQueue && pa != nil && pb != nil && len(ofTree) == len(t.Unknown) {
		ahead = cmp.Compare(*pa, *pb)
	}
	if !isOfQueue && ahead == 0 || !isOfFormula(o, a, b) {
		return false
	}
	rowA, isKnownA := t.row(o.List.Job(a).ID)
	rowB, isKnownB := t.row(o.List.Job(b).ID)
	if !isKnownA || !isKnownB {
		return false
	}
	entity := o.List.Entities.List[o.List.Job(a).Entity]
	isOfOne := o.List.Job(a).Entity == o.List.Job(b).Entity
	sign, ok := t.compare(rowA, rowB, isOfOne || len(ofTree) == 0)
	if !ok || sign == 0 && !isOfOne || !isOfQueue && sign != ahead {
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
		if qa, qb := o.QueueOf(a), o.QueueOf(b); !isOfQueue {
			v.Why += fmt.Sprintf("; and its queue %s (priority %d) comes before %s (%d)", qa.Name, qa.Priority, qb.Name, qb.Priority)
		}
	}
	if isOfOne && len(ofTree) > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("%s the same of both, jobs of %s, where entities are users: fairshare_entity is euser unless sched_config has another", report.Having(ofTree, "is", "are"), entity))
	}
	if len(ofTree) < len(t.Unknown) {
		v.Notes = append(v.Notes, fmt.Sprintf("%s is the same of both, jobs of queue %s", QueuePriority, o.QueueOf(a).Name))
	}
	v.Unplaced = ""
	return true
}

// byValue says of two jobs of two queues which goes first by its value of a formula whose terms of the tree are not known, where nothing
// puts queues first. It is "" where the values may be either way round.
func (t *Terms) byValue(o *order.Order, a, b int) string {
	ofTree := namesOfTree(t.Unknown)
	if o.List.Job(a).Queue == o.List.Job(b).Queue || len(ofTree) < len(t.Unknown) || !isOfFormula(o, a, b) {
		return ""
	}
	rowA, isKnownA := t.row(o.List.Job(a).ID)
	rowB, isKnownB := t.row(o.List.Job(b).ID)
	if !isKnownA || !isKnownB {
		return ""
	}
	isOfOne := o.List.Job(a).Entity == o.List.Job(b).Entity
	sign, ok := t.compare(rowA, rowB, isOfOne)
	if !ok || sign == 0 {
		return ""
	}
	if sign < 0 {
		a = b
	}
	text := fmt.Sprintf("by its value of the formula %s would go first, whatever %s", o.List.Job(a).ID, report.Having(ofTree, "is", "are"))
	if isOfOne {
		text += ", if entities are users (fairshare_entity is euser unless sched_config has another)"
	}
	return text + ", and unless sched_config puts queues first (by_queue, round_robin)"
}

// isOfFormula reports whether the formula is what decides between two jobs of an order without one, as far as the rest of it is known.
func isOfFormula(o *order.Order, a, b int) bool {
	_, _, key := decide(o, a, b)
	return slices.Contains([]cycle.Key{cycle.ByFairshare, cycle.BySortKey, cycle.ByRank, cycle.ByPlace}, key)
}

// byPriority says of two jobs of two queues which goes first by a formula that lacks nothing but the priorities of these: where they have one
// priority, and what of it turns that. It is "" where nothing can be said of all priorities.
func (t *Terms) byPriority(o *order.Order, a, b int) string {
	rowA, isKnownA := t.row(o.List.Job(a).ID)
	rowB, isKnownB := t.row(o.List.Job(b).ID)
	if o.List.Job(a).Queue == o.List.Job(b).Queue || !slices.Equal(t.Unknown, []string{QueuePriority}) || !isKnownA || !isKnownB {
		return ""
	}
	sign, ok := t.compare(rowA, rowB, true)
	if !ok || sign == 0 {
		return ""
	}
	if sign < 0 {
		a, b, rowA, rowB = b, a, rowB, rowA
	}
	first, second := o.List.Job(a).ID, o.List.Job(b).ID
	text := fmt.Sprintf("were their queues of one priority, %s would go first by its value of the formula", first)
	for more := int64(1); more <= mostPriority-leastPriority; more++ {
		turned, of := 0, 0
		for p := int64(leastPriority); p+more <= mostPriority; p += 89 {
			if of++; t.valueAt(rowB, p+more) > t.valueAt(rowA, p) {
				turned++
			}
		}
		switch {
		case turned == of:
			return text + fmt.Sprintf("; %s goes first where queue %s has a priority that is higher by %d or more", second, o.QueueOf(b).Name, more)
		case turned > 0:
			return text
		}
	}
	return text
}

// valueAt returns the value of a job's formula where its queue has a priority.
func (t *Terms) valueAt(row int, priority int64) float32 {
	values := map[string]formula.Value{}
	if t.Known != nil {
		values = t.Known.Values.Of(row)
	}
	values[QueuePriority] = formula.Int(priority)
	return t.Formula.Eval(values).Float32()
}
