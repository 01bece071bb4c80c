package accrual

import (
	"math"

	"fairshare/cmd/internal/trace"
	"fairshare/fstree"
	"fairshare/usagefile"
)

// mostDecays is after how many decays the usage at the begin of a log cannot be told
// from that at its end any more: it counts for less than what is rebuilt is off.
const mostDecays = 4

// Begin returns the usage at the begin of recorded work, for which the database at its
// end is known: what the work has accrued is taken away, and decay undone. ok is false
// where usage has decayed so often since that the end does not tell.
func Begin(t *trace.Trace, o Options, end *usagefile.Database) (begin *usagefile.Database, ok bool, err error) {
	o.Begin = nil
	c, err := newComputer(t, o)
	if err != nil {
		return nil, false, err
	}
	times := int64(0)
	for _, d := range c.decays {
		times += d.times
	}
	if times > mostDecays {
		return nil, false, nil
	}
	accrued := map[string]float64{}
	for _, e := range c.database().Entities {
		accrued[e.Name] = e.Usage
	}
	factor := math.Pow(float64(c.Config.DecayFactor), float64(times))
	begin = &usagefile.Database{}
	for name, usage := range end.All() {
		rebuilt, hasRun := accrued[name]
		if !hasRun {
			rebuilt = fstree.StartUsage
		}
		at := max(fstree.StartUsage, fstree.StartUsage+(usage-rebuilt)/factor)
		begin.Records = append(begin.Records, usagefile.Record{Name: name, Usage: at})
	}
	return begin, true, nil
}
