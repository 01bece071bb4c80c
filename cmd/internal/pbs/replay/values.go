package replay

import (
	"math"
	"slices"

	"fairshare/cmd/internal/pbs/order"
	"fairshare/formula"
)

// values computes what the formula comes to for jobs that wait.
type values struct {
	at        *situation
	usage     *usage
	clocks    *clocks
	program   *formula.Program // nil without a formula
	variables []formula.Variable
	sources   []source
	treeTerms []order.Term // by variable, for those that come from the tree
	evaluator *formula.Evaluator
	columns   []order.Term // of job_sort_key; without Of, those that are not of the tree

	usesEligible bool // so that jobs of a group differ in value by when they came
	rises        bool // whether no value falls while eligible_time grows

	terms     [][]formula.Value // by variable, then entity: those of the tree at this cycle that are not PBS's
	numbers   [][]float64       // likewise those that are
	raw       [][]float64       // likewise, before they are rounded
	current   []uint64          // by entity, the cycle that its terms are of
	turned    []uint64          // by entity, the cycle at which any of its terms was last another one than before
	steady    []steadiness      // by entity, in which place in the tree its terms stay what they are
	usageTerm int               // which variable is tree usage, see steadyTerms
	others    uint64            // the cycle that other schedulers' terms are of
	amounts   []float64         // of fixed
	values    []formula.Value   // likewise
	keys      []float64         // of sortKeys
	shared    map[string]*sharedValue
	come      []*sharedValue // those that have got jobs since they were last put in order
	rows      []*sharedValue // memory of evaluateShared
	list      []*sharedValue // memory of evaluate
	errors    map[string]int // how often evaluations failed, by what they said
}

// source is where the value of a variable comes from.
type source byte

const (
	fromJob source = iota // and never changes
	fromQueue
	fromEligible
	fromAccrueType
	fromTree
	fromNothing // 0 of all jobs
)

// batch is how many jobs are evaluated at a time.
const batch = 1024

func newValues(at *situation, p *order.Plan, usage *usage, clocks *clocks) (*values, error) {
	v := &values{at: at, usage: usage, clocks: clocks, variables: p.Variables(), shared: map[string]*sharedValue{}, errors: map[string]int{}}
	for _, key := range at.policy.SortKeys {
		column := order.KeyName(key.Resource)
		term, _ := order.TermNamed(column)
		term.Name = column
		v.columns = append(v.columns, term)
	}
	if p.Formula == nil {
		return v, nil
	}
	var names []string
	for _, variable := range v.variables {
		names = append(names, variable.Name)
		from := fromJob
		switch {
		case variable.Origin == formula.FromQueue:
			from = fromQueue
		case variable.Origin == formula.FromTree || variable.Origin == formula.Additional:
			from = fromTree
		case variable.Name == order.EligibleTime && !p.Site.Accrues():
			from = fromNothing
		case variable.Name == order.EligibleTime:
			from, v.usesEligible = fromEligible, true
		case variable.Name == "accrue_type":
			from, v.usesEligible = fromAccrueType, true
		}
		v.sources = append(v.sources, from)
		term, _ := order.TermNamed(variable.Name)
		v.treeTerms = append(v.treeTerms, term)
	}
	var err error
	if v.program, err = formula.Compile(p.Formula, names); err != nil {
		return nil, err
	}
	v.rises = p.Formula.Rises(order.EligibleTime)
	v.evaluator = v.program.NewEvaluator(batch)
	v.terms, v.numbers, v.raw = make([][]formula.Value, len(v.variables)), make([][]float64, len(v.variables)), make([][]float64, len(v.variables))
	for i := range v.terms {
		if v.sources[i] == fromTree && v.treeTerms[i].Of != nil {
			v.numbers[i], v.raw[i] = make([]float64, len(at.entities.Names)), make([]float64, len(at.entities.Names))
		}
	}
	v.current, v.turned = make([]uint64, len(at.entities.Names)), make([]uint64, len(at.entities.Names))
	v.steady, v.usageTerm = make([]steadiness, len(at.entities.Names)), v.steadyTerms()
	v.values = make([]formula.Value, len(v.variables))
	return v, nil
}

