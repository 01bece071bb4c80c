// Package accrual computes the fairshare usage that the scheduler of a PBS site has accrued for recorded work.
package accrual

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/trace"
	"fairshare/formula"
	"fairshare/fstree"
	"fairshare/usagefile"
)

// Options say how usage has accrued.
type Options struct {
	Config fstree.Config
	Begin  *usagefile.Database // the database at the begin of the log; nil if it is not known

	// LastDecay is a last_decay of the scheduler's, which gives the phase of decay;
	// 0 if it is not known.
	LastDecay int64
	Lag       int64 // how old mom's report is when the scheduler accrues, in seconds
	IsSampled bool  // whether it is of one mom's Samples instead, once a job has started
	Interval  int64 // scheduler_iteration, in seconds
	Until     int64 // when the database is asked for; trace.Unknown for the end of the log

	Has func(queue string) bool // whether the scheduler places the jobs of a queue; nil for all of them
}

// has reports whether the scheduler places a job.
func (o *Options) has(t *trace.Trace, j *trace.Job) bool {
	return o.Has == nil || o.Has(t.Names.List[j.Queue])
}

// What PBS does if nothing else is said, and what was measured.
const (
	DefaultInterval = 600
	DefaultLag      = 30
)

// Database is the usage at a time.
type Database struct {
	LastDecay int64
	Entities  []Entity // in the order of their names
	Seconds   int64    // from the first event of the log on
	Charged   int      // jobs that were charged anything
	Lost      int      // jobs that ran and were charged nothing
	Untold    []string // resources of fairshare_usage_res of which no record tells how much a job used: it counts as 0
}

// Entity is the usage of an entity, in units of fairshare_usage_res.
type Entity struct {
	Name  string
	Usage float64
	Low   float64 // where reports are as old as they may be, and come with each decay
	High  float64 // where all that was used is charged, and as late as it may be

	Accrued float64 // what it was charged in the log, without decay
}

// ErrEntity says that jobs of a log do not have the attribute that names entities.
var ErrEntity = errors.New("accounting logs do not tell the entity")

// UsageError is a fairshare_usage_res that cannot be evaluated.
type UsageError struct {
	Text string
	Err  error
}

func (e *UsageError) Error() string { return fmt.Sprintf("fairshare_usage_res %q: %v", e.Text, e.Err) }
func (e *UsageError) Unwrap() error { return e.Err }

// Resources returns the resources of a job that a configuration's usage depends on.
func Resources(config fstree.Config) ([]string, error) {
	f, err := formula.Parse(config.UsageRes)
	if err != nil {
		return nil, &UsageError{config.UsageRes, err}
	}
	return f.Names(), nil
}

// ResourcesOf returns the resources of a job that the fairshare usage of some sites depends on, each once.
func ResourcesOf(sites ...*pbs.Site) (used []string, err error) {
	for _, site := range sites {
		if !site.Policy().FairShare {
			continue
		}
		names, err := Resources(site.SchedPriv.Config)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if !slices.Contains(used, name) {
				used = append(used, name)
			}
		}
	}
	return used, nil
}

// Compute returns the usage that recorded work has left. At each cycle a job that
// runs is charged the growth of its use as it was last reported; what is used
// between the last report and its end is never charged. Decay comes with the first
// cycle after it is due. The times of cycles are guessed: when a job arrives, when
// one ends, and at intervals. As measured, see PBS's update_usage_on_run and
// decay_fairshare_tree.
func Compute(t *trace.Trace, o Options) (*Database, error) {
	if t.IsTorque() {
		return nil, &pbs.TorqueError{Of: "the logs", Have: pbs.TorqueHistory}
	}
	c, err := newComputer(t, o)
	if err != nil {
		return nil, err
	}
	return c.database(), nil
}

