package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/set"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
	"fairshare/fstree"
)

// policy returns the policy that changes make of the site's, and warnings of those that change
// nothing. Its errors are *diag.RequestError and *diag.RequestError.
func (s *Study) policy(c *study.Changes) (*study.Policy, []diag.Remark, error) {
	if c.Formula != "" || c.SchedPriv != "" {
		return nil, nil, diag.Requestf("a Slurm site has no formula and no sched_priv: its policies change settings")
	}
	changed, remarks, err := Change(s.setup, c.Settings)
	if err != nil && c.From != "" {
		return nil, nil, c.Placed(err, "")
	} else if err != nil {
		return nil, nil, err
	}
	name := strings.Join(c.Settings, ", ")
	if c.Name != "" {
		name = c.Name + ": " + name
	}
	return &study.Policy{Name: name, Runner: &runner{s, changed}}, remarks, nil
}

// Change returns the setup of a site with other settings, and warnings of those that change nothing.
func Change(setup *sched.Setup, settings []string) (*sched.Setup, []diag.Remark, error) {
	changed, changes, err := set.ChangeSetup(setup, settings)
	if err != nil {
		return nil, nil, err
	}
	asSet, err := set.AsSetOf(setup, settings)
	if err != nil {
		return nil, nil, err
	}
	var remarks []diag.Remark
	for _, x := range changes {
		if x.StopsSubmissions() {
			return nil, nil, diag.Requestf("--set %w", &diag.SettingError{Setting: x.Name + "=" + x.Value, Err: errors.New("a replay refuses none of the jobs that came: State=DOWN says what it would have been without the partition")})
		}
		if x.IsSame {
			remarks = append(remarks, x.Remark())
		}
	}
	return changed, slices.Concat(remarks, asSet, changed.NewRules(setup), changed.NewOmissions(setup)), nil
}

// runner runs the scheduler of a site with the settings of a policy.
type runner struct {
	study *Study
	setup *sched.Setup
}

// Impossible returns nil: a job that nothing can run is one that never starts.
func (r *runner) Impossible() []bool { return nil }

// CPUs returns how many cpus the nodes of the policy have.
func (r *runner) CPUs() float64 { return cpusOf(r.setup) }

func cpusOf(s *sched.Setup) (cpus float64) {
	for _, n := range s.Nodes {
		cpus += float64(n.CPUs)
	}
	return cpus
}

// Run replays work under the policy.
func (r *runner) Run(ctx context.Context, w *work.Work, ask outcome.Ask, progress func(part float64)) (*outcome.Result, error) {
	n := len(w.Jobs)
	to := &outcome.Result{Work: w, Start: make([]float64, n), End: make([]float64, n), Filled: make([]bool, n), Pauses: map[int32][]trace.Run{}, Earlier: map[int32][]trace.Run{}}
	if ask.KeepUsage {
		to.Course = r.course(w)
	}
	var shares [][]sched.Share
	if ask.KeepVnodes {
		shares = make([][]sched.Share, n)
		to.Vnodes = func(i int) string { return r.nodes(shares[i]) }
	}
	coming, order, watched := r.workload(w, ask.Watch)
	coming.Requeued = func(number int, run *sched.Job) {
		i := order[number]
		to.Earlier[i] = append(to.Earlier[i], trace.Run{Start: run.Start, End: run.End - run.Suspended()})
	}
	coming.Done = func(number int, j *sched.Job) {
		if j.Start == 0 {
			return // also if it has an end: it was cancelled
		}
		i := order[number]
		to.Start[i], to.End[i], to.Filled[i] = float64(j.Start), float64(j.End), j.IsBackfilled
		if seconds := j.Suspended(); seconds > 0 { // when they were, no figure asks
			to.Pauses[i] = []trace.Run{{Start: j.End - seconds, End: j.End}}
		}
		if ask.KeepUsage {
			to.Course.Rates[i] = r.rate(j)
		}
		if ask.KeepVnodes {
			shares[i] = j.Shares
		}
	}
	o := sched.Options{Swept: r.study.swept, Why: ask.KeepWhy, Last: w.Last, Watch: watched, Until: int64(ask.Until), Progress: func(done, all int) { progress(float64(done) / float64(max(1, all))) }}
	result, err := sched.RunWorkload(ctx, r.setup, coming, o)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	to.Preempt = outcome.Preemptions{Suspended: result.Suspended, Requeued: result.Requeued, Cancelled: result.Preempted - result.Requeued, Lost: result.Lost}
	to.Until, to.Cycles, to.Passes, to.IsCut = float64(result.Last), result.Cycles, result.Passes, err != nil
	if ask.KeepWhy {
		for _, c := range result.Causes {
			to.Causes = append(to.Causes, outcome.Cause{Queue: r.setup.Partitions[c.Partition].Name, Reason: c.Reason, Seconds: float64(c.Seconds)})
		}
	}
	for _, x := range result.Refused {
		const hour = 3600
		to.Refused = append(to.Refused, fmt.Sprintf("%s would refuse %s with %s core hours when they come; they are replayed, since Slurm took them", x.Limit, report.Count(x.Jobs, "job"), report.Fixed(x.CPUSeconds/hour, 0)))
	}
	for _, x := range result.Waits {
		to.Steps = append(to.Steps, outcome.Step{From: float64(x.From), To: float64(x.To), Reason: x.Reason})
	}
	for _, x := range result.Queue {
		to.Waiting = append(to.Waiting, outcome.Waiting{Job: w.Jobs[order[x.Number]], Value: float64(x.Priority), Eligible: result.Last - x.Eligible, Reason: x.Reason})
	}
	return to, nil
}