// changeWithTime reports whether time alone can change the order of jobs or bring a value over
// the threshold.
func (v *values) changeWithTime() bool {
	isOfTree := func(t order.Term) bool { return t.Of != nil }
	changes := func(s source) bool { return s == fromTree || s == fromAccrueType }
	return v.usesEligible || v.at.policy.FairShare || slices.ContainsFunc(v.sources, changes) || slices.ContainsFunc(v.columns, isOfTree)
}

// isOrdered reports whether the order of a group's jobs is that in which they came.
func (v *values) isOrdered() bool { return !v.usesEligible || v.rises }

// amount returns what a job has of a resource, or its priority.
func (v *values) amount(t *terms, name string) float64 {
	switch name {
	case "walltime":
		return float64(max(0, t.walltime))
	case "job_priority":
		return float64(t.priority)
	}
	return v.at.work.Requests[t.request].Amounts[name]
}

// fixed returns the values of the variables that never change for a job, and those
// that set it apart from others as numbers. Both are used again by the next call.
func (v *values) fixed(t *terms) ([]formula.Value, []float64) {
	v.amounts = v.amounts[:0]
	for i, variable := range v.variables {
		switch v.sources[i] {
		case fromJob:
			x := v.amount(t, variable.Name)
			v.values[i], _ = formula.Amount(x)
			v.amounts = append(v.amounts, x)
		case fromQueue:
			v.values[i] = formula.Int(int64(v.at.queues[t.queue].Priority))
		case fromNothing:
			v.values[i] = formula.Int(0)
		}
	}
	return v.values, v.amounts
}

// sortKeys returns a job's amounts for job_sort_key.
func (v *values) sortKeys(t *terms, entity int32) []float64 {
	v.keys = v.keys[:0]
	for _, column := range v.columns {
		x := v.amount(t, column.Name)
		if column.Of != nil {
			x = column.Of(v.usage.tree.Entity(v.usage.ids[entity]))
		}
		v.keys = append(v.keys, x)
	}
	return v.keys
}

// entity derives the terms of an entity at this cycle, those of other schedulers for
// all entities at once: they depend on the whole tree.
func (v *values) entity(number int32) {
	if v.current[number] == v.at.cycles {
		return
	}
	isFirst := v.current[number] == 0
	v.current[number] = v.at.cycles
	tree, ids := v.usage.tree, v.usage.ids
	if !isFirst && v.usageTerm >= 0 && !v.at.isPlain && !v.at.eachValue && v.steady[number].holds(tree.TreeShare(ids[number])) {
		return
	}
	of := tree.Entity(ids[number])
	for i := range v.treeTerms {
		term := &v.treeTerms[i]
		switch {
		case v.sources[i] != fromTree:
		case term.Of != nil:
			x, was := term.Of(of), &v.raw[i][number]
			if !isFirst && math.Float64bits(x) == math.Float64bits(*was) {
				continue
			}
			*was = x
			is, known := term.NumberOf(x), &v.numbers[i][number]
			if isFirst || math.Float64bits(is) != math.Float64bits(*known) {
				v.turned[number], *known = v.at.cycles, is
			}
		case v.others != v.at.cycles:
			v.terms[i] = term.Values(tree, ids)
			fallthrough
		default:
			v.turned[number] = v.at.cycles // they depend on the whole tree
		}
	}
	v.others = v.at.cycles
	v.settle(number, of.TreePercentage)
}

// holds reports whether a value that groups share is still what it was when it was last evaluated: none of the terms of their
// entity has become another number. What fails is evaluated anew each time, and counted.
func (v *values) holds(shared *sharedValue) bool {
	if shared.evaluated == 0 || v.at.isPlain {
		return false
	}
	v.entity(shared.entity)
	return shared.evaluated >= v.turned[shared.entity]
}

