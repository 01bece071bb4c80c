package replay

import (
	"math"
	"slices"

	"fairshare/cmd/internal/pbs/accrual"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/formula"
	"fairshare/fstree"
)

// usage is the fairshare usage of a replay: what entities and resgroups have accrued
// and how it decays. What a node has at a cycle is a straight line between starts,
// ends and decays, base + rate*reported - offset, so that a cycle costs nothing
// until somebody asks.
type usage struct {
	at      *situation
	tree    *fstree.Tree
	config  fstree.Config
	isOn    bool             // whether it decays: with fair_share, or with a formula alone
	accrues bool             // whether it grows: with fair_share
	ids     []fstree.ID      // by entity
	paths   [][]fstree.ID    // by entity, all nodes whose usage grows with its own
	lag     float64          // how old reports of use are, in seconds
	samples *accrual.Samples // when mom makes them, nil where they are always that old
	zero    float64          // the time that offsets count from

	formula *formula.Formula  // fairshare_usage_res, nil where it cannot be evaluated
	perJob  bool              // whether it depends on what each job has really used
	rates   map[int32]float64 // by request, where it does not

	requested *formula.Formula // likewise of what jobs request, nil where usage never grows within a cycle
	costs     []float64        // by job, what its start adds to its entity's usage within a cycle; nil as before

	base, rate, offset []float64 // by node

	reported  float64 // the time up to which the last cycle knew what jobs had used, from zero on
	lastDecay int64

	runs  []runCharge // by job
	young []int32     // jobs that have started and not been charged, the oldest first
}

// runCharge is how a run of a job is charged.
type runCharge struct {
	rate    float64 // usage a second
	since   float64
	isOn    bool // whether it runs
	isAdded bool // whether it is in its entity's line
}

