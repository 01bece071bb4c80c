package order

import (
	"fmt"
	"slices"
	"strconv"

	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/formula"
)

// Change is what a comparison of two jobs assumes to be different about one.
type Change struct {
	Variables map[string]float64 // amounts of the job's own
	Queue     int                // an index into Order.Queues, or OwnQueue
}

// OwnQueue is a Change's queue that leaves the job where it is.
const OwnQueue = -1

// Unchanged leaves a job as it is.
var Unchanged = Change{Queue: OwnQueue}

// CompareChanged reports which of two rows would come first when the cycle
// begins, as Compare does, if the jobs were changed and with the tree's usage
// and shares as they are now. It returns their values as well.
func (o *Order) CompareChanged(a, b int, ca, cb Change) (result int, va, vb float32) {
	pair := []cycle.Job{o.changed(a, ca), o.changed(b, cb)}
	settings := o.settings
	settings.SortKeys = append(o.changedKeys(a, ca), o.changedKeys(b, cb)...)
	result, key := cycle.New(pair, nil, settings).Compare(0, 1)
	if key == cycle.ByPlace {
		result = a - b
	}
	return result, pair[0].Value, pair[1].Value
}

func (o *Order) changed(row int, c Change) cycle.Job {
	job := o.jobs[row]
	if c.Queue != OwnQueue {
		job.Queue = int32(c.Queue)
	}
	if o.Values != nil {
		job.Value = o.valueWith(row, c)
	}
	return job
}

func (o *Order) changedKeys(row int, c Change) []float64 {
	sortKeys := o.settings.Policy.SortKeys
	amounts := append([]float64(nil), o.settings.SortKeys[row*len(sortKeys):(row+1)*len(sortKeys)]...)
	for k, key := range sortKeys {
		if x, ok := c.Variables[KeyName(key.Resource)]; ok {
			amounts[k] = x
		}
	}
	return amounts
}

// valueWith returns a row's value with a change, and with fairshare terms of
// PBS's as the tree is now.
func (o *Order) valueWith(row int, c Change) float32 {
	values := o.Values.Of(row)
	entity := o.Tree.Recalculate(o.Entity(row))
	for _, v := range o.Values.variables {
		term, isTerm := TermNamed(v.Name)
		switch {
		case isTerm && term.Of != nil && v.Origin == formula.FromTree:
			values[v.Name], _ = term.Value(term.Of(entity))
		case v.Origin == formula.FromQueue && c.Queue != OwnQueue:
			values[v.Name] = formula.Int(int64(o.Queues[c.Queue].Priority))
		}
		if x, ok := c.Variables[v.Name]; ok {
			values[v.Name], _ = formula.Amount(x)
		}
	}
	return o.Plan.Formula.Eval(values).Float32()
}

// Under returns the order of the same jobs where an entity has other usage or other shares, as a setting has it: jobs that
// start before them in a cycle may be others too.
func (o *Order) Under(entity, what string, to float64) (*Order, error) {
	if _, ok := o.Plan.Site.SchedPriv.Tree.Lookup(entity); !ok {
		entity = "new." + entity
	}
	return o.UnderSetting(entity+"."+what, strconv.FormatFloat(to, 'f', -1, 64))
}

// UnderAmount returns the order of the same jobs where the job of a row has another amount of a column that the list has.
func (o *Order) UnderAmount(row int, column string, to float64) (*Order, error) {
	at := slices.Index(o.List.Columns, column)
	if at < 0 {
		return nil, fmt.Errorf("the list has no column %s", column)
	}
	changed, _, err := o.Plan.Order(o.List.With(row, at, to))
	return changed, err
}

// UnderSetting returns the order of the same jobs with another value of a setting of the site.
func (o *Order) UnderSetting(name, value string) (*Order, error) {
	site, err := o.Plan.Site.WithOther(name, value)
	if err != nil {
		return nil, err
	}
	plan, _, err := NewPlan(site, o.Plan.Options)
	if err != nil {
		return nil, err
	}
	changed, _, err := plan.Order(o.List)
	return changed, err
}
