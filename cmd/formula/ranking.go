package main

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"fairshare/cmd/internal/cycle"
	"fairshare/cmd/internal/schedpriv"
	"fairshare/formula"
	"fairshare/fstree"
)

// ranking is a job list in the order in which the scheduler considers it.
type ranking struct {
	list     *jobList
	order    []int32  // rows that are considered, the first one first
	scores   scores   // none without a formula
	reasons  []string // why a row is not considered, "" when it is
	program  *scorer  // nil without a formula
	tree     *fstree.Tree
	entities []fstree.ID // by number of the name
	queues   []cycle.Queue
	queueOf  []int32 // by number of the name
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

// rank evaluates and orders a list.
func (p *plan) rank(l *jobList) (*ranking, error) {
	r := &ranking{list: l, reasons: make([]string, l.len())}
	r.findQueues(p.queues)
	r.findEntities(p.priv)
	if p.formula != nil {
		program, err := newScorer(p, r, p.formula)
		if err != nil {
			return nil, err
		}
		r.program = program
		if r.scores, err = program.run(p.workers); err != nil {
			return nil, err
		}
	}
	considered := r.consider(p)
	settings := cycle.Settings{
		Policy: p.policy, Tree: r.tree, Queues: r.queues, Keys: r.sortKeys(p),
		PreemptQueuePrio: p.preempt, PreemptFairshare: p.preemptFS, Static: p.static,
	}
	if p.policy.FairShare && p.usage != nil && !p.static {
		costs, err := newScorer(p, r, p.usage)
		if err != nil {
			return nil, err
		}
		results, err := costs.run(p.workers)
		if err != nil {
			return nil, err
		}
		settings.Costs = results.values
	}
	r.order = cycle.Order(r.cycleJobs(p), considered, settings)
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
		r.tree = priv.Tree
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
func (r *ranking) consider(p *plan) []int32 {
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
			r.reasons[i] = "Job is under job_sort_formula threshold value"
		default:
			considered = append(considered, int32(i))
		}
	}
	return considered
}

// cycleJobs are the rows as the order needs them.
func (r *ranking) cycleJobs(p *plan) []cycle.Job {
	out := make([]cycle.Job, r.list.len())
	for i := range out {
		row := r.list.row(i)
		out[i] = cycle.Job{Entity: r.entities[row.entity], Queue: r.queueOf[row.queue], Subjobs: row.subjobs, Rank: row.rank}
		if p.formula != nil {
			out[i].Value = float32(r.scores.values[i])
		}
	}
	return out
}

// sortKeys are the rows' amounts for job_sort_key.
func (r *ranking) sortKeys(p *plan) []float64 {
	n := len(p.policy.SortKeys)
	keys := make([]float64, r.list.len()*n)
	for k, key := range p.policy.SortKeys {
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

// scorer evaluates a formula for the rows of a ranking.
type scorer struct {
	r       *ranking
	program *formula.Program
	vars    []string
	source  []variable // per variable
}

// variable is where a formula's variable comes from: an amount of the row, or
// a table by queue or entity.
type variable struct {
	slot   int // -1 for a table
	table  []formula.Value
	entity bool // the table is by entity, not by queue

	sixDecimals bool // PBS prints it with six
}

func newScorer(p *plan, r *ranking, f *formula.Formula) (*scorer, error) {
	s := &scorer{r: r}
	for _, name := range f.Names() {
		if formula.IsMathName(name) || formula.IsBuiltin(name) && !slices.Contains(r.list.slots, name) {
			continue
		}
		v := variable{slot: slices.Index(r.list.slots, name)}
		switch {
		case p.otherFairshare(name):
			v.slot, v.table, v.entity = -1, r.otherFairshare(name), true
		case slices.Contains(derivedNames, name):
			v.slot, v.table, v.entity = -1, r.table(name), name != "queue_priority"
			v.sixDecimals = v.entity
		}
		s.vars = append(s.vars, name)
		s.source = append(s.source, v)
	}
	var err error
	s.program, err = formula.Compile(f, s.vars)
	return s, err
}

// table is a name's value for each queue or entity of the list.
func (r *ranking) table(name string) []formula.Value {
	var values []formula.Value
	if name == "queue_priority" {
		for _, q := range r.queueOf {
			values = append(values, formula.Int(int64(r.queues[q].Priority)))
		}
		return values
	}
	for _, id := range r.entities {
		e := r.tree.Entity(id)
		x := float64(e.TreePercentage)
		switch name {
		case "fairshare_tree_usage":
			x = float64(e.TreeUsage)
		case "fairshare_factor":
			x = e.Factor()
		}
		values = append(values, formula.SixDecimals(x))
	}
	return values
}

// otherFairshare is what another scheduler's algorithm gives each entity of the
// list. Those that the algorithm has no number for get 0.
func (r *ranking) otherFairshare(name string) []formula.Value {
	algorithm := map[string]func(*fstree.Associations, fstree.Options) *fstree.Standing{
		"fair_tree": fstree.FairTree, "level_fs": fstree.FairTree, "depth_oblivious_factor": fstree.DepthOblivious,
		"classic_factor": fstree.Classic, "weighted_walk": fstree.WeightedWalk,
	}[name]
	standing := algorithm(r.tree.Associations(), fstree.Options{})
	numbers := standing.Fairshare
	if name == "level_fs" {
		numbers = standing.LevelFS
	}
	values := make([]formula.Value, len(r.entities))
	for i, id := range r.entities {
		x := numbers[id]
		if math.IsNaN(x) {
			x = 0
		}
		values[i] = formula.Float(x)
	}
	return values
}

// value is a variable's value for a row.
func (s *scorer) value(variable, i int) formula.Value {
	row := s.r.list.row(i)
	switch v := &s.source[variable]; {
	case v.slot >= 0:
		amount, _ := formula.Amount(s.r.list.amount(i, v.slot))
		return amount
	case v.entity:
		return v.table[row.entity]
	default:
		return v.table[row.queue]
	}
}

// shown is a variable's value for a row as PBS prints it into the formula.
func (s *scorer) shown(variable, i int) string {
	v := s.value(variable, i)
	if s.source[variable].sixDecimals {
		return v.Fixed(6)
	}
	return v.String()
}

// scores are a formula's outcomes by row.
type scores struct {
	values []float64
	errs   map[int]error
}

func (s scores) result(i int) formula.Result {
	return formula.Result{Value: s.values[i], Err: s.errs[i]}
}

// run evaluates all rows, in blocks that are shared out among workers.
func (s *scorer) run(workers int) (scores, error) {
	const block = 1024
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	results := scores{make([]float64, s.r.list.len()), map[int]error{}}
	var mu sync.Mutex // of results.errs
	starts := make(chan int)
	var wg sync.WaitGroup
	errs := make([]error, workers)
	for w := range workers {
		wg.Go(func() {
			e := s.program.NewEvaluator(block)
			for start := range starts {
				lanes := min(block, len(results.values)-start)
				for lane := range lanes {
					for v := range s.vars {
						e.Set(lane, v, s.value(v, start+lane))
					}
				}
				if err := e.Run(lanes); err != nil {
					errs[w] = err
					continue
				}
				for lane := range lanes {
					r := e.Result(lane)
					results.values[start+lane] = r.Value
					if r.Err != nil {
						mu.Lock()
						results.errs[start+lane] = r.Err
						mu.Unlock()
					}
				}
			}
		})
	}
	for start := 0; start < len(results.values); start += block {
		starts <- start
	}
	close(starts)
	wg.Wait()
	return results, errors.Join(errs...)
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