func newUsage(at *situation, plan *order.Plan, o Options) (*usage, error) {
	isOn := at.policy.FairShare || plan.Formula != nil && plan.Site.SchedPriv != nil
	u := &usage{at: at, isOn: isOn, accrues: at.policy.FairShare, lag: o.Lag, zero: float64(at.work.First), runs: make([]runCharge, len(at.work.Jobs)), reported: -o.Lag}
	if o.IsSampled && at.cluster.HasOneMom() {
		u.samples = accrual.NewSamples(u.zero - u.lag)
	}
	u.tree = fstree.New(0, 0)
	if priv := plan.Site.SchedPriv; priv != nil {
		u.tree, u.config = priv.Tree.Clone(), priv.Config
	}
	if o.Begin != nil {
		u.tree.ResetUsage()
		if err := u.tree.LoadUsage(o.Begin.All(), false); err != nil {
			return nil, err
		}
	}
	for _, name := range at.entities.Names {
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
	u.lastDecay = accrual.FirstDecay(at.work.First, o.LastDecay, u.config.DecayTime, o.Begin)
	return u, nil
}

// rateOf returns the usage that a job accrues in a second: fairshare_usage_res over a
// run, which nearly all sites let grow with time alone.
func (u *usage) rateOf(job int32) float64 {
	t := &u.at.terms[job]
	const span = 1 << 20 // seconds
	if u.perJob {
		j := u.at.work.Jobs[job]
		ran := max(1, float64(j.Runs[len(j.Runs)-1]))
		return u.of(u.formula, t, ran, u.at.work.Used(j)) / ran
	}
	rate, ok := u.rates[t.request]
	if !ok {
		rate = u.of(u.formula, t, span, nil) / span
		u.rates[t.request] = rate
	}
	return rate
}

// start begins to charge a run, at a time. Mom reports whole seconds, half a second less than the run has lasted on average:
// of R10 two users of one share are 0.009 % apart when one of them starts.
func (u *usage) start(job int32, at float64) {
	if !u.accrues || u.formula == nil {
		return
	}
	const cut = .5 // seconds
	if rate := u.rateOf(job); rate > 0 {
		u.startAt(job, rate, at+cut)
	}
}

// startAt begins to charge a run that accrues some usage in a second.
func (u *usage) startAt(job int32, rate, at float64) {
	// What was charged before the record begins is in the usage that it begins with.
	u.runs[job] = runCharge{rate: rate, since: max(at-u.zero, -u.lag), isOn: true}
	u.young = append(u.young, job)
}

// begins tells mom's samples that a job begins to run.
func (u *usage) begins(at float64) {
	if u.samples != nil {
		u.samples.Start(at)
	}
}

// stop ends to charge a run: what it has used since the report that the last cycle
// saw is lost.
func (u *usage) stop(job int32) {
	r := &u.runs[job]
	if !r.isOn {
		return
	}
	charged := r.rate * max(0, u.reported-r.since)
	for _, id := range u.paths[u.at.entities.Of[job]] {
		u.base[id] += charged
		if r.isAdded {
			u.rate[id] -= r.rate
			u.offset[id] -= r.rate * r.since
		}
	}
	*r = runCharge{}
}

// accrue charges what runs at a cycle, and lets usage decay if that is due, as PBS's
// update_usage_on_run and decay_fairshare_tree: decay comes before the cycle that
// finds it due orders its jobs, and leaves nobody below 1.
func (u *usage) accrue(now float64) {
	if u.reported = now - u.lag - u.zero; u.samples != nil {
		u.reported = u.samples.Before(now) - u.zero
	}
	if !u.isOn {
		return
	}
	for len(u.young) > 0 {
		r := &u.runs[u.young[0]]
		if r.isOn && r.since > u.reported {
			break
		}
		if r.isOn && !r.isAdded {
			r.isAdded = true
			for _, id := range u.paths[u.at.entities.Of[u.young[0]]] {
				u.rate[id] += r.rate
				u.offset[id] += r.rate * r.since
			}
		}
		u.young = u.young[1:]
	}
	if times := u.decaysAt(now); times > 0 {
		factor := math.Pow(float64(u.config.DecayFactor), float64(times))
		for id := range u.base {
			was := u.node(id)
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

// node returns a node's usage at the last cycle.
func (u *usage) node(id int) float64 {
	return u.base[id] + u.rate[id]*u.reported - u.offset[id]
}

// apply brings the tree up to the last cycle, with tree usage. Without fairshare it stays
// as it is.
func (u *usage) apply() {
	if !u.isOn {
		return
	}
	for id := range u.base {
		u.tree.SetUsage(fstree.ID(id), u.node(id))
	}
	u.tree.Update()
}

// of returns what fairshare_usage_res comes to for a job that has run for some seconds, with
// what it has used of other resources where that is known, else requested.
func (u *usage) of(f *formula.Formula, t *terms, seconds float64, used map[string]float64) float64 {
	values := map[string]formula.Value{}
	for _, name := range f.Names() {
		x := u.at.work.Requests[t.request].Amounts[name]
		if really, ok := used[name]; ok {
			x = really
		}
		if name == "walltime" {
			x = seconds
		}
		values[name], _ = formula.Amount(x)
	}
	r := f.Eval(values)
	if r.Err != nil || !(r.Value > 0) || math.IsInf(r.Value, 0) {
		return 0
	}
	return r.Value
}

// findCosts evaluates a fairshare_usage_res, which may be nil, for what each job requests.
func (u *usage) findCosts(f *formula.Formula) {
	if u.requested = f; f == nil {
		return
	}
	u.costs = make([]float64, len(u.at.terms))
	type key struct {
		request  int32
		walltime int64
	}
	known := map[key]float64{}
	for i := range u.costs {
		t := &u.at.terms[i]
		k := key{t.request, t.walltime}
		cost, ok := known[k]
		if !ok {
			cost = u.of(f, t, float64(max(0, t.walltime)), nil)
			known[k] = cost
		}
		u.costs[i] = cost
	}
}

// setCost evaluates it anew for a job that asks for something else.
func (u *usage) setCost(job int32) {
	if t := &u.at.terms[job]; u.costs != nil {
		u.costs[job] = u.of(u.requested, t, float64(max(0, t.walltime)), nil)
	}
}
