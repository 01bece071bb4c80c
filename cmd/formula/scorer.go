package main

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"

	"fairshare/formula"
	"fairshare/fstree"
)

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

func newScorer(r *ranking, f *formula.Formula) (*scorer, error) {
	s := &scorer{r: r}
	for _, name := range f.Names() {
		if formula.IsMathName(name) || formula.IsBuiltin(name) && !slices.Contains(r.list.slots, name) {
			continue
		}
		v := variable{slot: slices.Index(r.list.slots, name)}
		switch {
		case r.plan.otherFairshare(name):
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
		values = append(values, formula.SixDecimals(fairshareTerm(r.tree.Entity(id), name)))
	}
	return values
}

// fairshareTerm is a fairshare name's number before it is rounded.
func fairshareTerm(e fstree.Entity, name string) float64 {
	switch name {
	case "fairshare_tree_usage":
		return float64(e.TreeUsage)
	case "fairshare_factor":
		return e.Factor()
	}
	return float64(e.TreePercentage)
}

// otherAlgorithms are those of the names that PBS does not know.
var otherAlgorithms = map[string]func(*fstree.Associations, fstree.Options) *fstree.Standing{
	"fair_tree": fstree.FairTree, "level_fs": fstree.FairTree, "depth_oblivious_factor": fstree.DepthOblivious,
	"classic_factor": fstree.Classic, "weighted_walk": fstree.WeightedWalk,
}

// otherFairshare is what another scheduler's algorithm gives each entity of the
// list. Those that the algorithm has no number for get 0.
func (r *ranking) otherFairshare(name string) []formula.Value {
	standing := otherAlgorithms[name](r.tree.Associations(), fstree.Options{})
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
			e := s.program.NewEvaluator(min(block, len(results.values)))
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
