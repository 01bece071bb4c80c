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

// Beginning is the usage at the begin of recorded work, as that at its end tells it.
type Beginning struct {
	Usage *usagefile.Database

	// Weight is how much of usage at the begin stands for a unit at the end, 1 without decay: so often what is off there
	// counts here.
	Weight float64
}

// Begin returns the usage at the begin of recorded work, for which the database at its
// end is known: what the work has accrued is taken away, and decay undone. It is nil
// where usage has decayed so often since that the end does not tell.
func Begin(t *trace.Trace, o Options, end *usagefile.Database) (*Beginning, error) {
	o.Begin = nil
	c, err := newComputer(t, o)
	if err != nil {
		return nil, err
	}
	times := int64(0)
	for _, d := range c.decays {
		times += d.times
	}
	if times > mostDecays {
		return nil, nil
	}
	accrued := map[string]float64{}
	for _, e := range c.database().Entities {
		accrued[e.Name] = e.Usage
	}
	factor := math.Pow(float64(c.Config.DecayFactor), float64(times))
	begin := &usagefile.Database{}
	for name, usage := range end.All() {
		rebuilt, hasRun := accrued[name]
		if !hasRun {
			rebuilt = fstree.StartUsage
		}
		at := max(fstree.StartUsage, fstree.StartUsage+(usage-rebuilt)/factor)
		begin.Records = append(begin.Records, usagefile.Record{Name: name, Usage: at})
	}
	return &Beginning{begin, 1 / factor}, nil
}
