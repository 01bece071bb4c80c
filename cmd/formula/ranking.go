package main

import (
	"fmt"
	"slices"

	"fairshare/cmd/internal/cycle"
	"fairshare/cmd/internal/schedpriv"
	"fairshare/formula"
	"fairshare/fstree"
)

// ranking is a job list in the order in which the scheduler considers it.
type ranking struct {
	list     *jobList
	plan     *plan
	order    []int32      // rows that are considered, the first one first
	scores   scores       // none without a formula
	reasons  []string     // why a row is not considered, "" when it is
	program  *scorer      // nil without a formula
	tree     *fstree.Tree // as the cycle begins
	entities []fstree.ID  // by number of the name
	queues   []cycle.Queue
	queueOf  []int32 // by number of the name

	jobs     []cycle.Job // by row
	settings cycle.Settings
}

// plan is what a ranking is made with.
type plan struct {
	symbols   *formula.Symbols
	formula   *formula.Formula // nil for none
	priv      *schedpriv.Data  // nil for none
	policy    fstree.Policy
	queues    []cycle.Queue
	threshold float64
	preempt   int
	preemptFS bool
	static    bool
	workers   int
	usage     *formula.Formula // fairshare_usage_res
}

// defaultThreshold is PBS's job_sort_formula_threshold when it is not set.
const defaultThreshold = -2147483648

// slots are the amounts that a plan needs of each job.
func (p *plan) slots() []string {
	var slots []string
	add := func(name string) {
		if !formula.IsMathName(name) && !formula.IsBuiltin(name) && !p.derives(name) && !slices.Contains(slots, name) {
			slots = append(slots, name)
		}
	}
	if p.formula != nil {
		for _, name := range p.formula.Names() {
			add(name)
		}
	}
	if p.usage != nil {
		for _, name := range p.usage.Names() {
			add(name)
		}
	}
	for _, key := range p.policy.SortKeys {
		add(keyName(key.Resource))
	}
	return slots
}

// derivedNames are the keywords whose values do not come from the job.
var derivedNames = []string{"queue_priority", "fairshare_perc", "fair_share_perc", "fairshare_tree_usage", "fairshare_factor"}

// otherFairshare tells whether a name is another scheduler's fairshare and no
// resource of the site.
func (p *plan) otherFairshare(name string) bool {
	return formula.IsOtherFairshare(name) && p.symbols.Type(name) == ""
}

// derives tells whether a name's value comes from the tree or the queue.
func (p *plan) derives(name string) bool {
	return slices.Contains(derivedNames, name) || p.otherFairshare(name)
}

// keyName is what a job_sort_key's name is called in formulas.
func keyName(name string) string {
	if name == "sort_priority" {
		return "job_priority"
	}
	return name
}

// uses tells whether the formula has one of the names.
func (p *plan) uses(names ...string) bool {
	return p.formula != nil && slices.ContainsFunc(p.formula.Names(), func(n string) bool { return slices.Contains(names, n) })
}

// usesFairshare tells whether the formula has a fairshare term of PBS's.
func (p *plan) usesFairshare() bool { return p.uses(derivedNames[1:]...) }

// usesOthers tells whether it has one of another scheduler's.
func (p *plan) usesOthers() bool {
	return p.formula != nil && slices.ContainsFunc(p.formula.Names(), p.otherFairshare)
}

// rank evaluates and orders a list.
func (p *plan) rank(l *jobList) (*ranking, error) {
	r := &ranking{list: l, plan: p, reasons: make([]string, l.len())}
	r.findQueues(p.queues)
	r.findEntities(p.priv)
	if p.formula != nil {
		program, err := newScorer(r, p.formula)
		if err != nil {
			return nil, err
		}
		r.program = program
		if r.scores, err = program.run(p.workers); err != nil {
			return nil, err
		}
	}
	considered := r.consider()
	r.jobs = r.cycleJobs()
	r.settings = cycle.Settings{
		Policy: p.policy, Tree: r.tree, Queues: r.queues, Keys: r.sortKeys(),
		PreemptQueuePrio: p.preempt, PreemptFairshare: p.preemptFS, Static: p.static,
	}
	if p.policy.FairShare && p.usage != nil && !p.static {
		costs, err := newScorer(r, p.usage)
		if err != nil {
			return nil, err
		}
		results, err := costs.run(p.workers)
		if err != nil {
			return nil, err
		}
		r.settings.Costs = results.values
	}
	growing := r.settings
	if growing.Costs != nil {
		growing.Tree = r.tree.Clone()
	}
	r.order = cycle.Order(r.jobs, considered, growing)
	return r, nil
}

