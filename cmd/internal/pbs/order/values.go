package order

import (
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync"

	"fairshare/formula"
)

// Values are what a formula comes to for the jobs of a list.
type Values struct {
	o         *Order
	formula   *formula.Formula
	variables []variable
	values    []float64     // by row
	errs      map[int]error // by row, those that there are
}

// variable is a variable of a formula and where its values come from: a column
// of the list, or a table by queue or by entity.
type variable struct {
	formula.Variable
	column   int             // -1 for a table
	byQueue  []formula.Value // nil for a column or a table by entity
	byEntity []formula.Value
}

// newValues returns the values of a formula for an order, not yet evaluated.
func newValues(o *Order, f *formula.Formula) *Values {
	v := &Values{o: o, formula: f}
	symbols := o.Plan.symbols.With(requested(o.List, o.Plan.symbols))
	for _, name := range f.Names() {
		if symbols.Resolve(name) != formula.VariableName {
			continue
		}
		known, _ := symbols.Lookup(name)
		from := variable{Variable: known, column: slices.Index(o.List.Columns, name)}
		switch known.Origin {
		case formula.FromQueue:
			for _, q := range o.queueOf {
				from.byQueue = append(from.byQueue, formula.Int(int64(o.Queues[q].Priority)))
			}
		case formula.FromTree, formula.Additional:
			term, _ := TermNamed(name)
			from.byEntity = term.Values(o.Tree, o.entities)
		}
		v.variables = append(v.variables, from)
	}
	return v
}

// Variables returns the names of the formula's variables, in the order of the
// text.
func (v *Values) Variables() []string {
	names := make([]string, len(v.variables))
	for i, from := range v.variables {
		names[i] = from.Name
	}
	return names
}

// variable returns the value of a variable for a row.
func (v *Values) variable(i, row int) formula.Value {
	job := v.o.List.Job(row)
	switch from := &v.variables[i]; {
	case from.byEntity != nil:
		return from.byEntity[job.Entity]
	case from.byQueue != nil:
		return from.byQueue[job.Queue]
	default:
		value, _ := formula.Amount(v.o.Amount(row, from.column))
		return value
	}
}

// Text returns the value of a variable for a row as PBS prints it into the
// formula.
func (v *Values) Text(i, row int) string { return v.variables[i].Text(v.variable(i, row)) }

// Rounding returns the number behind the value of a variable for a row, before
// PBS rounds it, and with how many bits PBS keeps it. ok is false where PBS
// rounds nothing.
func (v *Values) Rounding(i, row int) (exact float64, bits int, ok bool) {
	switch from := &v.variables[i]; from.Origin {
	case formula.FromTree:
		term, _ := TermNamed(from.Name)
		return term.Of(v.o.Tree.Entity(v.o.Entity(row))), 32, true
	case formula.FromJob:
		return v.o.Amount(row, from.column), 64, true
	}
	return 0, 0, false
}

// Of returns the values of all variables for a row.
func (v *Values) Of(row int) map[string]formula.Value {
	values := make(map[string]formula.Value, len(v.variables))
	for i, from := range v.variables {
		values[from.Name] = v.variable(i, row)
	}
	return values
}

// Result returns what the formula comes to for a row.
func (v *Values) Result(row int) formula.Result {
	return formula.Result{Value: v.values[row], Err: v.errs[row]}
}

// LookAlike reports whether PBS logs the different values of two rows in the same
// digits.
func (v *Values) LookAlike(a, b int) bool {
	ra, rb := v.Result(a), v.Result(b)
	return ra.Float32() != rb.Float32() && ra.Log() == rb.Log()
}

// Errors counts the errors of the rows that the scheduler evaluates, by what
// they say.
func (v *Values) Errors() map[string]int {
	counts := map[string]int{}
	for row, err := range v.errs {
		if v.o.List.IsEvaluated(row) {
			counts[err.Error()]++
		}
	}
	return counts
}

const (
	blockRows = 1024
	// budget bounds the steps that a worker spends on large integers and lists
	// of all jobs, some ten seconds.
	budget = 1 << 29
)

// evaluate evaluates all rows, in blocks that are shared out among workers.
func (v *Values) evaluate(workers int) error {
	program, err := formula.Compile(v.formula, v.Variables())
	if err != nil {
		return err
	}
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	v.values, v.errs = make([]float64, v.o.List.Len()), map[int]error{}
	starts := make(chan int)
	var wg sync.WaitGroup
	problems := make([]error, workers)
	failed := make([]map[int]error, workers)
	for w := range workers {
		failed[w] = map[int]error{}
		wg.Go(func() {
			e := program.NewEvaluator(min(blockRows, len(v.values)))
			e.SetBudget(budget)
			for start := range starts {
				if err := v.block(e, start, failed[w]); err != nil {
					problems[w] = err
				}
			}
		})
	}
	for start := 0; start < len(v.values); start += blockRows {
		starts <- start
	}
	close(starts)
	wg.Wait()
	for _, errs := range failed {
		maps.Copy(v.errs, errs)
	}
	return errors.Join(problems...)
}

// block evaluates the rows from start on.
func (v *Values) block(e *formula.Evaluator, start int, failed map[int]error) error {
	rows := min(blockRows, len(v.values)-start)
	for row := range rows {
		for i := range v.variables {
			if err := e.Set(row, i, v.variable(i, start+row)); err != nil {
				return err
			}
		}
	}
	if err := e.Run(rows); err != nil {
		return err
	}
	for row := range rows {
		r := e.Result(row)
		v.values[start+row] = r.Value
		if r.Err != nil {
			failed[start+row] = r.Err
		}
	}
	return nil
}