// nodes returns the names of nodes on which a job has run.
func (r *runner) nodes(shares []sched.Share) string {
	var names []string
	for _, share := range shares {
		names = append(names, r.setup.Nodes[share.Node].Name)
	}
	return strings.Join(names, ",")
}

// course returns how usage grows and decays. Its entities are the users' associations; those of an account of which all have
// Fairshare=parent are one, with the account's shares and usage. Beside others with shares of their own, one with Fairshare=parent has none
// to be measured by. Who competes, and for which shares, is as the policy has it; how much usage is charged and how it decays, as the site has
// it, so that the same starts come to the same usage whatever a policy tries.
func (r *runner) course(w *work.Work) *outcome.UsageCourse {
	tree, err := fstree.NewAssociations(r.setup.Tree)
	if err != nil {
		panic(fmt.Sprintf("it was a tree when the site was read: %v", err))
	}
	standing := fstree.Classic(tree, fstree.Options{})
	by := r.study.setup
	period := max(1, int64(by.Conf.CalcPeriod))
	c := &outcome.UsageCourse{
		Rates: make([]float64, len(w.Jobs)), EntityOf: make([]int32, len(w.Jobs)),
		DecayTime: period, DecayFactor: math.Pow(sched.DecayFactor(by.Conf), float64(period)), LastDecay: r.study.swept,
	}
	areParents := ofParents(tree)
	entity := func(association int) int {
		if at := tree.Competes(association); tree.At(association).FromParent && areParents[at] {
			return at
		}
		return association
	}
	numbers := map[int]int32{}
	for i, x := range r.setup.Tree {
		if !x.User {
			continue
		}
		of := entity(i)
		if _, isKnown := numbers[of]; isKnown {
			continue
		}
		numbers[of] = int32(len(c.Begin))
		percentage := standing.NormShares[of]
		if isUnmeasured(tree, i, areParents) {
			percentage = math.NaN()
		}
		c.Begin, c.Percentages = append(c.Begin, by.Tree[of].Usage), append(c.Percentages, percentage)
		group := of
		for p := r.setup.Tree[group].Parent; p >= 0 && r.setup.Tree[p].Parent >= 0; p = r.setup.Tree[group].Parent {
			group = int(p)
		}
		c.Groups = append(c.Groups, r.setup.Tree[group].Name)
	}
	for i := range w.Jobs {
		j := r.study.jobs[w.Origin(i)].kind
		c.EntityOf[i] = numbers[entity(j.Association)]
		c.Rates[i] = r.rate(j)
	}
	return c
}

// ofParents reports of each account whether all that compete at it have Fairshare=parent.
func ofParents(tree *fstree.Associations) []bool {
	are := make([]bool, tree.Len())
	for i := range are {
		are[i] = true
	}
	for i := 1; i < tree.Len(); i++ {
		if !tree.At(i).FromParent {
			are[tree.Competes(i)] = false
		}
	}
	return are
}

// isUnmeasured reports whether a user has no part of the shares: Fairshare=parent, beside others with shares of their own.
func isUnmeasured(tree *fstree.Associations, user int, areParents []bool) bool {
	return tree.At(user).FromParent && !areParents[tree.Competes(user)]
}

// unmeasured says which users have no part of the shares, from which their distance could be told.
func unmeasured(associations []fstree.Association) []diag.Remark {
	tree, err := fstree.NewAssociations(associations)
	if err != nil {
		return nil
	}
	const most = 3 // that are named
	areParents := ofParents(tree)
	var names []string
	for i := 1; i < tree.Len(); i++ {
		if x := tree.At(i); x.User && isUnmeasured(tree, i, areParents) {
			names = append(names, tree.At(int(x.Parent)).Name+"/"+x.Name)
		}
	}
	if names == nil {
		return nil
	}
	return []diag.Remark{diag.Notef("the distance from shares is without %s with Fairshare=parent beside others that have shares of their own (%s)", report.Count(len(names), "user"), report.Some(names, most))}
}

// rate returns what a second of a job is charged at the site as it is; one that nothing tells of is charged its CPUs.
func (r *runner) rate(j *sched.Job) float64 {
	billing := j.Billing
	if billing == 0 {
		billing = float64(j.Request.CPUs)
	}
	return r.study.setup.QOS[j.QOS].UsageFactor * billing
}
