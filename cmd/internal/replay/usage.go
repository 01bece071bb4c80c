package replay

import (
	"math"
	"slices"

	"fairshare/cmd/internal/accrual"
	"fairshare/formula"
	"fairshare/fstree"
	"fairshare/usagefile"
)

// usage is the fairshare usage of a replay: what entities and resgroups have accrued
// and how it decays. What a node has at a cycle is a straight line between starts,
// ends and decays, base + rate*(cycle - lag) - offset, so that a cycle costs nothing
// until somebody asks.
type usage struct {
	tree       *fstree.Tree
	config     fstree.Config
	isOn       bool          // whether it decays: with fair_share, or with a formula alone
	accrues    bool          // whether it grows: with fair_share
	isRecorded bool          // whether the tree itself is charged, with recorded reports
	ids        []fstree.ID   // by entity
	paths      [][]fstree.ID // by entity, all nodes whose usage grows with its own
	lag        float64       // how old reports of use are, in seconds
	zero       float64       // the time that offsets count from

	formula *formula.Formula  // fairshare_usage_res, nil where it cannot be evaluated
	perJob  bool              // whether it depends on what each job has really used
	rates   map[int32]float64 // by request, where it does not

	base, rate, offset []float64 // by node

	lastCycle float64
	lastDecay int64

	runs  []accruing // by job
	young []int32    // jobs that have started and not been charged, the oldest first
}

// accruing is how a run of a job is charged.
type accruing struct {
	rate    float64 // usage a second
	since   float64
	isOn    bool    // whether it runs
	isAdded bool    // whether it is in its entity's line
	charged float64 // what it was charged, where reports are recorded
}

func newUsage(e *engine, begin *usagefile.Database, lastDecay int64, lag float64) (*usage, error) {
	isOn := e.policy.FairShare || e.plan.Formula != nil && e.site.SchedPriv != nil
	u := &usage{isOn: isOn, accrues: e.policy.FairShare, isRecorded: e.Recorded != nil, lag: lag, zero: float64(e.work.First), runs: make([]accruing, len(e.work.Jobs)), lastCycle: math.Inf(-1)}
	u.tree = fstree.New(0, 0)
	if priv := e.site.SchedPriv; priv != nil {
		u.tree, u.config = priv.Tree.Clone(), priv.Config
	}
	if begin != nil {
		u.tree.ResetUsage()
		if err := u.tree.LoadUsage(begin.All(), false); err != nil {
			return nil, err
		}
	}
	for _, name := range e.entities.Names {
		id, ok := u.tree.Lookup(name)
		if !ok {
			id = u.tree.AddUnknown(name)
		}
		u.ids = append(u.ids, id)
	}
	u.tree.Update()
	for _, id := range u.ids {
		u.paths = append(u.paths, u.tree.Path(id))
	}
	u.formula, _ = formula.Parse(u.config.UsageRes)
	if u.rates = map[int32]float64{}; u.formula != nil {
		u.perJob = slices.ContainsFunc(u.formula.Names(), func(name string) bool { return name != "ncpus" && name != "walltime" && name != "nodect" })
	}
	nodes := u.tree.Len()
	u.base, u.rate, u.offset = make([]float64, nodes), make([]float64, nodes), make([]float64, nodes)
	for id := range nodes {
		u.base[id] = u.tree.Entity(fstree.ID(id)).Usage
	}
	u.lastDecay = accrual.FirstDecay(e.work.First, lastDecay, u.config.DecayTime, begin)
	return u, nil
}

// rateOf returns the usage that a job accrues in a second: fairshare_usage_res over a
// run, which nearly all sites let grow with time alone.
func (u *usage) rateOf(e *engine, job int32) float64 {
	t := &e.terms[job]
	const span = 1 << 20 // seconds
	if u.perJob {
		j := e.work.Jobs[job]
		ran := max(1, float64(j.Runs[len(j.Runs)-1]))
		return e.usageOf(u.formula, t, ran, e.work.Used(j)) / ran
	}
	rate, ok := u.rates[t.request]
	if !ok {
		rate = e.usageOf(u.formula, t, span, nil) / span
		u.rates[t.request] = rate
	}
	return rate
}

// start begins to charge a run.
func (u *usage) start(job int32, rate, at float64) {
	if !u.accrues {
		return
	}
	// What was charged before the record begins is in the usage that it begins with.
	u.runs[job] = accruing{rate: rate, since: max(at-u.zero, -u.lag), isOn: true}
	u.young = append(u.young, job)
}

// stop ends to charge a run: what it has used since the report that the last cycle
// saw is lost.
func (u *usage) stop(job, entity int32) {
	r := &u.runs[job]
	if !r.isOn {
		return
	}
	charged := r.rate * max(0, u.lastCycle-u.zero-u.lag-r.since)
	for _, id := range u.paths[entity] {
		u.base[id] += charged
		if r.isAdded {
			u.rate[id] -= r.rate
			u.offset[id] -= r.rate * r.since
		}
	}
	*r = accruing{}
}

// accrue charges what runs at a cycle, and lets usage decay if that is due, as PBS's
// update_usage_on_run and decay_fairshare_tree: decay comes before the cycle that
// finds it due orders its jobs, and leaves nobody below 1.
func (u *usage) accrue(e *engine, now float64) {
	if !u.isOn {
		return
	}
	u.lastCycle = now
	for len(u.young) > 0 {
		r := &u.runs[u.young[0]]
		if r.isOn && r.since+u.lag > now-u.zero {
			break
		}
		if r.isOn && !r.isAdded {
			r.isAdded = true
			for _, id := range u.paths[e.entities.Of[u.young[0]]] {
				u.rate[id] += r.rate
				u.offset[id] += r.rate * r.since
			}
		}
		u.young = u.young[1:]
	}
	if times := u.decaysAt(now); times > 0 {
		factor := math.Pow(float64(u.config.DecayFactor), float64(times))
		for id := range u.base {
			was := u.at(id)
			u.base[id] += max(fstree.StartUsage, was*factor) - was
		}
	}
}

// decaysAt returns how many times usage decays at a cycle, and remembers when it last
// did.
func (u *usage) decaysAt(now float64) (times int64) {
	times, u.lastDecay = accrual.Decays(u.lastDecay, int64(math.Floor(now)), u.config.DecayTime)
	return times
}

// at returns a node's usage at the last cycle.
func (u *usage) at(id int) float64 {
	return u.base[id] + u.rate[id]*(u.lastCycle-u.zero-u.lag) - u.offset[id]
}

// apply brings the tree up to the last cycle, with tree usage. Without fairshare it stays
// as it is.
func (u *usage) apply() {
	if !u.isOn {
		return
	}
	if !u.isRecorded {
		for id := range u.base {
			u.tree.SetUsage(fstree.ID(id), u.at(id))
		}
	}
	u.tree.Update()
}