// newComputer returns what computes usage, with the cycles and decays of a trace.
func newComputer(t *trace.Trace, o Options) (*computer, error) {
	f, err := formula.Parse(o.Config.UsageRes)
	if err != nil {
		return nil, &UsageError{o.Config.UsageRes, err}
	}
	if !IsInLogs(o.Config.Entity) {
		return nil, fmt.Errorf("%w %s", ErrEntity, o.Config.Entity)
	}
	c := &computer{Options: o, trace: t, formula: f, charges: map[string]map[int]charge{}}
	if c.Until == trace.Unknown {
		c.Until = t.Last
	}
	c.cycles = cycles{c.events(t), max(1, c.Interval)}
	if o.IsSampled {
		c.samples = samplesOf(t, c.Lag)
	}
	return c, c.findDecays()
}

// ErrSpan says that usage is asked for over a longer time than any site has run.
var ErrSpan = errors.New("the first time and the last lie too far apart to be right")

// decay is a decay at a cycle.
type decay struct {
	at    int64
	times int64
}

// charge is what an entity is charged between two decays.
type charge struct{ usage, low, high float64 }

type computer struct {
	Options
	trace   *trace.Trace
	formula *formula.Formula
	cycles  cycles
	decays  []decay
	last    int64                     // last_decay in the end
	charges map[string]map[int]charge // by entity, and by the number of decays before
	charged int
	lost    int
	samples *Samples // of the mom that has run all jobs, nil where reports have one age
}

// database charges all jobs and lets usage decay.
func (c *computer) database() *Database {
	for i := range c.trace.Jobs {
		j := c.trace.Jobs[i]
		if j.IsArray || !c.has(c.trace, j) {
			continue
		}
		for _, r := range j.Earlier() {
			c.run(i, r.Start, r.End)
		}
		switch {
		case j.Start == trace.Unknown:
		case j.State == trace.Running && j.End == trace.Unknown:
			c.run(i, j.Start, c.Until+1)
		default:
			c.run(i, j.Start, j.End)
		}
	}
	db := &Database{LastDecay: c.last, Charged: c.charged, Lost: c.lost, Untold: c.untold()}
	if len(c.cycles.events) > 0 {
		db.Seconds = max(0, c.Until-c.cycles.events[0])
	}
	begin := map[string]float64{}
	if c.Begin != nil {
		for name, usage := range c.Begin.All() {
			begin[name] = usage
			if _, hasRun := c.charges[name]; !hasRun {
				c.charges[name] = nil
			}
		}
	}
	decays := make([]int64, len(c.decays)+1) // how often usage has decayed before
	for k, d := range c.decays {
		decays[k+1] = decays[k] + d.times
	}
	for name, charges := range c.charges {
		usage, ok := begin[name]
		if !ok {
			usage = fstree.StartUsage
		}
		e := Entity{Name: name, Usage: usage, Low: usage, High: usage}
		done := 0 // decays
		decayTo := func(to int) {
			for range decays[to] - decays[done] {
				was := e
				e.Usage, e.Low, e.High = c.decayed(e.Usage), c.decayed(e.Low), c.decayed(e.High)
				if e == was {
					break
				}
			}
			done = to
		}
		for _, k := range slices.Sorted(maps.Keys(charges)) {
			decayTo(k)
			e.Usage, e.Low, e.High = e.Usage+charges[k].usage, e.Low+charges[k].low, e.High+charges[k].high
			e.Accrued += charges[k].usage
		}
		decayTo(len(c.decays))
		db.Entities = append(db.Entities, e)
	}
	slices.SortFunc(db.Entities, func(a, b Entity) int { return cmp.Compare(a.Name, b.Name) })
	return db
}

// untold returns the resources of which no record tells how much a job used, nor how much it was given.
func (c *computer) untold() (names []string) {
	for i, name := range c.trace.Used {
		isTold := c.charged+c.lost == 0 || slices.Contains([]string{"walltime", "ncpus", "mem", "nodect"}, name)
		for job := 0; job < len(c.trace.Jobs) && !isTold; job++ {
			isTold = !math.IsNaN(c.trace.UseOf(job)[i])
		}
		if !isTold {
			names = append(names, name)
		}
	}
	return names
}

