// Package witness makes the record of a Slurm site one that the rules of its scheduler are judged by: at each
// recorded start the engine of package sched says what it would have done, in the state as it was.
package witness

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/witness"
)

// Record is the record of a Slurm site, as the rules of a setup judge it. It implements witness.Record.
type Record struct {
	Tells func(done, all int) // called now and then; may be nil
	Taken int64               // when the site was asked, in seconds since 1970; 0 for when the record begins

	setup *sched.Setup
	from  *record.Record
	jobs  []*record.Job // as they come
	last  int64
	swept int64
	zone  *time.Location
	lacks []witness.Lack
	asks  map[*sched.Request][]string // by what jobs request
	nodes map[string]nodeList         // by their list
	mutex sync.Mutex                  // of nodes
}

// nodeList is nodes by their numbers, and whether the site has all.
type nodeList struct {
	numbers []int32
	names   []string
	isKnown bool
}

// New returns a record as a setup judges it. The zone is that in which times are told.
func New(setup *sched.Setup, from *record.Record, zone *time.Location) *Record {
	r := &Record{setup: setup, from: from, jobs: from.Runs(), last: from.Last, swept: from.Swept, zone: zone, asks: map[*sched.Request][]string{}, nodes: map[string]nodeList{}}
	slices.SortStableFunc(r.jobs, func(a, b *record.Job) int {
		return cmp.Or(cmp.Compare(a.Submit, b.Submit), a.Job.ID-b.Job.ID)
	})
	r.lacks = r.findLacks()
	return r
}

// Facts implements witness.Record.
func (r *Record) Facts() witness.Facts {
	f := witness.Facts{
		NoOrder: r.noOrder(), Uncertainty: float64(r.setup.Uncertainty()), Lacks: r.lacks, Common: commonOf(r.setup), Nearest: sched.Nearest, Zone: r.zone,
		Untold: r.untold(), OfSome: r.from.OfSome, Against: r.against(),
		Words: witness.Words{Queue: "partition", Node: "node", Given: " and as many CPUs", Shut: "a reservation", Closed: "draining", Away: "--set 'node.%s.offline=%s/%s'"},
	}
	if f.Untold != "" {
		f.Guesses = r.guesses
	}
	return f
}

// against says that jobs were preempted which no rule lets others preempt, "" where there are hardly any.
func (r *Record) against() string {
	const fewest = 4 // of which an administrator may have told Slurm to preempt some
	if of := r.from.Preempted(r.setup); of != nil && of.Count() >= fewest && !r.setup.Preempts() {
		return report.Count(of.Count(), "recorded run") + " were preempted, and by these rules none is"
	}
	return ""
}

// noOrder says why nothing tells in which order jobs were tried, "" where something does: usage that is rebuilt from what sshare printed
// later may be off by little, and little may decide whose turn it was.
func (r *Record) noOrder() string {
	const soon = 3600 // seconds, in which usage hardly changes
	first := int64(0)
	for _, x := range r.jobs {
		if x.Start > 0 && (first == 0 || x.Start < first) {
			first = x.Start
		}
	}
	if first == 0 || r.Taken <= first+soon {
		return ""
	}
	return "the site was asked after the record had begun, so that the usage by which jobs were ordered is not known to the last digit (--usage FILE: what sshare -a -l -P printed at its begin)"
}

// untold says on what who goes first may depend that the site does not tell, "" for nothing.
func (r *Record) untold() string {
	if !r.setup.IsAgingMute {
		return ""
	}
	return "limits of how many jobs age (MaxJobsAccruePU, GrpJobsAccrue and the like), for which sacctmgr was not asked"
}