// evaluate sets the values of candidates.
func (v *values) evaluate(all []candidate) error {
	if v.program == nil {
		return nil
	}
	if !v.usesEligible {
		list := v.list[:0]
		for i := range all {
			if shared := all[i].group.value; shared.cycle != v.at.cycles {
				list = append(list, shared)
			}
		}
		v.list = list
		failed, err := v.evaluateShared(list)
		if err != nil {
			return err
		}
		v.countErrors(failed)
		for i := range all {
			all[i].value = all[i].group.value.value
		}
		return nil
	}
	for len(all) > 0 {
		some := all[:min(len(all), batch)]
		for row := range some {
			if err := v.set(row, &some[row]); err != nil {
				return err
			}
		}
		if err := v.evaluator.Run(len(some)); err != nil {
			return err
		}
		var failed []error
		for row := range some {
			result := v.evaluator.Result(row)
			if some[row].value = result.Float32(); result.Err != nil {
				failed = append(failed, result.Err)
			}
		}
		v.countErrors(failed)
		all = all[len(some):]
	}
	return nil
}

// evaluateShared finds what values are at this cycle that groups share, each once, and returns with what they fail.
func (v *values) evaluateShared(list []*sharedValue) (failed []error, err error) {
	for len(list) > 0 {
		rows := v.rows[:0]
		for ; len(list) > 0 && len(rows) < batch; list = list[1:] {
			shared := list[0]
			if shared.cycle == v.at.cycles {
				continue
			}
			if shared.cycle = v.at.cycles; v.holds(shared) {
				continue
			}
			if err := v.set(len(rows), &candidate{group: shared.groups[0].group}); err != nil {
				return nil, err
			}
			rows = append(rows, shared)
		}
		v.rows = rows
		if err := v.evaluator.Run(len(rows)); err != nil {
			return nil, err
		}
		for row, shared := range rows {
			result := v.evaluator.Result(row)
			shared.value, shared.evaluated = result.Float32(), v.at.cycles
			if result.Err != nil {
				shared.evaluated, failed = 0, append(failed, result.Err)
			}
		}
	}
	return failed, nil
}

// countErrors counts what evaluations of the formula fail with.
func (v *values) countErrors(failed []error) {
	const most = 20 // different ones
	for _, err := range failed {
		if len(v.errors) < most || v.errors[err.Error()] > 0 {
			v.errors[err.Error()]++
		}
	}
}

// sharedValue is a value that groups have in common which differ in nothing that the formula
// depends on. They are of queues of one level.
type sharedValue struct {
	value     float32
	cycle     uint64 // that the value is of
	evaluated uint64 // the cycle at which it last was without fail, 0 for none
	level     int32
	preempted float64 // when their jobs were, 0 for those that were not
	entity    int32
	groups    []valueGroup // those with jobs
	isListed  bool         // whether it is in the order of values
}

// valueGroup is a group that has a value in common with others, beside what most cycles only look at of it: whether they look at its
// class at all.
type valueGroup struct {
	*group
	class  *class
	peers  *peers
	budget int32 // whose backfill_depth counts for its jobs
}

// join adds a group to those that share a value.
func (v *values) join(g *group, budget int32) {
	shared := g.value
	if g.place = len(shared.groups); g.place == 0 {
		v.come = append(v.come, shared)
	}
	shared.groups = append(shared.groups, valueGroup{g, g.class, g.class.peers, budget})
}

// leave takes a group away.
func (v *values) leave(g *group) {
	all := g.value.groups
	last := all[len(all)-1]
	all[g.place], last.place = last, g.place
	all[len(all)-1] = valueGroup{}
	g.value.groups = all[:len(all)-1]
}

// set gives a row the values of a candidate's variables.
func (v *values) set(row int, c *candidate) error {
	for i := range v.variables {
		var value formula.Value
		switch v.sources[i] {
		default:
			value = c.group.fixed[i]
		case fromEligible:
			value = formula.Int(int64(math.Floor(max(0, v.clocks.eligible(c.job)))))
		case fromAccrueType:
			const ineligible, eligible = 1, 2
			value = formula.Int(eligible)
			if v.clocks.of[c.job].stands() {
				value = formula.Int(ineligible)
			}
		case fromTree:
			v.entity(c.group.entity)
			if v.numbers[i] != nil {
				if err := v.evaluator.SetFloat(row, i, v.numbers[i][c.group.entity]); err != nil {
					return err
				}
				continue
			}
			value = v.terms[i][c.group.entity]
		}
		if err := v.evaluator.Set(row, i, value); err != nil {
			return err
		}
	}
	return nil
}