// run charges a run of a job, from its start up to before its end, at the cycles in
// between.
func (c *computer) run(job int, start, end int64) {
	j := c.trace.Jobs[job]
	if start == trace.Unknown || end == trace.Unknown || end <= start || start > c.Until {
		return
	}
	whole := j.Active(start, end)
	use := c.use(job, whole)
	lastCycle, _ := c.cycles.before(min(end, c.Until+1)) // that has seen it run, if it is later than the start
	name := EntityOf(c.trace, j, c.Config.Entity)
	charges := c.charges[name]
	if charges == nil {
		charges = map[int]charge{}
		c.charges[name] = charges
	}
	// What has been charged where a report is of a time.
	upTo := func(reported int64) float64 {
		if reported <= start {
			return 0
		}
		return use(min(j.Active(start, reported), whole))
	}
	oldest := func(at int64) int64 { return min(at-max(c.Lag, longestLag), c.reported(at)) }
	first, _ := slices.BinarySearchFunc(c.decays, start, func(d decay, at int64) int { return cmp.Compare(d.at, at+1) })
	var done charge
	add := func(k int, now charge) {
		sum := charges[k]
		sum.usage += now.usage - done.usage
		sum.low += now.low - done.low
		sum.high += now.high - done.high
		charges[k], done = sum, now
	}
	// What is charged before a decay weighs less than what is charged after it.
	low := upTo(oldest(lastCycle))
	k := first
	for ; k < len(c.decays) && c.decays[k].at < end; k++ {
		at := c.decays[k].at
		add(k, charge{upTo(c.reported(at)), min(low, upTo(at)), upTo(oldest(at))})
	}
	now := charge{max(done.usage, upTo(c.reported(lastCycle))), low, upTo(min(end, c.Until))}
	add(k, now)
	if now.usage > 0 {
		c.charged++
	} else {
		c.lost++
	}
}

// use returns how a job's usage grows with the seconds for which it has run. What
// counts time grows with them, all else is as it is in the end, or as requested
// where the record does not say.
func (c *computer) use(job int, ran int64) func(seconds int64) float64 {
	j := c.trace.Jobs[job]
	final := c.trace.UseOf(job)
	at := func(seconds int64) float64 {
		values := make(map[string]formula.Value, len(c.trace.Used))
		for i, name := range c.trace.Used {
			x := math.NaN()
			if i < len(final) {
				x = final[i]
			}
			switch {
			case name == "walltime":
				x = float64(seconds)
			case name == "cput" && !math.IsNaN(x):
				x *= float64(seconds) / float64(max(1, ran))
			case !math.IsNaN(x):
			case name == "ncpus":
				x = float64(max(0, j.NCPUs))
			case name == "mem":
				x = float64(max(0, j.Mem))
			case name == "nodect":
				x = float64(max(0, j.Nodes))
			default:
				x = 0
			}
			values[name], _ = formula.Amount(x)
		}
		result := c.formula.Eval(values)
		if result.Err != nil || !(result.Value > 0) || math.IsInf(result.Value, 0) {
			return 0
		}
		return result.Value
	}
	// Nearly all formulas are proportional to time, so that one value is enough.
	whole := at(ran)
	if half := at(ran / 2); ran%2 == 0 && math.Abs(2*half-whole) <= 1e-9*math.Abs(whole) {
		return func(seconds int64) float64 { return whole * float64(seconds) / float64(max(1, ran)) }
	}
	return at
}

// Rates returns how much usage each entity has accrued in a second of the log, on average.
func (db *Database) Rates() map[string]float64 {
	rates := map[string]float64{}
	for _, e := range db.Entities {
		if db.Seconds > 0 && e.Accrued > 0 {
			rates[e.Name] = e.Accrued / float64(db.Seconds)
		}
	}
	return rates
}

// Records yields the records of a usage file, as PBS writes them: those of entities
// whose usage is not what every entity begins with.
func (db *Database) Records() func(yield func(string, float64) bool) {
	return func(yield func(string, float64) bool) {
		for _, e := range db.Entities {
			if e.Usage != fstree.StartUsage && strings.TrimSpace(e.Name) != "" && !yield(e.Name, e.Usage) {
				return
			}
		}
	}
}