// Starts implements witness.Record.
func (r *Record) Starts(ctx context.Context, yield func(*witness.Start)) error {
	names, maker := sched.NewNodeNames(r.setup), setup.NewJobMaker(r.setup)
	at := sched.Recording{Last: r.last, Swept: r.swept, Tells: r.Tells, Runs: make([]sched.RecordedRun, len(r.jobs))}
	at.Reservations = map[int32]bool{}
	for i, x := range r.jobs {
		at.Submit = append(at.Submit, x.Submit)
		at.Reservations[x.Reservation] = true
		run := sched.RecordedRun{Start: x.Start, CPUs: x.Given, Gone: x.CancelAt, In: x.In}
		if x.Start > 0 {
			run.Place = maker.Place(x.Job, x.Partition, x.QOS)
		}
		at.Runs[i] = run
	}
	at.Make = func(number int) *sched.Job {
		j := *r.jobs[number].Job
		return &j
	}
	at.Nodes = func(number int) ([]int32, bool) {
		list := r.nodesOf(names, r.jobs[number].NodeList)
		return list.numbers, list.isKnown
	}
	return sched.Decide(ctx, r.setup, at, func(d *sched.Decision) { yield(r.start(names, d)) })
}

// nodesOf returns the nodes of a list.
func (r *Record) nodesOf(names *sched.NodeNames, text string) nodeList {
	const most = 1 << 14 // lists that are kept
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if list, isKnown := r.nodes[text]; isKnown {
		return list
	}
	hosts, err := slurm.Hostlist(text)
	list := nodeList{isKnown: err == nil && len(hosts) > 0}
	slices.Sort(hosts)
	for _, name := range slices.Compact(hosts) {
		i, isOfSite := names.Place(name)
		list.names = append(list.names, name)
		if list.isKnown = list.isKnown && isOfSite; isOfSite {
			list.numbers = append(list.numbers, int32(i))
		}
	}
	slices.Sort(list.numbers)
	if len(r.nodes) == most {
		clear(r.nodes)
	}
	r.nodes[text] = list
	return list
}

// start returns a start as the frame has it.
func (r *Record) start(names *sched.NodeNames, d *sched.Decision) *witness.Start {
	const hour = 3600
	x := r.jobs[d.Number]
	s := &witness.Start{
		Job: x.ID, Queue: x.Partition, User: x.User, Account: x.Account, QOS: x.QOS, Asks: r.asked(x), CPUs: int64(max(1, x.Given, x.Request.CPUs)),
		Nodes: int64(max(1, x.Request.MinNodes)), Came: x.From, At: d.At, Chosen: r.namesOf(d.Chosen),
	}
	s.Hours = float64(s.CPUs*r.seconds(x)) / hour
	if d.Since != 0 {
		s.Since, s.Beside, s.IsFree, s.IsKept = d.Since, r.namesOf(d.Beside), d.IsFree, d.IsKept
		s.Waited = cmp.Or(d.At, x.CancelAt, r.last) - d.Since
	}
	if d.At == 0 {
		return s
	}
	s.End = x.End
	s.Recorded = r.nodesOf(names, x.NodeList).names
	s.Nodes = int64(max(1, len(s.Recorded)))
	s.May, s.Where, s.Who = witness.VerdictOf(d.IsAllowed), witness.VerdictOf(d.IsThere), witness.VerdictOf(d.IsFirst)
	s.Others = !d.IsAlone
	s.May.Rule, s.May.Reason, s.May.IsOfMoment, s.May.IsOfOrder = d.Rule, d.Reason, d.IsOfMoment, d.IsOfOrder
	if d.IsOpen {
		s.May = witness.Verdict{}
	}
	switch {
	case !d.IsKnown:
		s.Where = witness.Verdict{}
	case d.Had != "":
		s.Where = witness.Verdict{Finding: witness.Differs, Rule: d.Had}
	}
	if len(d.Chosen) == 0 { // they choose none
		s.Where, s.Who = witness.Verdict{}, witness.Verdict{}
	}
	for _, p := range d.Passed {
		s.Passed = append(s.Passed, witness.Passed{Job: r.jobs[p.Number].ID, Waited: p.Waited})
	}
	return s
}

// seconds returns for how long a job ran until the record ends or, if it never started, is taken to run: how long one goes on that
// had not ended is an assumption as well, which is nothing recorded.
func (r *Record) seconds(x *record.Job) int64 {
	if x.Start == 0 {
		return x.Run
	}
	return max(0, cmp.Or(x.End, r.last)-x.Start-x.Suspended)
}

func (r *Record) namesOf(nodes []int32) (names []string) {
	for _, i := range nodes {
		names = append(names, r.setup.Nodes[i].Name)
	}
	slices.Sort(names)
	return names
}