// findQueues matches the list's queues with those given; others come after
// them with priority 0.
func (r *ranking) findQueues(given []cycle.Queue) {
	r.queues = slices.Clone(given)
	places := map[string]int32{}
	for i, q := range given {
		places[q.Name] = int32(i)
	}
	for _, name := range r.list.queues.list {
		i, ok := places[name]
		if !ok {
			i = int32(len(r.queues))
			r.queues = append(r.queues, cycle.Queue{Name: name})
		}
		r.queueOf = append(r.queueOf, i)
	}
}

// findEntities matches the list's entities with the tree; others join
// "unknown", as when the scheduler reads its jobs.
func (r *ranking) findEntities(priv *schedpriv.Data) {
	if priv == nil {
		r.tree = fstree.New(0, 0)
	} else {
		r.tree = priv.Tree.Clone()
	}
	present := make([]bool, len(r.list.entities.list))
	for i := range r.list.len() {
		row := r.list.row(i)
		present[row.entity] = present[row.entity] || !row.gone()
	}
	for number, name := range r.list.entities.list {
		id, ok := r.tree.Lookup(name)
		switch {
		case !ok && present[number]:
			id = r.tree.AddUnknown(name)
		case !ok:
			id = fstree.Unknown // of jobs that the scheduler does not see
		}
		r.entities = append(r.entities, id)
	}
	r.tree.CalcPercentages()
	r.tree.CalcUsage()
}

// consider tells which rows the scheduler looks at, and why not the others.
func (r *ranking) consider() []int32 {
	p := r.plan
	var considered []int32
	arrays := r.list.arrays()
	for i := range r.list.len() {
		row := r.list.row(i)
		q := r.queues[r.queueOf[row.queue]]
		switch {
		case r.list.unreadable[i] != "":
			r.reasons[i] = "the scheduler cannot read " + r.list.unreadable[i]
		case arrays[subjobOf(row.id)]:
			r.reasons[i] = "its array stands for it" // qstat -t lists both
		case row.state == 'B' && row.subjobs == 0:
			r.reasons[i] = "no subjob waits"
		case row.state != 'Q' && row.state != 'B': // an array that has begun
			r.reasons[i] = fmt.Sprintf("job_state is %c", row.state)
		case q.Stopped:
			r.reasons[i] = "queue " + q.Name + " is not started"
		case p.policy.FairShare && p.priv != nil && p.priv.Config.EnforceNoShares &&
			r.tree.Entity(r.entities[row.entity]).TreePercentage == 0:
			r.reasons[i] = "Job has zero shares for fairshare"
		case p.formula != nil && float64(float32(r.scores.values[i])) <= p.threshold:
			r.reasons[i] = underThreshold
		default:
			considered = append(considered, int32(i))
		}
	}
	return considered
}

// underThreshold is PBS's comment on a job whose value is too low.
const underThreshold = "Job is under job_sort_formula threshold value"

// under tells whether a row is not considered for its value.
func (r *ranking) under(row int) bool { return r.reasons[row] == underThreshold }

// cycleJobs are the rows as the order needs them.
func (r *ranking) cycleJobs() []cycle.Job {
	out := make([]cycle.Job, r.list.len())
	for i := range out {
		row := r.list.row(i)
		out[i] = cycle.Job{Entity: r.entities[row.entity], Queue: r.queueOf[row.queue], Subjobs: row.subjobs, Rank: row.rank}
		if r.program != nil {
			out[i].Value = float32(r.scores.values[i])
		}
	}
	return out
}

// sortKeys are the rows' amounts for job_sort_key.
func (r *ranking) sortKeys() []float64 {
	n := len(r.plan.policy.SortKeys)
	keys := make([]float64, r.list.len()*n)
	for k, key := range r.plan.policy.SortKeys {
		name := keyName(key.Resource)
		slot := slices.Index(r.list.slots, name)
		for i := range r.list.len() {
			if name == "fair_share_perc" || name == "fairshare_perc" {
				keys[i*n+k] = float64(r.tree.Entity(r.entities[r.list.row(i).entity]).TreePercentage)
			} else {
				keys[i*n+k] = r.list.amount(i, slot)
			}
		}
	}
	return keys
}

// errorCounts groups the errors of evaluation.
func (r *ranking) errorCounts() map[string]int {
	counts := map[string]int{}
	for i, err := range r.scores.errs {
		if r.list.hasValue(i) {
			counts[errorText(err)]++
		}
	}
	return counts
}
